/** A kind of no vendor, whose calls show what a file can say of requests, answers, pages and errors. */
import type { RecordedKind } from './recorded.ts'

const kind = `# A vendor that nobody has: calls, pages, rows and errors in every form that a file can say.
kind: depot
title: Depot
category: storage
about: Parcels and what belongs to them
docs: https://depot.example/docs
api: 'https://{site}.depot.example'
path: /v1
elsewhere: { with: cloud, api: https://api.depot.example, path: '/sites/{cloud}' }
headers: { x-depot-version: '3' }
configuration: { site: label? Name in the address, cloud: uuid? Id of the account, hall: digits? Number of a hall }
auth: { key: { title: Key, fields: { key: secret Key }, find: Settings, send: { x-key: '{key}' } } }
errors:
  message: [problem.says, note]
  code: problem.code
  failed: { ok: false }
  rows:
    - 409 is packed: conflict
    - { is: permission_denied, code: [shut] }
    - { is: unsupported, status: 4xx, contains: old hall, for: [list] }
check: parcels.list
pages:
  cursor: { next: meta.next, send: 'page[after]', more: meta.more, total: meta.count, size: 'page[size]=2' }
  numbers: { next: pages, first: '0', send: number, size: size=2 }
  searches:
    next: next
    send: from
    in: query
    size: most=2
    cap: { rows: 2, by: id, order: { order: id }, behind: { 'tests[]': { above: '{last}' } } }
lists: { at: rows, pages: cursor, as: form, arrays: repeat }
writes: { as: form, arrays: brackets, once: x-once, remembers: 2h }
types:
  base: { id: integer Id }
entities:
  parcels:
    about: Parcels
    fields:
      +: base
      weight: { $type: number?, $about: 'Weight, in kilograms' }
      size: { $about: Size, $fields: { wide: integer Width } }
      town: string? Town
      sent: string? Who sent it
      marks: object? Marks of the account
    from: { town: address.town, sent: { path: sender.name, as: lower } }
    described: { run: marks.list, params: { of: parcels }, name: name, where: custom }
    list:
      call: GET /parcels
      params:
        tags: string[] Tags
        fields: string Names of fields
        hall: { $type: string, $about: Hall, $from: hall }
        state: { $type: string, $about: State, $values: [on its way, there] }
        floor: { $type: integer, $about: Floor, $min: 1, $max: 9, $to: 'filter[floor]' }
      always: { with: address }
      defaults: { fields: '{fields},{described}' }
      merge: [more]
      rest: marks
    get: { call: 'GET /parcels/{id}', headers: { x-reader: '{reader}' }, params: { reader: string Who reads }, running: 202, at: row }
    create:
      call: POST /parcels
      body: { town: string! Town, tags: 'string[] Tags' }
      wrap: parcel
      at: made
      answers: part
    update:
      call: PUT /parcels/{id}
      as: json
      arrays: comma
      once: x-again
      remembers: 3h
      params: { flags: 'string[] Flags' }
      body: { town: string Town }
    delete: { call: 'DELETE /parcels/{id}' }
    sync: full
  marks:
    about: Marks that an account has
    key: name
    fields: { name: string Name, custom: boolean? Whether the account made it, of: string? What it belongs to }
    from: { of: { param: of } }
    list: { call: 'GET /marks/{of}', pages: none, because: There are few. }
  things:
    about: Things of the types that an account made
    key: [type, id]
    fields: { type: string Type, id: integer Id, marks: object? Marks of the account }
    from: { type: { param: type } }
    described: { run: marks.list, params: { of: '{type}' }, name: name, where: custom }
    list: { call: 'GET /things/{type}', pages: none, because: There are few., params: { marks: string Marks }, defaults: { marks: '{described}' }, rest: marks }
  halls:
    about: Halls by their names
    key: name
    fields: { name: string Name, open: boolean? Whether it is open, rank: integer Rank, kept: string? What it is for }
    list:
      call: GET /halls
      pages: none
      because: There are few.
      keyed: name
      where: { open: { exists: true }, kept: { not: waste }, rank: { above: 1, below: 9 } }
  items:
    about: Items of parcels
    key: [parcel, code]
    fields: { parcel: integer Parcel, code: string Code }
    list: { call: GET /items, at: 'rows[].items', outer: { parcel: id }, pages: numbers }
  prices:
    about: Prices
    fields: { id: string Id, price: number? Price }
    list: { call: GET /prices.csv, format: csv, pages: none, because: There are few. }
  found:
    about: Parcels that a search finds
    fields: { +: base }
    list:
      call: POST /search
      pages: searches
      arrays: brackets
      body: { tests: 'object[] Tests', order: string Order, hall: string Hall, since: string Since }
      text:
        q: { start: 'FIND {fields}', lead: ' IF ', parts: ['hall = {hall}', 'since > {since|bare}'], join: ' OR ', end: ' NOW', quote: "'" }
`

