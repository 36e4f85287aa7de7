/** What Salesforce has beside lists, copies and writes: its tokens, on the customer's own domain, and the fields that an organization made. */
import { describe, expect, test } from 'vitest'
import { readApart } from '../../packages/ferrule/src/engine/call/apart.ts'
import type { Apart } from '../../packages/ferrule/src/engine/call/apart-answer.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { RawRows } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import { fixed } from '../engine/support.ts'
import { loadSubject, open } from './connectors.ts'
import { equal, openCopy } from './copies.ts'
import { Salesforce, salesforceRefusals } from './stand-ins/salesforce.ts'
import { customTypes } from './stand-ins/salesforce-soql.ts'
import { salesforce } from './subject-salesforce.ts'

const isToken = ({ path }: { readonly path: string }) => path === '/services/oauth2/token'

describe('salesforce gets a token', () => {
  test.each([
    ['by the OAuth client itself', { client_id: 'client', client_secret: 'secret' }, 'client_credentials'],
    ['instead of none', { client_id: 'client', client_secret: 'secret', refresh_token: 'refresh' }, 'refresh_token'],
    [
      'instead of one that has ended',
      { client_id: 'client', client_secret: 'secret', refresh_token: 'refresh', access_token: '00D!old' },
      'refresh_token',
    ],
  ])('%s', async (_name, credentials, grant) => {
    await using vendor = await new Salesforce().listen()
    const kind = await loadSubject(salesforce)
    await using connector = kind.connectLocally({
      ...{ credentials, config: { domain: 'stand-in' }, limits: false },
      origin: { api: vendor.origin, oauth: vendor.origin },
    })
    const { data } = await connector.execute('organizations', 'list', {})
    expect(data).toMatchObject([{ Name: 'Name 0' }])
    expect(vendor.calls.filter(isToken).map(({ body }) => new URLSearchParams(body).get('grant_type'))).toEqual([grant])
  })

  test('on the domain of the customer', async () => {
    const { definition } = await loadSubject(salesforce)
    expect(definition.origins).toEqual({ api: 'https://{domain}.my.salesforce.com', oauth: 'https://{domain}.my.salesforce.com' })
    expect(definition.credentials['client']).not.toHaveProperty('consent')
    const isDomain = (text: string) => new RegExp(String(definition.configuration['domain']?.pattern)).test(text)
    expect(['acme', 'acme--dev.sandbox', 'acme-dev-ed.develop'].filter((text) => !isDomain(text))).toEqual([])
    const wrong = ['', '.', 'a.', '.a', 'a..b', 'a/b', 'a@b', 'a:1', 'a#b', 'a?b', 'a\nb', 'a\\b', 'a.b.c.d.e', '-a', 'a-.b', '{a}']
    expect(wrong.filter(isDomain)).toEqual([])
  })
})

