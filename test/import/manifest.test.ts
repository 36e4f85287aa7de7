/** The importer of manifests: what it makes of each component, what it leaves out, and what it says about both. */
import { describe, expect, test } from 'vitest'
import { DocumentError } from '../../packages/ferrule/src/import/imported.ts'
import { importText, type StreamParts, writeManifest } from './manifests.ts'

/** Imports a manifest that is whole, and returns its entity. */
async function importWhole(parts: StreamParts) {
  const imported = await importText(writeManifest(parts))
  expect([imported.reasons, imported.read.mistakes]).toEqual([[], []])
  expect(imported.isWhole).toBe(true)
  return { ...imported, notes: imported.file.entities['notes'] }
}

test('a stream becomes an entity with its fields, its list and its sync', async () => {
  const { file, notes, unsure } = await importWhole({})
  expect(file).toMatchObject({ api: 'https://api.papers.example', path: '/v1', check: 'notes.list', docs: 'https://papers.example/docs' })
  expect(file.auth).toEqual({
    token: { title: 'API token', fields: { token: 'secret Token of an account' }, send: { authorization: 'Bearer {token}' } },
  })
  expect(notes).toEqual({
    about: 'Notes',
    fields: { id: 'string Id of the note', title: 'string? Title', changed_at: 'date-time Changed at' },
    list: { call: 'GET /notes', at: 'data', pages: 'none' },
    sync: 'full',
  })
  expect(unsure).toEqual({ category: 'guessed' })
})

const paginator = (strategy: string, options: string): string =>
  `paginator:\n  type: DefaultPaginator\n  pagination_strategy: ${strategy}\n${options
    .split('\n')
    .map((line) => `  ${line.trim()}`)
    .join('\n')}`
const token = 'page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: after }'
const size = 'page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: limit }'

test.each([
  [
    'a cursor',
    `{ type: CursorPagination, cursor_value: "{{ response.get('meta', {}).get('next') }}", stop_condition: "{{ not response.get('meta', {}).get('next') }}" }`,
    token,
    { cursor: { next: 'meta.next', send: 'after' } },
  ],
  [
    'a cursor with a flag and a size',
    '{ type: CursorPagination, cursor_value: "{{ response.next }}", stop_condition: "{{ not response.has_more }}", page_size: 50 }',
    `${token}\n${size}`,
    { cursor: { next: 'next', more: 'has_more', send: 'after', size: 'limit=50' } },
  ],
  [
    'a flag of the last page',
    '{ type: CursorPagination, cursor_value: "{{ response.next }}", stop_condition: "{{ response.is_last }}" }',
    token,
    { cursor: { next: 'next', more: '!is_last', send: 'after' } },
  ],
  [
    'an address in the answer',
    "{ type: CursorPagination, cursor_value: \"{{ response['links']['next'] }}\" }",
    'page_token_option: { type: RequestPath }',
    { link: { next: 'links.next' } },
  ],
  [
    'a header Link',
    `{ type: CursorPagination, cursor_value: "{{ headers['link']['next']['url'] }}", stop_condition: "{{ 'next' not in headers['link'] }}" }`,
    'page_token_option: { type: RequestPath }',
    { link: { next: 'link' } },
  ],
  [
    'the last record',
    `{ type: CursorPagination, cursor_value: "{{ last_record['id'] }}", page_size: 10, stop_condition: "{{ not response.has_more }}" }`,
    `${token}\n${size}`,
    { last: { next: 'last:id', more: 'has_more', send: 'after', size: 'limit=10' } },
  ],
  [
    'page numbers',
    '{ type: PageIncrement, page_size: 20, start_from_page: 1 }',
    `${token}\n${size}`,
    { pages: { next: 'pages', send: 'after', size: 'limit=20' } },
  ],
  ['page numbers from 0', '{ type: PageIncrement }', token, { pages: { next: 'pages', first: '0', send: 'after' } }],
  ['offsets', '{ type: OffsetIncrement, page_size: 20 }', `${token}\n${size}`, { rows: { next: 'rows', send: 'after', size: 'limit=20' } }],
])('pages by %s', async (_, strategy, options, pages) => {
  const { file, notes } = await importWhole({ retriever: paginator(strategy, options) })
  expect(file.pages).toEqual(pages)
  expect(notes?.list).toMatchObject({ pages: Object.keys(pages)[0] })
})

