/** What the importer reads from OpenAPI documents of invented vendors: one test for each heuristic. */
import { describe, expect, test } from 'vitest'
import { DocumentError } from '../../packages/ferrule/src/import/imported.ts'
import { importOpenapi } from '../../packages/ferrule/src/import/openapi/index.ts'
import { answer, importPaths, type Json, list, makeDocument, object, readList, send } from './openapi-support.ts'

const thing = { id: 'string', name: 'string' }
const things = list(thing)

describe('rows', () => {
  test.each<[string, Json, string | undefined]>([
    ['the whole answer', things, undefined],
    ['named as the last word of the path', object({ things, owner: 'string' }), 'things'],
    ['of a usual name', object({ data: things, meta: object({ total: 'integer' }) }), 'data'],
    ['the only list beside words of paging', object({ found: things, total_count: 'integer', next_page: 'string' }), 'found'],
    ['one level deeper', object({ data: object({ things, total: 'integer' }) }), 'data.things'],
  ])('%s', (_, schema, at) => {
    expect(readList(importPaths({ '/things': { get: answer(schema) } }).file, 'things').at).toBe(at)
  })

  test('an object with an id is a record, although it has a list', () => {
    const { file } = importPaths({
      '/basket': { get: answer(object({ id: 'string', items: things })) },
      '/things': { get: answer(things) },
    })
    expect(file.entities['basket']).toMatchObject({ get: 'GET /basket', fields: { id: 'string Id' } })
    expect(file.entities['basket']?.list).toBeUndefined()
  })
})

test('a single object that is named as the noun, or data, is a wrapper', () => {
  const { file } = importPaths({
    '/things/{id}': { get: answer(object({ thing: object(thing) })) },
    '/parts/{id}': { get: answer(object({ data: object(thing), links: object({ self: 'string' }) })) },
    '/cars/{id}': { get: answer(object({ ...thing, owner: object(thing) })) },
  })
  expect(file.entities).toMatchObject({
    things: { get: { call: 'GET /things/{id}', at: 'thing' } },
    parts: { get: { call: 'GET /parts/{id}', at: 'data' } },
    cars: { get: 'GET /cars/{id}' },
  })
})

describe('keys', () => {
  test.each([
    ['id', { id: 'integer', sha: 'string' }, undefined],
    ['the slot of the call for one record', { number: 'integer', label: 'string' }, 'label'],
    ['the slot without the noun', { title: 'string', slug: 'string' }, 'slug'],
    ['a usual name', { gid: 'string', title: 'string' }, 'gid'],
    ['the noun with id', { thing_id: 'string', title: 'string' }, 'thing_id'],
    ['nothing', { amount: 'number' }, 'none'],
  ])('%s', (says, fields, key) => {
    const slot = says.startsWith('the slot of') ? 'label' : says.startsWith('the slot without') ? 'thing_slug' : 'x'
    const { file } = importPaths({
      '/things': { get: answer(list(fields)) },
      [`/things/{${slot}}`]: { get: answer(object(fields)) },
    })
    expect(file.entities['things']?.key).toBe(key)
  })
})