const site = '/sites/6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const says = { source: 'document', from: 'https://depot.example/docs' }
const asked = {
  ...{ tags: ['a', 'b'], hall: '7', state: 'on its way', 'filter[floor]': '3', with: 'address' },
  ...{ fields: 'id,weight,size,address.town,sender.name,blue', 'page[size]': '2' },
}
const ofReader = { call: `GET ${site}/parcels/1`, headers: { 'x-reader': 'r1' } }

/** Parcels, and the marks that their account has. */
const parcels = [
  {
    ...{ call: 'parcels.list', ...says, params: { tags: ['a', 'b'], state: 'on its way', floor: 3 } },
    exchanges: [
      {
        request: `GET ${site}/marks/parcels`,
        answer: {
          body: {
            rows: [
              { name: 'blue', custom: true },
              { name: 'town', custom: false },
            ],
          },
        },
      },
      {
        request: { call: `GET ${site}/parcels`, query: asked, headers: { 'x-depot-version': '3' } },
        answer: {
          body: {
            rows: [
              { id: 1, weight: null, size: { wide: 4 }, address: { town: 'Ulm' }, sender: { name: 'ANN' }, more: { blue: 'yes' } },
              { id: 2, weight: 2.5, size: { wide: 5 }, address: { town: 'Bern' }, sender: { name: 'Bo' }, more: {} },
            ],
            meta: { next: 'p2', more: true, count: 3 },
          },
        },
      },
      {
        request: { call: `GET ${site}/parcels`, query: { ...asked, 'page[after]': 'p2' } },
        answer: {
          body: {
            rows: [{ id: 3, weight: 1, size: { wide: 1 }, address: { town: null }, sender: { name: null }, more: {} }],
            meta: { next: 'p3', more: false, count: 3 },
          },
        },
      },
    ],
    data: [
      { id: 1, weight: null, size: { wide: 4 }, town: 'Ulm', sent: 'ann', marks: { blue: 'yes' } },
      { id: 2, town: 'Bern', sent: 'bo' },
      { id: 3, town: null },
    ],
    meta: { total_records: 3 },
  },
  {
    ...{ call: 'parcels.get', ...says, params: { id: 1, reader: 'r1' } },
    exchanges: [
      { request: ofReader, answer: { status: 202, headers: { 'retry-after': '0' }, body: {} } },
      { request: ofReader, answer: { body: { row: { id: 1, weight: 3, size: { wide: 2 }, address: { town: 'Ulm' } } } } },
    ],
    data: { id: 1, town: 'Ulm' },
  },
]

/** Writes in a form, in JSON, with a key of the call, and without one. */
const writes = [
  {
    ...{ call: 'parcels.create', ...says, params: { town: 'Ulm', tags: ['a', 'b'] } },
    exchanges: [
      {
        request: {
          ...{ call: `POST ${site}/parcels`, headers: { 'x-once': '{any}' } },
          form: { 'parcel[town]': 'Ulm', 'parcel[tags][]': ['a', 'b'] },
        },
        answer: { status: 201, body: { made: { id: 4 } } },
      },
    ],
    data: { id: 4 },
  },
  {
    ...{ call: 'parcels.update', ...says, params: { id: 4, town: 'Bern', flags: ['x', 'y'] } },
    exchanges: [
      {
        request: {
          ...{ call: `PUT ${site}/parcels/4`, query: { flags: 'x,y' }, headers: { 'x-again': '{any}' } },
          body: { town: 'Bern' },
        },
        answer: { body: { row: { id: 4, weight: 3, size: { wide: 2 }, address: { town: 'Bern' } } } },
      },
    ],
    data: { id: 4, town: 'Bern' },
  },
  {
    ...{ call: 'parcels.delete', ...says, params: { id: 4 } },
    exchanges: [{ request: `DELETE ${site}/parcels/4`, answer: { status: 204 } }],
  },
]