test('a fixed parameter with the number of the page size is the size', async () => {
  const { file, notes } = await importWhole({
    requester: 'request_parameters: { per_page: 25, state: open }',
    retriever: paginator('{ type: PageIncrement, page_size: 25, start_from_page: 1 }', token),
  })
  expect(file.pages).toEqual({ pages: { next: 'pages', send: 'after', size: 'per_page=25' } })
  expect(notes?.list).toMatchObject({ always: { state: 'open' } })
})

const cursor = (more: string): string => `incremental_sync:
  type: DatetimeBasedCursor
  cursor_field: changed_at
  start_datetime: { type: MinMaxDatetime, datetime: "{{ config['start_date'] }}", datetime_format: "%Y-%m-%d" }
${more
  .trim()
  .split('\n')
  .map((line) => `  ${line.trim()}`)
  .join('\n')}`

describe('changes', () => {
  test('a parameter for the start becomes since, and windows are soft', async () => {
    const { notes, leftOut } = await importWhole({
      stream: cursor(`datetime_format: "%Y-%m-%dT%H:%M:%SZ"
        step: P30D
        cursor_granularity: PT1S
        lookback_window: P1D
        end_datetime: "{{ now_utc() }}"
        start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since }
        end_time_option: { type: RequestOption, inject_into: request_parameter, field_name: until }`),
    })
    expect(notes?.sync).toEqual({ since: { field: 'changed_at', send: 'since', until: 'until', overlap: '1d' } })
    expect(notes?.list).toMatchObject({ params: { since: 'date-time Changed since', until: 'date-time Changed before' } })
    expect(leftOut.map(({ what }) => what)).toEqual(['notes step', 'notes start_datetime'])
  })

  test('seconds, days and a text around the time', async () => {
    const { notes } = await importWhole({
      stream: cursor('datetime_format: "%s"'),
      requester: `request_parameters: { q: "updated>={{ stream_interval.start_time }}" }`,
    })
    expect(notes?.sync).toEqual({ since: { field: 'changed_at', send: 'q', as: 'seconds', text: 'updated>={time}' } })
    expect(notes?.fields).toMatchObject({ changed_at: 'date-time Changed at' })
  })

  test('an expression that writes the time in another form', async () => {
    const { notes } = await importWhole({
      stream: cursor('datetime_format: "%Y-%m-%dT%H:%M:%SZ"'),
      requester: `request_parameters: { from: "{{ format_datetime(stream_interval['start_time'], '%Y-%m-%d') }}" }`,
    })
    expect([notes?.sync, notes?.list]).toMatchObject([{ since: { changed_at: 'from' } }, { params: { from: 'date Changed since' } }])
  })

  test('a form of times that kinds do not write is soft: the list is read whole', async () => {
    const { notes, unsure, leftOut } = await importWhole({
      stream: cursor(`datetime_format: "%d.%m.%Y"
        start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since }`),
    })
    expect(notes?.sync).toBe('full')
    expect(unsure).toMatchObject({ 'entities.notes.sync.since': 'not said' })
    expect(leftOut).toContainEqual({ what: 'notes changed_at', why: 'times in a form that kinds do not write: the list is read whole' })
  })

  test('a feed, newest first', async () => {
    const { notes } = await importWhole({ stream: cursor('datetime_format: "%Y-%m-%dT%H:%M:%SZ"\nis_data_feed: true') })
    expect(notes?.sync).toEqual({ newest: 'changed_at' })
  })
})

const child = (more: string, path = '/notes/{{ stream_partition.note }}/comments'): string => `
- type: DeclarativeStream
  name: comments
  primary_key: [id]
  retriever:
    type: SimpleRetriever
    record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [] } }
    requester: { type: HttpRequester, url_base: "https://api.papers.example/v1", path: "${path}", authenticator: { type: BearerAuthenticator, api_token: "{{ config['token'] }}" } }
${more
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`
const parent = `partition_router:
  type: SubstreamPartitionRouter
  parent_stream_configs:
    - { type: ParentStreamConfig, parent_key: id, partition_field: note, stream: "#/streams/0" }`