describe('pages', () => {
  const wayOf = (schema: Json, parameters: Readonly<Record<string, string | Json>>, rest: Json = {}) =>
    readList(importPaths({ '/things': { get: answer(schema, parameters, rest) } }).file, 'things')
  const data = { data: things }

  test.each<[string, Json, Readonly<Record<string, string | Json>>, Json]>([
    [
      'the last record',
      object({ ...data, has_more: 'boolean' }),
      { starting_after: 'string', limit: { type: 'integer', maximum: 100 } },
      { next: 'last:id', send: 'starting_after', more: 'has_more', size: 'limit=100' },
    ],
    [
      'a cursor',
      object({ ...data, meta: object({ next_cursor: 'string', prev_cursor: 'string' }) }),
      { cursor: 'string' },
      { next: 'meta.next_cursor', send: 'cursor' },
    ],
    [
      'a cursor in next',
      object({ ...data, paging: object({ next: object({ after: 'string', link: 'string' }) }) }),
      { after: 'string', limit: 'integer' },
      { next: 'paging.next.after', send: 'after', size: 'limit=50' },
    ],
    [
      'an address',
      object({ ...data, links: object({ next: { type: 'string', format: 'uri' } }) }),
      { 'page[cursor]': 'string' },
      { next: 'links.next' },
    ],
    ['a text page with next_page', object({ ...data, next_page: 'string' }), { page: 'string' }, { next: 'next_page', send: 'page' }],
    [
      'an offset',
      object({ ...data, total: 'integer' }),
      { offset: 'integer', limit: { type: 'integer', default: 20 } },
      { next: 'rows', send: 'offset', total: 'total', size: 'limit=20' },
    ],
    [
      'an offset with a flag for the last page',
      object({ ...data, isLast: 'boolean' }),
      { startAt: 'integer' },
      { next: 'rows', send: 'startAt', more: '!isLast' },
    ],
    [
      'a number',
      object(data),
      { page: 'integer', per_page: { type: 'integer', description: 'Results per page (max 100)' } },
      { next: 'pages', send: 'page', size: 'per_page=100' },
    ],
    [
      'a number from 0',
      object(data),
      { page: { type: 'integer', default: 0 }, size: 'integer' },
      { next: 'pages', send: 'page', first: '0', size: 'size=50' },
    ],
  ])('%s', (_, schema, parameters, way) => {
    const found = wayOf(schema, parameters)
    expect(found.way).toEqual(way)
    expect(found.params).toBeUndefined()
  })

  test('what a generator of clients was told counts most', () => {
    const speakeasy = {
      type: 'cursor',
      inputs: [{ name: 'from', in: 'parameters', type: 'cursor' }],
      outputs: { nextCursor: '$.more.token' },
    }
    expect(wayOf(object(data), { from: 'string' }, { 'x-speakeasy-pagination': speakeasy }).way).toEqual({
      next: 'more.token',
      send: 'from',
    })
    const fern = { cursor: '$request.from', next_cursor: '$response.more.token', results: '$response.data' }
    expect(wayOf(object(data), { from: 'string' }, { 'x-fern-pagination': fern }).way).toEqual({ next: 'more.token', send: 'from' })
  })

  test('a page is a link, if most lists with it declare the header', () => {
    const linked = (isSaid: boolean) => ({
      get: {
        ...answer(things, { page: 'integer' }),
        responses: { 200: { headers: isSaid ? { Link: {} } : {}, content: { 'application/json': { schema: things } } } },
      },
    })
    const { file, unsure } = importPaths({ '/things': linked(true), '/parts': linked(true), '/cars': linked(false) })
    expect(readList(file, 'cars').way).toEqual({ next: 'link' })
    expect(unsure).toMatchObject({ 'entities.cars.list.pages': 'guessed' })
  })

  test('a cursor whose answer is not described continues as most lists with it do', () => {
    const said = answer(object({ ...data, next_page: object({ token: 'string' }) }), { token: 'string' })
    const { file } = importPaths({
      '/things': { get: said },
      '/parts': { get: said },
      '/cars': { get: answer(object(data), { token: 'string' }) },
    })
    expect(readList(file, 'cars').way).toEqual({ next: 'next_page.token', send: 'token' })
  })

  test('a list without a word about paging has one page, and it is not said', () => {
    const { file, unsure } = importPaths({ '/things': { get: answer(things) } })
    expect(readList(file, 'things').way).toBe('none')
    expect(unsure['entities.things.list.pages']).toBe('not said')
  })
})

describe('the copy', () => {
  const changing = list({ ...thing, updated_at: { type: 'string', format: 'date-time' } })
  test('a list is asked for what changed, and lists below a record are fed by its id', () => {
    const { file, unsure } = importPaths({
      '/things': { get: answer(changing, { updated_since: { type: 'string', format: 'date-time' } }) },
      '/things/{thing}/parts': { get: answer(things) },
      '/things/{thing}/parts/{part}/nails': { get: answer(things) },
    })
    expect(file.entities['things']?.sync).toEqual({ since: { updated_at: 'updated_since' } })
    expect(file.entities['parts']?.sync).toEqual({ each: { things: { thing: 'id' } } })
    expect(file.entities['nails']?.sync).toBeUndefined()
    expect(unsure).toMatchObject({ 'entities.parts.sync': 'guessed', 'entities.nails.sync': 'not said' })
  })
})

