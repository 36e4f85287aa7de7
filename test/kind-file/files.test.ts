/** Two kinds as files: what they become. */
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkConsentReturn } from '../../packages/ferrule/src/engine/consent/consent-page.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { defineKind, loadKind, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { acme } from './acme.ts'

const folder = join(import.meta.dirname, 'files')
const path = (name: string): string => join(folder, `${name}.kind.yaml`)

describe.each(['github', 'stripe'])('%s', (name) => {
  test('is right, and leaves no doubt', async () => {
    const { definition, mistakes, doubts } = await readKind(await readFile(path(name), 'utf8'), { name })
    expect({ mistakes, doubts }).toEqual({ mistakes: [], doubts: [] })
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition)
  })

  test('is the same from a path, an address and JSON', async () => {
    const { definition } = await loadKind(path(name))
    expect((await loadKind(pathToFileURL(path(name)))).definition).toEqual(definition)
    const { parse } = await import('yaml')
    const json = JSON.stringify(parse(await readFile(path(name), 'utf8'), { merge: true }))
    expect((await parseKind(json)).definition).toEqual(definition)
  })
})

describe('a field becomes', () => {
  test('a nullable field, a list, open values, an object and a list of objects of a record', async () => {
    const { entities } = (await loadKind(path('github'))).definition
    const { record } = entities['issues'] ?? { record: {} }
    expect(record).toMatchObject({
      id: { type: 'integer', format: 'int64', description: 'Id' },
      body: { type: ['string', 'null'] },
      state: { type: 'string', 'x-known-values': ['open', 'closed'] },
      user: { type: 'object', properties: { login: { type: 'string' } }, required: ['login', 'id'] },
      labels: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    })
  })

  test('optional parameters, required ones, closed values, and slots with the type of the field', async () => {
    const { entities } = (await loadKind(path('github'))).definition
    expect(entities['issues']?.list.params).toMatchObject({
      owner: { type: 'string', minLength: 1 },
      state: { enum: ['open', 'closed', 'all'], 'x-optional': true },
      since: { format: 'date-time', 'x-date': true },
      cursor: { type: 'string', 'x-optional': true },
      limit: { type: 'integer', maximum: 100, 'x-optional': true },
    })
    expect(entities['issues']?.list.params['owner']).not.toHaveProperty('x-optional')
    expect(entities['issues']?.get.params['number']).toMatchObject({ type: 'integer', format: 'int64' })
    expect(entities['issues']?.create.params['title']).not.toHaveProperty('x-optional')
  })

  test('a searchable field of an entity with a sync, unless search says otherwise', async () => {
    const { entities } = (await loadKind(path('github'))).definition
    expect(Object.keys(entities['issues']?.context_store_search ?? {})).toEqual(Object.keys(entities['issues']?.record ?? {}))
    expect(Object.keys(entities['workflow_runs']?.context_store_search ?? {})).toEqual(['id', 'name', 'status'])
    expect(entities['commits']?.context_store_search).toBeUndefined()
  })
})

describe('names and sizes', () => {
  const read = async (from: string, to: string) => {
    expect(acme).toContain(from)
    return readKind(
      acme.replace(from, () => to),
      { name: 'acme' },
    )
  }

  test('a searchable field with a dot in its name has another name there', async () => {
    const { definition } = await read('      name: string Name\n', "      name: string Name\n      '@odata.etag': string? Version\n")
    expect(definition?.entities['things']).toMatchObject({
      record: { '@odata.etag': {} },
      context_store_search: { '@odata_etag': {} },
      sync: { project: { '@odata_etag': '@odata\\.etag' } },
    })
  })

  test('searchable fields beyond 60 are stored as JSON', async () => {
    const more = Array.from({ length: 70 }, (_, index) => `      field_${index}: string Field`).join('\n')
    const { definition } = await read('      name: string Name\n', `      name: string Name\n${more}\n`)
    const search = definition?.entities['things']?.context_store_search ?? {}
    expect(Object.keys(search)).toHaveLength(74)
    expect([search['field_55']?.type, search['field_69']?.type]).toEqual(['string', undefined])
  })

  test('names that objects have by themselves are names like others', async () => {
    const { definition, mistakes } = await read('get: GET /things/{id}', "get: 'GET /things/{toString}'")
    expect(mistakes).toEqual([])
    expect(definition?.entities['things']?.get?.params).toEqual({ toString: { type: 'string', description: 'To string', minLength: 1 } })
  })
})