describe('salesforce has the fields that the organization made', () => {
  const names = Object.keys(customTypes)
  const start = async () => {
    const vendor = new Salesforce({ records: 6, batch: 4 })
    const connector = await open(salesforce, vendor, await loadSubject(salesforce))
    const countDescribed = () => vendor.calls.filter(({ path }) => path.endsWith('/describe')).length
    return {
      vendor,
      connector,
      countDescribed,
      [Symbol.asyncDispose]: async () => connector[Symbol.asyncDispose]().then(() => vendor[Symbol.asyncDispose]()),
    }
  }

  test('in one object of each record, with the types of the vendor, and asks for their names once', async () => {
    await using world = await start()
    const { vendor, connector, countDescribed } = world
    const { data, meta } = await connector.execute('accounts', 'list', {})
    const [first] = vendor.holds('Account')
    expect(data).toMatchObject([{ Name: 'Name 0', attributes: { type: 'Account' } }, {}, {}, {}])
    expect(data).toHaveProperty('0.custom', {
      ...{ Color__c: 'blue', Score__c: 0.5, Stars__c: 0, Hot__c: true, Met__c: '2026-05-01' },
      ...{ Seen__c: first?.['Seen__c'], acme__Partner__c: null },
    })
    expect(data).not.toHaveProperty('0.Color__c')
    await connector.execute('accounts', 'list', { cursor: meta['next_params']?.cursor })
    const { data: one } = await connector.execute('accounts', 'get', { Id: first?.['Id'], fields: 'Name,Stars__c' })
    expect(one).toMatchObject({ Name: 'Name 0', custom: { Stars__c: 0 } })
    expect(countDescribed()).toBe(1)
    expect(vendor.calls.find(({ path }) => path.endsWith('/queryAll'))?.query.get('q')).toContain(`,${names.join(',')} FROM Account`)
    const { data: fields } = await connector.execute('fields', 'list', { object: 'Account' })
    expect(fields).toContainEqual({ name: 'Score__c', label: 'Score__c', type: 'double', custom: true })
  })

  test('without one that was deleted since: the description is read again', async () => {
    await using world = await start()
    const { vendor, connector, countDescribed } = world
    await connector.execute('accounts', 'list', {})
    vendor.hidden.add('Score__c').add('Hot__c')
    const { data, meta } = await connector.execute('accounts', 'list', {})
    expect(data).toHaveLength(4)
    expect(Object.keys(Object(data[0]).custom)).toEqual(names.filter((name) => !vendor.hidden.has(name)))
    expect(meta['warnings']).toBeUndefined()
    await connector.execute('accounts', 'list', {})
    expect(countDescribed()).toBe(2)
  })

  test('without those that the user may not read, and says so', async () => {
    await using world = await start()
    const { vendor, connector, countDescribed } = world
    vendor.unreadable.add('Score__c').add('acme__Partner__c')
    for (let count = 0; count < 2; count += 1) {
      const { data, meta } = await connector.execute('accounts', 'list', {})
      expect(Object.keys(Object(data[0]).custom)).toEqual(names.filter((name) => !vendor.unreadable.has(name)))
      expect(meta['warnings']).toEqual(['2 of the 7 fields that the account has for accounts are not asked for.'])
    }
    expect(countDescribed()).toBe(2)
  })

  test('and lists without them when the description is refused', async () => {
    await using world = await start()
    const { vendor, connector } = world
    vendor.next.push(salesforceRefusals.access)
    const { data, meta } = await connector.execute('accounts', 'list', {})
    expect(data).toMatchObject([{ custom: {} }, {}, {}, {}])
    expect(meta['warnings']).toEqual([expect.stringMatching(/^The fields that the account has for accounts are missing: /)])
  })

  test('and refuses a field that the caller made up, without another try', async () => {
    await using world = await start()
    const { vendor, connector } = world
    const [first] = vendor.holds('Account')
    const call = connector.execute('accounts', 'get', { Id: first?.['Id'], fields: 'Nothing__c' })
    await expect(call).rejects.toMatchObject({ code: 'upstream_invalid_request', upstream: { code: 'INVALID_FIELD' } })
    expect(vendor.calls.map(({ path }) => path.split('/').at(-1))).toEqual(['describe', first?.['Id']])
  })

  test('in the copy, also after one was deleted between two runs', async () => {
    await using vendor = new Salesforce({ records: 6, batch: 4 })
    const copy = salesforce.copies.find(({ entity }) => entity === 'accounts')
    if (copy === undefined) throw new Error('the copy is not there')
    await using connection = await openCopy(salesforce, copy, { vendor, kind: await loadSubject(salesforce) })
    await connection.run()
    expect(connection.compare(copy)).toMatchObject(equal)
    vendor.hidden.add('Score__c')
    expect(await connection.run('full')).toEqual({ accounts: 'complete' })
    const rest = { ...copy, compared: ['custom.Color__c', 'custom.Hot__c'] }
    expect(connection.compare(rest)).toMatchObject(equal)
    const rows = [...connection.store.shelf('accounts').rows.values()]
    expect(rows.filter(({ fields }) => 'Score__c' in Object(fields['custom']))).toEqual([])
  })

  test('in answers that another thread reads', async () => {
    await using vendor = await new Salesforce({ records: 6, batch: 4 }).listen()
    const { definition } = await loadSubject(salesforce)
    const kind = { definition, rules: {} }
    const read: Apart['read'] = async (job) => structuredClone(readApart(kind, structuredClone(job), Number.POSITIVE_INFINITY))
    const engine = createEngine({ limits: false, apart: { from: 0, read } })
    const connection = {
      ...{ kind, configuration: { domain: 'stand-in' }, credentials: fixed(salesforce.credentials) },
      ...{ origin: { api: vendor.origin }, cursorKey: Buffer.alloc(32) },
    }
    for (const params of [{}, { Name: 'Name 2' }]) {
      const outcome = await engine.run(connection, { entity: 'accounts', action: 'list', params })
      if (outcome.type !== 'list' || !(outcome.data instanceof RawRows)) throw new Error('the answer is not read apart')
      expect(outcome.data.toJSON()[0]).toMatchObject({ attributes: {}, custom: { Color__c: 'blue', acme__Partner__c: null } })
    }
    await engine.close()
  })
})