describe('writes', () => {
  test('methods and bodies become actions; wrappers, forms and constants are known', () => {
    const record = object(thing)
    const { file } = importPaths({
      '/things': {
        get: answer(things),
        post: send(object({ thing: object({ name: 'string', kind: { type: 'string', enum: ['x'] } }) }), record),
      },
      '/things/{id}': { get: answer(record), put: send(object({ name: 'string' }), undefined), delete: answer(undefined) },
      '/parts/{id}': { get: answer(record), post: send(object({ name: 'string' }), record, 'application/x-www-form-urlencoded') },
    })
    expect(file.entities['things']).toMatchObject({
      create: { call: 'POST /things', wrap: 'thing', body: { name: 'string Name' } },
      update: { call: 'PUT /things/{id}', answers: 'nothing' },
      delete: 'DELETE /things/{id}',
    })
    expect(file.entities['parts']?.update).toMatchObject({ call: 'POST /parts/{id}', as: 'form' })
  })

  test('a header that a call must have is a parameter', () => {
    const named = ['X-Tenant', 'Authorization', 'X-Api-Key'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    }))
    const get = { ...answer(things), parameters: [...named, { name: 'X-Trace', in: 'header', schema: { type: 'string' } }] }
    expect(importPaths({ '/things': { get } }).file.entities['things']).toMatchObject({
      list: { params: { x_tenant: 'string! X tenant' }, headers: { 'x-tenant': '{x_tenant}' } },
    })
  })

  test('milliseconds are told from seconds', () => {
    const says = (description: string) => ({ type: 'integer', description })
    const fields = { id: 'string', made: says('Unix time in milliseconds'), seen: says('Unix time of the visit') }
    const { file } = importPaths({ '/things': { get: answer(list(fields)) } })
    expect(file.entities['things']?.fields).toMatchObject({
      made: 'unix-time-ms? Unix time in milliseconds',
      seen: 'unix-time? Unix time of the visit',
    })
  })

  test('an ending that names the form of answers belongs to no noun', () => {
    const { file, unsure } = importPaths({
      '/things.json': { get: answer(things), post: send(object(thing), object(thing)) },
      '/things/{id}.json': { get: answer(object(thing)) },
    })
    expect(file.entities).toMatchObject({
      things: { list: {}, get: 'GET /things/{id}.json', create: { call: 'POST /things.json' }, sync: 'full' },
    })
    expect(Object.keys(unsure).filter((path) => path.startsWith('entities.') && !path.startsWith('entities.things.'))).toEqual([])
  })

  test('what fits no action is left out, with the reason', () => {
    const { leftOut } = importPaths({
      '/things': { get: answer(things), delete: answer(undefined) },
      '/things/{id}': { get: answer(object(thing)) },
      '/things/{id}/merge': { post: send(object({ into: 'string' }), object(thing)) },
      '/things/batch': { post: send(object({ ids: { type: 'array', items: { type: 'string' } } }), undefined) },
      '/things/{id}/picture': {
        post: send({ type: 'string' }, undefined, 'image/png'),
        get: { responses: { 200: { content: { 'image/png': {} } } } },
      },
    })
    expect(leftOut.map(({ what }) => what).toSorted()).toEqual([
      'DELETE /things',
      'GET /things/{id}/picture',
      'POST /things/batch',
      'POST /things/{id}/merge',
      'POST /things/{id}/picture',
    ])
    expect(leftOut.every(({ why }) => /^[A-Z].*\.$/.test(why))).toBe(true)
  })
})

describe('the connection', () => {
  const paths = { '/things': { get: answer(things) } }
  test.each<[string, Json, Json]>([
    ['bearer', { type: 'http', scheme: 'bearer' }, { fields: { token: 'secret Token' }, send: { authorization: 'Bearer {token}' } }],
    ['basic', { type: 'http', scheme: 'basic' }, { send: { authorization: 'Basic {username}:{password}' } }],
    ['a header', { type: 'apiKey', in: 'header', name: 'X-Key' }, { send: { 'x-key': '{api_key}' } }],
    ['a query', { type: 'apiKey', in: 'query', name: 'key' }, { query: { key: '{api_key}' } }],
    [
      'OAuth',
      {
        type: 'oauth2',
        flows: { authorizationCode: { authorizationUrl: 'https://acme.example/authorize', tokenUrl: '/token', scopes: { read: '' } } },
      },
      { oauth: { page: 'https://acme.example/authorize', token: 'https://api.acme.example/token', scopes: ['read'] } },
    ],
  ])('%s', (_, scheme, expected) => {
    const { file } = importPaths(paths, { components: { securitySchemes: { main: scheme } } })
    expect(file.auth['main']).toMatchObject(expected)
  })

  test('schemes that one call needs are one way', () => {
    const [key, app] = ['X-Key', 'X-App'].map((name) => ({ type: 'apiKey', in: 'header', name }))
    const rest = { components: { securitySchemes: { key, app, other: { type: 'http', scheme: 'bearer' } } } }
    const { auth } = importPaths(paths, { ...rest, security: [{ key: [], app: [] }, { other: [] }] }).file
    expect(auth).toMatchObject({ key_app: { title: 'Key and App', send: { 'x-key': '{api_key}', 'x-app': '{app_key}' } }, other: {} })
    expect(Object.keys(auth)).toEqual(['key_app', 'other'])
  })

  test('a document without schemes has a guessed one', () => {
    expect(importPaths(paths).unsure).toMatchObject({ auth: 'guessed', limits: 'not said' })
  })

  test.each([
    [
      'https://{site}.acme.example/api',
      { api: 'https://{site}.acme.example', path: '/api', configuration: { site: 'label Site in the address' } },
    ],
    [
      'https://your-domain.acme.example',
      { api: 'https://{domain}.acme.example', configuration: { domain: 'label Domain in the address' } },
    ],
  ])('%s', (url, expected) => {
    expect(importPaths(paths, { servers: [{ url }] }).file).toMatchObject(expected)
  })

  test.each([
    ['https://eu.acme.example', '/api', { api: 'https://eu.acme.example', path: '/api' }],
    ['https://eu.acme.example/', 'https://api.acme.example/v2', { api: 'https://eu.acme.example', path: '/v2' }],
    ['https://eu.acme.example/v3', 'https://api.acme.example/v2', { api: 'https://eu.acme.example', path: '/v3' }],
  ])('the address %s for %s', (api, url, expected) => {
    expect(importOpenapi(makeDocument(paths, { servers: [{ url }] }), { kind: 'acme', api }).file).toMatchObject(expected)
  })

  test('a choice between addresses, and https for http, are guesses', () => {
    const servers = [{ url: 'https://{region}.acme.example', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } }]
    expect(importPaths(paths, { servers }).unsure).toMatchObject({ api: 'guessed' })
    expect(importPaths(paths, { servers: [{ url: 'http://acme.example' }] }).unsure).toMatchObject({ api: 'guessed' })
    expect(importPaths(paths).unsure).not.toHaveProperty('api')
  })

  test('the message of errors is where most refusals have it', () => {
    const refusal = {
      400: { content: { 'application/json': { schema: object({ error: object({ message: 'string', code: 'string' }) }) } } },
    }
    const get = answer(things)
    const { file } = importPaths({ '/things': { get: { ...get, responses: { ...Object(get['responses']), ...refusal } } } })
    expect(file.errors).toEqual({ message: 'error.message', code: 'error.code' })
  })
})