const failed = (call: string, name: string, { status = 200, body = {}, error = '' }) => ({
  ...{ call, name, ...says, params: call === 'marks.list' ? { of: 'x' } : { id: 9 } },
  exchanges: [{ request: `GET ${site}/${call === 'marks.list' ? 'marks/x' : 'parcels/9'}`, answer: { status, body } }],
  error,
})
const errors = [
  failed('parcels.get', 'packed', { status: 409, body: { note: 'This is packed' }, error: 'upstream_conflict' }),
  failed('parcels.get', 'shut', { body: { ok: false, problem: { says: 'No', code: 'shut' } }, error: 'upstream_permission_denied' }),
  failed('marks.list', 'an old hall', { status: 418, body: { problem: { says: 'An old hall' } }, error: 'upstream_unsupported' }),
  failed('parcels.get', 'an old hall', { status: 418, body: { problem: { says: 'An old hall' } }, error: 'upstream_invalid_request' }),
  failed('marks.list', 'an old hall that is down', { status: 503, body: { note: 'old hall' }, error: 'upstream_error' }),
  failed('marks.list', 'another refusal', { status: 418, body: { note: 'no' }, error: 'upstream_invalid_request' }),
]

/** Rows in other forms. */
const rows = [
  {
    ...{ call: 'marks.list', ...says, params: { of: 'parcels' } },
    exchanges: [{ request: `GET ${site}/marks/parcels`, answer: { body: { rows: [{ name: 'blue', custom: true }] } } }],
    data: [{ name: 'blue', of: 'parcels' }],
  },
  {
    ...{ call: 'things.list', ...says, params: { type: 'lamp' } },
    exchanges: [
      { request: `GET ${site}/marks/lamp`, answer: { body: { rows: [{ name: 'watt', custom: true }] } } },
      { request: `GET ${site}/things/lamp?marks=watt`, answer: { body: { rows: [{ id: 1, watt: 5 }] } } },
    ],
    data: [{ type: 'lamp', id: 1, marks: { watt: 5 } }],
  },
  {
    ...{ call: 'halls.list', ...says },
    exchanges: [
      {
        request: `GET ${site}/halls`,
        answer: {
          body: {
            rows: {
              north: { open: false, rank: 2, kept: null },
              south: { rank: 2, kept: null },
              east: { open: true, rank: 2, kept: 'waste' },
              low: { open: true, rank: 1, kept: null },
              high: { open: true, rank: 9, kept: null },
            },
          },
        },
      },
    ],
    data: [{ name: 'north', open: false, rank: 2, kept: null }],
  },
  {
    ...{ call: 'items.list', ...says },
    exchanges: [
      {
        request: `GET ${site}/items?size=2`,
        answer: {
          body: {
            rows: [
              { id: 1, items: [{ code: 'a' }, { code: 'b' }] },
              { id: 2, items: [] },
            ],
          },
        },
      },
      { request: `GET ${site}/items?number=1&size=2`, answer: { body: { rows: [{ id: 3, items: [{ code: 'a' }] }] } } },
    ],
    data: [
      { parcel: 1, code: 'a' },
      { parcel: 1, code: 'b' },
      { parcel: 3, code: 'a' },
    ],
  },
  {
    ...{ call: 'prices.list', ...says },
    exchanges: [{ request: `GET ${site}/prices.csv`, answer: { headers: { 'content-type': 'text/csv' }, text: 'id,price\n7,1.5\n8,\n' } }],
    data: [
      { id: '7', price: 1.5 },
      { id: '8', price: null },
    ],
  },
]

/** A search whose vendor ends it after two records. */
const found = [
  {
    ...{ call: 'found.list', ...says, params: { hall: "o'", since: '2026' } },
    exchanges: [undefined, 2].map((last) => ({
      request: {
        call: `POST ${site}/search?most=2`,
        form: {
          ...{ order: 'id', q: "FIND id IF hall = 'o\\'' OR since > 2026 NOW" },
          ...(last === undefined ? {} : { 'tests[0][above]': String(last) }),
        },
      },
      answer: { body: last === undefined ? { rows: [{ id: 1 }, { id: 2 }], next: '2' } : { rows: [{ id: 3 }], next: '' } },
    })),
    data: [{ id: 1 }, { id: 2 }, { id: 3 }],
  },
  {
    ...{ call: 'found.list', name: 'in an order of the caller', ...says, params: { order: 'name', limit: 1 } },
    exchanges: [
      {
        request: { call: `POST ${site}/search?most=1`, form: { order: 'name', q: 'FIND id NOW' } },
        answer: { body: { rows: [{ id: 2 }], next: '1' } },
      },
      {
        request: { call: `POST ${site}/search?most=1&from=1`, form: { order: 'name', q: 'FIND id NOW' } },
        answer: { body: { rows: [{ id: 1 }], next: '' } },
      },
    ],
    data: [{ id: 2 }, { id: 1 }],
  },
]

/** The kind with its recordings. */
export const depot: RecordedKind = {
  kind,
  recordings: {
    kind: 'depot',
    config: { cloud: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', hall: '7' },
    recordings: [...parcels, ...writes, ...errors, ...rows, ...found],
  },
}