describe('calls for each', () => {
  test('a stream of another one takes its path from the records there', async () => {
    const { file } = await importWhole({ streams: child(parent) })
    expect(file.entities['comments']).toMatchObject({
      list: { call: 'GET /notes/{note}/comments', pages: 'none' },
      sync: { each: { notes: { note: 'id' } } },
    })
  })

  test('values of a list, and a parent by a parameter', async () => {
    const { notes } = await importWhole({
      retriever: `partition_router: { type: ListPartitionRouter, cursor_field: state, values: [open, closed], request_option: { type: RequestOption, inject_into: request_parameter, field_name: state } }`,
    })
    expect([notes?.sync, notes?.list]).toMatchObject([{ values: { state: ['open', 'closed'] } }, { params: { state: 'string! State' } }])
  })

  test('a value that the parent was called with becomes a field of the parent', async () => {
    const grandchild = child(parent)
      .replaceAll('comments', 'marks')
      .replace('#/streams/0', '#/streams/1')
      .replaceAll('note }}', 'mark }}')
      .replace('partition_field: note', 'partition_field: mark')
      .replace(
        '/notes/{{ stream_partition.mark }}/marks',
        '/notes/{{ stream_slice.parent_slice.note }}/comments/{{ stream_partition.mark }}/marks',
      )
    const { file } = await importWhole({ streams: `${child(parent).trim()}\n${grandchild.trim()}` })
    expect(file.entities['comments']).toMatchObject({ fields: { note: 'string' }, from: { note: { param: 'note' } } })
    expect(file.entities['marks']?.sync).toEqual({ each: { comments: { note: 'note', mark: 'id' } } })
  })

  test('a parent that is left out takes those below it with it', async () => {
    const { leftOut, isWhole, streams } = await importText(
      writeManifest({
        retriever: 'partition_router: { type: CustomPartitionRouter, class_name: source_papers.components.Router }',
        streams: `${child(parent)}\n${child('').replaceAll('comments', 'tags').replace('/notes/{{ stream_partition.note }}', '')}`,
      }),
    )
    expect([isWhole, streams]).toEqual([false, { all: 3, said: 1 }])
    expect(leftOut).toContainEqual({ what: 'notes', why: 'custom code: partitions: CustomPartitionRouter' })
    expect(leftOut).toContainEqual({ what: 'comments', why: 'a parent that is left out: notes' })
  })
})

describe('records', () => {
  test.each([
    ['the root', '[]', { call: 'GET /notes', pages: 'none' }],
    ['two steps', '[result, items]', { call: 'GET /notes', at: 'result.items', pages: 'none' }],
    ['an object of rows', '[notes, "*"]', { call: 'GET /notes', at: 'notes', keyed: 'key', pages: 'none' }],
    ['rows in objects', '[edges, "*", node]', { call: 'GET /notes', at: 'edges', pages: 'none', merge: ['node'] }],
    ['rows in objects of rows', '[items, "*", page, data]', { call: 'GET /notes', at: 'items', pages: 'none', merge: ['page.data'] }],
    ['rows within rows', '[result, books, "*", notes, "*"]', { call: 'GET /notes', at: 'result.books[].notes', pages: 'none' }],
    ['rows three lists deep', '["*", parts, "*", page, notes, "*"]', { call: 'GET /notes', at: '[].parts[].page.notes', pages: 'none' }],
    ['objects within rows', '[books, "*", notes, "*", note]', { call: 'GET /notes', at: 'books[].notes', pages: 'none', merge: ['note'] }],
  ])('at %s', async (_, fieldPath, list) => {
    expect((await importWhole({ fieldPath })).notes?.list).toEqual(list)
  })

  test('rows within rows are a guess; a list of lists and the last of them as a position are not read', async () => {
    expect((await importWhole({ fieldPath: '[books, "*", notes, "*"]' })).unsure).toMatchObject({ 'entities.notes.list.at': 'guessed' })
    await expect(importText(writeManifest({ fieldPath: '[books, "*", "*"]' }))).rejects.toThrow('rows within rows at no plain path')
    const retriever = paginator('{ type: CursorPagination, cursor_value: "{{ last_record.id }}" }', token)
    const last = importText(writeManifest({ fieldPath: '[books, "*", notes, "*"]', retriever }))
    await expect(last).rejects.toThrow('the last of rows within rows as a position')
  })

  test('added fields with a plain value are read, others and removed ones are soft', async () => {
    const { notes, leftOut } = await importWhole({
      stream: `transformations:
  - type: AddFields
    fields:
      - { type: AddedFieldDefinition, path: [author], value: "{{ record['user']['name'] }}" }
      - { type: AddedFieldDefinition, path: [read_at], value: "{{ now_utc() }}" }
  - { type: RemoveFields, field_pointers: [[secret]] }`,
    })
    expect(notes).toMatchObject({ from: { author: 'user.name' }, fields: { author: 'string' } })
    expect(Object.keys(notes?.fields ?? {})).not.toContain('read_at')
    expect(leftOut.map(({ what }) => what)).toEqual(['notes read_at', 'notes RemoveFields'])
  })
})