describe('documents', () => {
  const bomb = { a: { $ref: '#/components/schemas/a' } }
  test.each<[string, unknown, string]>([
    ['of another sort', { hello: 1 }, 'is no OpenAPI document'],
    ['without paths', makeDocument({}), 'has no paths'],
    ['without an address', { ...makeDocument({ '/things': { get: answer(things) } }), servers: [{ url: '/' }] }, 'give it with --api'],
    ['of nothing that fits', makeDocument({ '/run': { post: answer(undefined) } }), 'has no'],
  ])('%s are refused', (_, document, says) => {
    expect(() => importOpenapi(document, { kind: 'acme' })).toThrow(DocumentError)
    expect(() => importOpenapi(document, { kind: 'acme' })).toThrow(says)
  })

  test('references that lead to themselves or elsewhere end', () => {
    const loop = object({ id: 'string', above: { $ref: '#/components/schemas/loop' }, far: { $ref: 'https://acme.example/x.json#/y' } })
    const { file } = importPaths(
      { '/things': { get: answer({ type: 'array', items: { $ref: '#/components/schemas/loop' } }) } },
      { components: { schemas: { loop, ...bomb } } },
    )
    expect(Object.keys(file.entities['things']?.fields ?? {})).toEqual(['id', 'above', 'far'])
  })

  test('2.0 is read', () => {
    const { file } = importOpenapi(
      {
        swagger: '2.0',
        info: { title: 'Acme', version: '1' },
        host: 'api.acme.example',
        basePath: '/v2',
        schemes: ['https'],
        securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
        definitions: { thing: object(thing) },
        paths: {
          '/things': {
            get: {
              produces: ['application/json'],
              responses: { 200: { description: '', schema: { type: 'array', items: { $ref: '#/definitions/thing' } } } },
            },
          },
        },
      },
      { kind: 'acme' },
    )
    expect(file).toMatchObject({
      api: 'https://api.acme.example',
      path: '/v2',
      auth: { key: { send: { 'x-key': '{api_key}' } } },
      entities: { things: { list: { call: 'GET /things' } } },
    })
  })

  test('only takes entities and tags; a file has at most 100 entities', () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [`/things${index}`, { get: answer(things, {}, { tags: [index < 3 ? 'few' : 'many'] }) }]),
    )
    const document = makeDocument(many)
    expect(Object.keys(importOpenapi(document, { kind: 'acme', only: ['few', 'things7'] }).file.entities)).toEqual([
      'things0',
      'things1',
      'things2',
      'things7',
    ])
    const whole = importOpenapi(document, { kind: 'acme' })
    expect(Object.keys(whole.file.entities)).toHaveLength(100)
    expect(whole.leftOut).toHaveLength(20)
    expect(whole.leftOut[0]?.why).toContain('--only')
  })
})
