/** Wrong definitions: each is a compile error with a sentence. Compiled by the type check, never run. */
import { connector, each, entity, int, list, obj, oneOf, orNull, str } from '../../packages/ferrule/src/definition/index.ts'

const id = str('Id')
const about = 'Notes'
const record = { id, title: str('Title') }
const key = ['id'] as const
const get = { call: 'GET /notes/{id}', at: 'note', params: { id } } as const

// @ts-expect-error no sentence
str()
// @ts-expect-error a rule that texts do not have
str('Title', { minimum: 1 })
// @ts-expect-error a format that there is not
str('Title', { format: 'email' })
// @ts-expect-error an integer has no pattern
int('Count', { pattern: '^1$' })
// @ts-expect-error the sentence of the list is missing
list(str('Tag'))
// @ts-expect-error a list is made of a schema
list('Tag', 'Tags')
// @ts-expect-error an object is made of schemas
obj({ title: 'Title' }, 'A note')
// @ts-expect-error the sentence of the object is missing
obj({ title: str('Title') })
// @ts-expect-error values are texts
oneOf('Size', 1, 2)
// @ts-expect-error a field is a schema
orNull('Title')
// @ts-expect-error names are texts
each(str('Title'), 1)

// @ts-expect-error an entity says what it is
entity({ key, record, get })
// @ts-expect-error an entity has a key
entity({ about, record, get })
// @ts-expect-error a key that the record lacks
entity({ about, key: ['uid'], record, get })
// @ts-expect-error one key of two that the record lacks
entity({ about, key: ['id', 'uid'], record, get })
// @ts-expect-error a nested key whose field the record lacks
entity({ about, key: ['owner.id'], record, get })
// @ts-expect-error a record is made of schemas
entity({ about, key, record: { id: 'Id' }, get })
// @ts-expect-error not a part of an entity
entity({ about, key, record, lst: get })
// @ts-expect-error not a part of an entity
entity({ about, key, record, get, search: { id } })
// @ts-expect-error a conversion that there is not
entity({ about, key, record, from: { id: { as: 'upper' } }, get })

// @ts-expect-error a path slot without its parameter
entity({ about, key, record, get: { call: 'GET /notes/{id}', at: 'note', params: { note: id } } })
// @ts-expect-error the second of two slots without its parameter
entity({ about, key, record, get: { call: 'GET /folders/{folder}/notes/{id}', at: 'note', params: { folder: id } } })
// @ts-expect-error a method that there is not
entity({ about, key, record, get: { call: 'FETCH /notes/{id}', at: 'note', params: { id } } })
// @ts-expect-error a path begins with a slash
entity({ about, key, record, get: { call: 'GET notes/{id}', at: 'note', params: { id } } })
// @ts-expect-error an address instead of a path
entity({ about, key, record, get: { call: 'https://notes.example/notes/{id}', at: 'note', params: { id } } })
// @ts-expect-error where the record lies in the answer is missing
entity({ about, key, record, get: { call: 'GET /notes/{id}', params: { id } } })
// @ts-expect-error the parameters are missing, even for a call without parameters
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes' } })
// @ts-expect-error not a part of an operation
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', pge: 'cursor', params: {} } })
// @ts-expect-error a rule is named `rule:…`
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', rows: 'coaching', params: {} } })
// @ts-expect-error a rule is named, never written where it is used
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', rows: (rows: unknown) => rows, params: {} } })
// @ts-expect-error a local filter that there is not
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', params: { id }, local: { id: { field: 'id', keep: 'like' } } } })
// @ts-expect-error a conversion that there is not
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', params: { id }, send: { id: { to: 'note', as: 'upper' } } } })
// @ts-expect-error a constant is a string, a number, a boolean or a list
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', params: {}, constant: { size: { most: 100 } } } })
// @ts-expect-error a join names the field of the row
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', params: {}, join: { lookup: 'owner' } } })
// @ts-expect-error a file has a name
entity({ about, key: ['param.id'], download: { ...get, file: { at: 'url', range: 'range_header', renew: [403] } } })
// @ts-expect-error a parameter that may be left out is said by opt, not by a word of the operation
entity({ about, key, record, list: { call: 'GET /notes', at: 'notes', params: { id }, optional: ['id'] } })

const token = { title: 'Token', fields: { token: str('Token') }, send: { headers: { authorization: 'Bearer {token}' } } } as const
const base = {
  kind: 'notes',
  title: 'Notes',
  category: 'notes',
  about,
  id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  documentation: 'https://notes.example/docs',
  origins: { api: 'https://api.notes.example' },
  credentials: { token },
  configuration: {},
  pages: {},
  problem: { message: ['message'] },
  errors: [],
  limits: { key: ['token'], rates: [{ calls: 1, seconds: 1 }] },
  check: { entity: 'notes', action: 'get', params: { id: '1' } },
  entities: { notes: entity({ about, key, record, get }) },
} as const
connector({ ...base, errors: [{ status: 404, is: 'empty' }] })
const { limits: _limits, ...unlimited } = base

// @ts-expect-error a kind without the limits of its vendor
connector(unlimited)
// @ts-expect-error not a part of a kind
connector({ ...base, hiden: { unless: { field: 'a', is: 'b' } } })
// @ts-expect-error an error that is not in the table
connector({ ...base, errors: [{ status: 404, is: 'nothing_there' }] })
// @ts-expect-error not a part of an error row: it would fit every action
connector({ ...base, errors: [{ status: 404, actons: ['list'], is: 'empty' }] })
// @ts-expect-error a way to send credentials that there is not
connector({ ...base, credentials: { token: { ...token, send: { as: 'query', token: 'token' } } } })
// @ts-expect-error a bearer token names its field
connector({ ...base, credentials: { token: { ...token, send: { headers: 1 } } } })
// @ts-expect-error a page shape that there is not
connector({ ...base, pages: { cursors: { shape: 'cursors', read: {}, next: { meta: 'cursor', param: 'cursor' } } } })
// @ts-expect-error a page says where the next one comes from
connector({ ...base, pages: { cursor: { shape: 'cursor', read: { cursor: 'next' } } } })
// @ts-expect-error a rate has a duration
connector({ ...base, limits: { key: ['token'], rates: [{ calls: 1 }] } })
// @ts-expect-error a rule is a function
connector(base, { coaching: 'sum' })
// @ts-expect-error an entity is an object
connector({ ...base, entities: { notes: 'Notes' } })