const spec = (properties: string): string =>
  `connection_specification: { type: object, required: [token, site], properties: { ${properties} } }`

describe('addresses and values of the account', () => {
  test('a value in the host and one in all paths are configuration', async () => {
    const { file, notes } = await importWhole({
      base: `"https://{{ config['site'] }}.papers.example/v2/{{ config['team'] }}"`,
      spec: spec('token: { type: string, airbyte_secret: true }, site: { type: string, title: Site }, team: { type: string }'),
    })
    expect(file).toMatchObject({
      api: 'https://{site}.papers.example',
      path: '/v2/{team}',
      configuration: { site: 'label Site', team: 'path Team' },
    })
    expect(notes?.list).toMatchObject({ call: 'GET /notes' })
  })

  test('a choice between hosts by one value', async () => {
    const { file } = await importWhole({
      base: `"{{ 'https://test.papers.example' if config['test'] else 'https://api.papers.example' }}/v1"`,
      spec: spec('token: { type: string }, test: { type: boolean, title: Test }'),
    })
    expect(file.api).toEqual({ by: 'test', of: { true: 'https://test.papers.example', false: 'https://api.papers.example' } })
  })

  test('a host that each account names as a whole, and one with a default', async () => {
    const base = `"{{ config['site'] }}/v1"`
    const whole = await importWhole({ base })
    expect(whole.file).toMatchObject({ api: 'https://{site}', path: '/v1', configuration: { site: 'host Site' } })
    const shown = spec('token: { type: string }, site: { type: string, default: papers.example }')
    const usual = await importWhole({ base, spec: shown })
    expect([usual.file.api, usual.unsure]).toMatchObject(['https://papers.example', { api: 'guessed' }])
  })

  test('a value in one path of several is a parameter that the configuration fills', async () => {
    const { file } = await importWhole({ streams: child('', "/teams/{{ config['team'] }}/comments") })
    expect(file.configuration).toEqual({ team: 'string? Team' })
    expect(file.entities['comments']).toMatchObject({
      list: { call: 'GET /teams/{team}/comments', params: { team: { $type: 'string!', $about: 'Team', $from: 'team' } } },
      sync: 'full',
    })
  })

  test('parameters with values of the account: optional, with a default, a list, and a secret of the credentials', async () => {
    const { file, notes } = await importWhole({
      requester: `request_parameters: { lang: "{{ config['lang'] }}", sort: "{{ config.get('sort', 'id') }}", key: "{{ config['token'] }}", tags: "{{ ','.join(config['tags']) }}" }`,
      authenticator: 'type: NoAuth',
      spec: spec(
        'token: { type: string, airbyte_secret: true, title: Key }, lang: { type: string, title: Language }, tags: { type: array }',
      ),
    })
    expect(file.auth).toEqual({ none: { title: 'No credentials', fields: { token: 'secret Key' }, query: { key: '{token}' } } })
    expect(file.configuration).toEqual({ lang: 'string? Language', sort: { $type: 'string', $about: 'Sort', $default: 'id' } })
    expect(notes?.list).toMatchObject({ params: { lang: { $from: 'lang' }, sort: { $from: 'sort' }, tags: 'string[] Tags' } })
  })

  test('headers: fixed ones for all calls, those with values for the credentials', async () => {
    const { file } = await importWhole({ requester: `request_headers: { X-Version: "2", X-Team: "{{ config['team'] }}" }` })
    expect([file.headers, file.auth['token']?.send]).toEqual([
      { 'x-version': '2' },
      { authorization: 'Bearer {token}', 'x-team': '{team}' },
    ])
  })

  test('headers of single streams: with other values, and with a value of the call', async () => {
    const { file, notes } = await importWhole({
      requester: `request_headers: { Accept: application/a+json, X-State: "{{ stream_partition.state }}" }`,
      retriever: 'partition_router: { type: ListPartitionRouter, cursor_field: state, values: [open, closed] }',
      streams: child('')
        .replace('authenticator:', 'request_headers: { Accept: application/b+json }, authenticator:')
        .replace('/notes/{{ stream_partition.note }}', ''),
    })
    expect([file.headers, file.entities['comments']?.list]).toMatchObject([undefined, { headers: { accept: 'application/b+json' } }])
    expect(notes).toMatchObject({
      list: { headers: { accept: 'application/a+json', 'x-state': '{state}' }, params: { state: 'string! State' } },
      sync: { values: { state: ['open', 'closed'] } },
    })
  })

  test('a POST: fixed values of the address have defaults, the body has its own parameters', async () => {
    const { notes } = await importWhole({
      requester: `request_parameters: { v: "3" }
request_body_json: { filter: { state: open, since: "{{ stream_interval['start_time'] }}" } }`,
      stream: cursor('datetime_format: "%ms"'),
      method: 'POST',
    })
    expect(notes?.list).toMatchObject({
      call: 'POST /notes',
      params: { v: 'string V' },
      defaults: { v: '3' },
      always: { 'filter.state': 'open' },
      body: { filter_since: { $type: 'unix-time-ms', $to: 'filter.since' } },
    })
    expect(notes?.sync).toEqual({ since: { changed_at: 'filter_since' } })
  })

  test('lists in a body are sent as they are', async () => {
    const { notes } = await importWhole({
      requester: `request_body_json: { fields: [id, title], query: { any: [{ field: { name: state }, not: false, of: [1, ''] }] } }`,
      method: 'POST',
    })
    expect(notes?.list).toMatchObject({
      call: 'POST /notes',
      always: { fields: ['id', 'title'], 'query.any': [{ field: { name: 'state' }, not: false, of: [1, ''] }] },
    })
  })

  test.each([
    ['a slot', `[id, "{{ config['token'] }}"]`],
    ['a value that is none', '[id, null]'],
    ['a name with a slot', `[{ "{{ config['token'] }}": 1 }]`],
  ])('a list with %s stops the stream', async (_what, list) => {
    const manifest = writeManifest({ requester: `request_body_json: { fields: ${list} }`, method: 'POST' })
    await expect(importText(manifest)).rejects.toThrow('a list or an object in the body')
  })

  test.each([
    ['json', `request_body_json: { filter: { state: open } }`, { 'filter.state': 'open' }],
    ['form', `request_body_data: { state: open }`, { state: 'open' }],
  ])('a GET with a body as %s: it is as the body of a POST', async (as, body, always) => {
    const { notes } = await importWhole({ requester: `request_parameters: { v: "3" }\n${body}` })
    expect(notes?.list).toMatchObject({ call: 'GET /notes', as, params: { v: 'string V' }, defaults: { v: '3' }, always })
  })
})