describe('the parts of a kind', () => {
  test('{fields} is what the vendor calls the fields of the record', async () => {
    const list = `list:
      call: GET /things
      params: { since: date-time Changed since, state: open|closed State, deleted: boolean Deleted ones too, fields: string Names }
      always: { select: '{fields}' }
      defaults: { fields: '{fields}', deleted: false }
      text: { q: { start: 'SELECT {fields} FROM Thing', lead: ' WHERE ', parts: ['deleted = {deleted|bare}'], quote: "'" } }
    from: { name: properties.name }`
    const text = acme.replace(/list:\n {6}call: GET \/things\n.*\n/, () => `${list}\n`)
    const { definition, mistakes } = await readKind(text, { name: 'acme' })
    expect(mistakes).toEqual([])
    const { constant, defaults, text: texts } = definition?.entities['things']?.list ?? {}
    expect({ constant, defaults, start: texts?.['q']?.start }).toEqual({
      constant: { select: 'id,updated_at,properties.name,owner' },
      defaults: { fields: 'id,updated_at,properties.name,owner', deleted: false },
      start: 'SELECT id,updated_at,properties.name,owner FROM Thing',
    })
  })

  test('the return of a consent is checked by what the file says of it, and a page can refuse a grant', async () => {
    const way = `oauth:
    title: OAuth app
    oauth:
      page: 'https://{site}.acme.example/oauth/authorize'
      token: 'https://{site}.acme.example/oauth/token'
      signature: hmac
      returns: { shop: '{site}.acme.example' }
      refusal: 'Oauth error '
  `
    const kind = await parseKind(
      acme.replace('key:\n    title', () => `${way}key:\n    title`),
      { name: 'acme' },
    )
    const { consent, exchange } = kind.definition.credentials['oauth'] ?? {}
    expect(consent).toMatchObject({ signature: { param: 'hmac', key: 'client_secret' }, returns: { shop: '{site}.acme.example' } })
    expect(exchange?.refusal).toBe('Oauth error ')
    const sign = (text: string) => new URLSearchParams(`${text}&hmac=${createHmac('sha256', 'hidden').update(text).digest('hex')}`)
    const check = (query?: URLSearchParams) =>
      checkConsentReturn(
        { kind, configuration: { site: 'one' } },
        { oauthClient: new Secret({ client_id: 'app', client_secret: 'hidden' }), query },
      )
    const right = 'code=c1&shop=one.acme.example&state=s1'
    expect(() => check(sign(right))).not.toThrow()
    for (const wrong of [undefined, new URLSearchParams(right), new URLSearchParams(`${sign(right)}&more=1`)])
      expect(() => check(wrong)).toThrow('it is not signed by Acme')
    expect(() => check(sign(right.replace('one', 'two')))).toThrow('another shop than one.acme.example')
  })

  test('the id follows from the slug', async () => {
    expect((await loadKind(path('stripe'))).definition.id).toBe('59cc5572-fef0-5df9-8b85-6bb57f480052')
  })

  test('a list of changes is filled in for each entity that names it', async () => {
    const { entities } = (await loadKind(path('stripe'))).definition
    expect(entities['customers']?.sync?.changes).toEqual({
      entity: 'events',
      since: { param: 'created[gte]', field: 'created', as: 'seconds' },
      where: { field: 'type', is: ['customer.created', 'customer.updated', 'customer.deleted'] },
      gone: ['customer.deleted'],
      record: 'data.object',
      keepsDays: 30,
    })
  })

  test('writes carry forms, and a delete answers nothing', async () => {
    const { entities } = (await loadKind(path('stripe'))).definition
    expect(entities['customers']?.create).toMatchObject({ call: 'POST /customers', body: 'form', at: '' })
    expect(entities['customers']?.delete).toMatchObject({ call: 'DELETE /customers/{id}', answers: 'nothing' })
  })
})

describe('a kind in a program', () => {
  test('is what its file is', async () => {
    const { parse } = await import('yaml')
    const file = parse(await readFile(path('stripe'), 'utf8'), { merge: true })
    expect(defineKind(file).definition).toEqual((await loadKind(path('stripe'))).definition)
  })

  test('says all that is wrong with it', async () => {
    const { parse } = await import('yaml')
    const { title: _title, ...file } = parse(await readFile(path('stripe'), 'utf8'), { merge: true })
    expect(() => defineKind({ ...file, check: 'acount.get' })).toThrow(
      /lacks title[\s\S]*check: acount is not an entity; did you mean account\?/,
    )
  })
})