describe('ways to authenticate', () => {
  test.each([
    [
      'a key in a header',
      `type: ApiKeyAuthenticator\nheader: X-Key\napi_token: "Token {{ config['token'] }}"`,
      { key: { send: { 'x-key': 'Token {token}' } } },
    ],
    [
      'a key in the address',
      `type: ApiKeyAuthenticator\napi_token: "{{ config['token'] }}"\ninject_into: { type: RequestOption, inject_into: request_parameter, field_name: key }`,
      { key: { query: { key: '{token}' } } },
    ],
    [
      'HTTP Basic',
      `type: BasicHttpAuthenticator\nusername: "{{ config['email'] + '/token' }}"\npassword: "{{ config['token'] }}"`,
      { basic: { send: { authorization: 'Basic {email}/token:{token}' } } },
    ],
    [
      'an OAuth client',
      `type: OAuthAuthenticator\ngrant_type: client_credentials\ntoken_refresh_endpoint: https://api.papers.example/token\nclient_id: "{{ config['id'] }}"\nclient_secret: "{{ config['secret'] }}"\nscopes: [read]`,
      { client: { oauth: { token: 'https://api.papers.example/token', scopes: ['read'] } } },
    ],
    [
      'one of several',
      `type: SelectiveAuthenticator\nauthenticator_selection_path: [way]\nauthenticators:\n  a: { type: BearerAuthenticator, api_token: "{{ config['token'] }}" }\n  b: { type: BasicHttpAuthenticator, username: "{{ config['user'] }}", password: "{{ config['password'] }}" }`,
      { token: { send: { authorization: 'Bearer {token}' } }, basic: { send: { authorization: 'Basic {user}:{password}' } } },
    ],
  ])('%s', async (_, authenticator, auth) => {
    expect((await importWhole({ authenticator })).file.auth).toMatchObject(auth)
  })

  test('tokens that are renewed: the page of consent is guessed where nobody says it', async () => {
    const { file, unsure } = await importWhole({
      authenticator: `type: OAuthAuthenticator\ntoken_refresh_endpoint: https://api.papers.example/oauth/token\nclient_id: "{{ config['id'] }}"\nclient_secret: "{{ config['secret'] }}"\nrefresh_token: "{{ config['refresh'] }}"`,
    })
    expect(file.auth).toMatchObject({
      oauth: { oauth: { page: 'https://api.papers.example/oauth/authorize', token: 'https://api.papers.example/oauth/token' } },
    })
    expect(unsure).toMatchObject({ 'auth.oauth.oauth.page': 'guessed' })
  })
})

describe('references and parameters', () => {
  test('$ref takes a definition in, with keys of its own, and $parameters fill properties and expressions', async () => {
    const text = `version: 6.1.0
type: DeclarativeSource
check: { stream_names: [letters] }
definitions:
  requester: { type: HttpRequester, url_base: "https://api.papers.example/v1", path: "/{{ parameters['path'] }}", http_method: GET, authenticator: { type: NoAuth } }
  stream:
    type: DeclarativeStream
    primary_key: id
    retriever:
      requester: { $ref: "#/definitions/requester" }
      record_selector: { extractor: { field_path: ["{{ parameters.at }}"] } }
streams:
  - { $ref: "#/definitions/stream", $parameters: { name: letters, path: letters, at: rows } }
`
    const { file, isWhole, read } = await importText(text)
    expect([isWhole, read.mistakes]).toEqual([true, []])
    expect(file.entities['letters']?.list).toEqual({ call: 'GET /letters', at: 'rows', pages: 'none' })
  })

  test.each([
    ['to itself', 'a: { $ref: "#/definitions/a" }', '#/definitions/a refers to itself'],
    ['to nothing', 'b: {}', '#/definitions/a refers to nothing'],
  ])('a reference %s is named', async (_, definitions, says) => {
    const text = `type: DeclarativeSource\ncheck: {}\ndefinitions: { ${definitions} }\nstreams: [{ type: DeclarativeStream, name: notes, retriever: { $ref: "#/definitions/a" } }]`
    await expect(importText(text)).rejects.toThrow(says)
  })

  test('streams that refer to each other end', async () => {
    const { leftOut } = await importText(writeManifest({ streams: child(parent.replace('#/streams/0', '#/streams/1')) }))
    expect(leftOut.map(({ what, why }) => `${what}: ${why}`).join()).toContain('a parent that is left out')
  })
})

test.each([
  ['of something else', 'openapi: 3.1.0', 'is no manifest'],
  ['a list', '[]', 'is no manifest'],
  ['without a stream', 'type: DeclarativeSource\ncheck: {}', 'has no stream that a kind can say'],
])('a document %s is refused', async (_, text, says) => {
  const refused = importText(text)
  await expect(refused).rejects.toThrow(DocumentError)
  await expect(refused).rejects.toThrow(says)
})

test('what is code or logic is named, and the streams beside it are read', async () => {
  const { leftOut, file, isWhole } = await importText(
    writeManifest({
      streams: `${child('', "/{{ config['a'].split('-')[0] }}/x").trim()}\n${child('decoder: { type: XmlDecoder }').replaceAll('comments', 'pages').trim()}`,
    }),
  )
  expect([isWhole, Object.keys(file.entities)]).toEqual([false, ['notes']])
  expect(leftOut).toEqual([
    { what: 'comments', why: "logic in the address: config['a'].split('-')[0]" },
    { what: 'pages', why: 'answers that are no JSON: XmlDecoder' },
  ])
})
