import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { share } from '../support/share.ts'
import { connectorsPath, type Json, type Tenant } from './support.ts'
import { VendorWorld } from './vendor-webhooks-support.ts'

const here = await share(VendorWorld.start())
const owner = await here.tenant('Owner')
const id = await here.connect(owner)
const address = await here.makeAddress(owner, id)
const { json } = await here.world.execute(id, { entity: 'custom_collections', action: 'list', params: { limit: 50 } }, owner.token)
const collections: readonly number[] = json.data.map((collection: Json) => collection.id)
afterEach(() => here.shopify.reset())

const at = (index: number): number => collections[index] ?? 0
const rename = (collection: number, title: string) => here.shopify.edit('collections', collection, { fields: { title } })
const titles = (ids: readonly number[], connector = id, who: Tenant = owner) => here.titles(who, connector, ids)

describe('an event of a vendor', () => {
  test('brings a changed record into the copy, and says so in its changes', async () => {
    const path = `${connectorsPath}/${id}/entities/custom_collections/changes`
    let page = await here.ok(owner, 'GET', `${path}?limit=1000`)
    while (page.has_more) page = await here.ok(owner, 'GET', `${path}?limit=1000&after=${page.next}`)
    await here.subscribe(address, 'collections/update')
    rename(at(0), 'Told')
    expect(await titles([at(0)])).not.toEqual(['Told'])
    await here.work()
    expect(await titles([at(0)])).toEqual(['Told'])
    const { data } = await here.ok(owner, 'GET', `${path}?after=${page.next}`)
    expect(data).toMatchObject([{ type: 'changed', cause: 'webhook', record: { id: at(0), title: 'Told' } }])
    expect(here.shopify.webhooks.sent().map(({ answers }) => answers)).toEqual([[200]])
  })

  test('removes a record that the vendor no longer has', async () => {
    await here.subscribe(address, 'collections/delete')
    here.shopify.edit('collections', at(1), { erased: true })
    await here.work()
    expect(await titles([at(1)])).toEqual([undefined])
  })

  test('that says a record is gone changes nothing while the vendor has it', async () => {
    expect((await here.send(address, { id: at(2) }, { headers: { 'x-shopify-topic': 'collections/delete' } })).status).toBe(200)
    await here.work()
    expect(await titles([at(2)])).toEqual([expect.any(String)])
  })

  test('that comes twice is worked on once', async () => {
    here.shopify.switches.set({ webhooks: 'twice' })
    await here.subscribe(address, 'collections/update')
    const before = await here.status(owner, id)
    rename(at(3), 'Twice')
    await here.work()
    const after = await here.status(owner, id)
    expect([after.received - before.received, after.repeated - before.repeated, after.worked - before.worked]).toEqual([4, 2, 2]) // an event names a collection of either sort
    expect(await titles([at(3)])).toEqual(['Twice'])
  })

  test.each(['late', 'swapped'])('that comes %s never brings an older record back', async (webhooks) => {
    here.shopify.switches.set({ webhooks })
    await here.subscribe(address, 'collections/update')
    for (const title of ['First', 'Second', 'Third']) {
      here.world.clock.now += 1_000
      rename(at(4), `${title} ${webhooks}`)
    }
    const { webhooks: hooks } = here.shopify
    await hooks.sendWaiting()
    await here.work()
    expect(await titles([at(4)])).toEqual([`Third ${webhooks}`])
  })

  test('that is older than the copy costs no call, and one of the same second does', async () => {
    await here.subscribe(address, 'collections/update')
    rename(at(20), 'New')
    await here.work()
    const get = { entity: 'custom_collections', action: 'get', params: { collection_id: at(20) } }
    const newest = Date.parse((await here.world.execute(id, get, owner.token)).json.data.updated_at)
    const isRead = () => here.shopify.requests().some(({ path }) => path.includes(`custom_collections/${at(20)}`))
    /** Sends an event of a time. @returns whether the record was read */
    const readsAt = async (time: number | undefined): Promise<boolean> => {
      here.shopify.clear()
      await here.send(address, { id: at(20), ...(time === undefined ? {} : { updated_at: new Date(time).toISOString() }) })
      await here.work()
      return isRead()
    }
    expect([await readsAt(newest - 1_000), await readsAt(newest), await readsAt(newest + 1_000)]).toEqual([false, true, true])
    expect(await readsAt(undefined)).toBe(true)
    expect(await titles([at(20)])).toEqual(['New'])
  })

  test('of another account is not for this connector', async () => {
    const before = await here.status(owner, id)
    const headers = { 'x-shopify-shop-domain': 'other-store.myshopify.com' }
    expect((await here.send(address, { id: at(5) }, { headers })).status).toBe(200)
    expect((await here.status(owner, id)).received).toBe(before.received)
  })
})

describe('a request', () => {
  const sendRefused = async (to: string, more: object = {}) => {
    const { status, text, headers } = await here.send(to, { id: at(0) }, more)
    const { 'x-request-id': _id, date: _date, ...rest } = Object.fromEntries(headers)
    return { status, text, headers: rest }
  }

  test('with a wrong signature is answered as one to an address that never was', async () => {
    const unknown = address.replace(/[^/]+$/, randomBytes(32).toString('base64url'))
    const expected = await sendRefused(unknown)
    expect([expected.status, expected.text]).toEqual([401, ''])
    expect(await sendRefused(address, { secret: 'wrong' })).toEqual(expected)
    expect(await sendRefused(address, { headers: { 'x-shopify-hmac-sha256': '' } })).toEqual(expected)
    expect(await sendRefused(address.replace('/connectors/', '/apps/'))).toEqual(expected)
    expect(await sendRefused(address.replace(/[^/]+$/, id))).toEqual(expected)
    here.world.clock.now += 120_000
    await sendRefused(address, { secret: 'wrong' })
    const { last_refused_at: refused, missing } = await here.status(owner, id)
    expect(refused).toEqual(expect.any(String))
    expect(missing.join(' ')).toContain('refused')
  })

  test('with a wrong signature makes its sender wait at this address only, until a right one or the end of the minute', async () => {
    const other = await here.connect(owner, ['locations'])
    const to = await here.makeAddress(owner, other)
    const send = async (at: string, sender: string, more: object = {}) =>
      (await here.send(at, { id: 1 }, { ...more, headers: { 'x-forwarded-for': sender } })).status
    const wrong = { secret: 'wrong' }
    for (let index = 0; index < 59; index += 1) await send(to, '198.51.100.1', wrong)
    expect([await send(to, '198.51.100.1'), await send(to, '198.51.100.1', wrong)]).toEqual([200, 401]) // a right one forgives
    for (let index = 0; index < 59; index += 1) await send(to, '198.51.100.1', wrong)
    expect([await send(to, '198.51.100.1', wrong), await send(to, '198.51.100.1')]).toEqual([429, 429])
    expect([await send(to, '198.51.100.2'), await send(address, '198.51.100.1')]).toEqual([200, 200])
    const unknown = address.replace(/[^/]+$/, randomBytes(32).toString('base64url'))
    for (let index = 0; index < 60; index += 1) expect(await send(unknown, '198.51.100.1')).toBe(401)
    expect(await send(unknown, '198.51.100.1')).toBe(429)
    here.world.clock.now += 60_000
    expect([await send(to, '198.51.100.1'), await send(unknown, '198.51.100.1')]).toEqual([200, 401])
    await here.work()
  })

  test('is bounded, and may have any content', async () => {
    expect((await here.send(address, 'x'.repeat(1_048_577))).status).toBe(413)
    expect((await here.send(address, 'no json', { headers: { 'content-type': 'text/plain' } })).status).toBe(401)
    const nothing = await here.send(address, '{}', { headers: { 'content-type': 'application/x-unknown' } })
    expect(nothing.status).toBe(200)
  })
})

test('forty forged, late, doubled and swapped events leave the copy as the vendor has it', async () => {
  await here.subscribe(address, 'collections/update', 'collections/delete')
  const some = collections.slice(6, 16)
  const switches = ['prompt', 'twice', 'late', 'swapped'] as const
  for (let round = 0; round < 10; round += 1) {
    here.world.clock.now += 1_000
    here.shopify.switches.set({ webhooks: switches[round % 4] ?? 'prompt', webhookHmac: round === 5 ? 'wrong' : 'right' })
    rename(some[round] ?? 0, `Round ${round}`)
    if (round % 3 === 0) here.shopify.edit('collections', some[(round + 1) % 10] ?? 0, { erased: true })
    await here.send(address, { id: some[round], title: 'Forged', updated_at: '2099-01-01T00:00:00Z' }, { secret: 'forged' })
    await here.send(address, { id: some[round], title: 'Replayed', updated_at: '2001-01-01T00:00:00Z' })
    await here.send(address, { id: some[(round + 5) % 10] }, { headers: { 'x-shopify-topic': 'collections/delete' } })
    if (round % 2 === 0) await here.work()
  }
  await here.shopify.webhooks.settled()
  await here.shopify.webhooks.sendWaiting()
  await here.send(address, { id: some[5] }) // what was refused for its signature, signed
  await here.work()
  const kept = await Promise.all(
    some.map(async (collection) => {
      const { status, json } = await here.world.execute(
        id,
        { entity: 'custom_collections', action: 'get', params: { collection_id: collection } },
        owner.token,
      )
      return status === 200 ? json.data.title : undefined
    }),
  )
  expect(kept.filter((title) => title === undefined).length).toBeGreaterThan(0)
  expect(await titles(some)).toEqual(kept)
})

describe('an OAuth client', () => {
  test('of two organizations with one shop reaches the connectors of its own only', async () => {
    const tenants = [await here.tenant('One'), await here.tenant('Two')]
    const made = []
    for (const who of tenants) {
      const app = await here.saveOAuthClient(who)
      made.push({ who, app, connector: await here.consent(who), other: await here.connect(who) })
    }
    const [one, two] = made
    if (one === undefined || two === undefined) throw new Error('there are two')
    await here.subscribe(one.app, 'collections/update')
    rename(at(21), 'For one')
    await here.work()
    expect(await titles([at(21)], one.connector, one.who)).toEqual(['For one'])
    expect(await titles([at(21)], one.other, one.who)).not.toEqual(['For one']) // not made through the OAuth client
    expect(await titles([at(21)], two.connector, two.who)).not.toEqual(['For one'])
    const status = await here.status(one.who, one.connector)
    expect(status).toMatchObject({ address: null, received: 2, worked: 4, waiting: 0, missing: [expect.stringContaining('this machine')] })
    expect(here.reach(status.application_address)).toBe(one.app)
    expect(await here.status(two.who, two.connector)).toMatchObject({ received: 0 })
    const foreign = await here.send(one.app, { id: at(21) }, { headers: { 'x-shopify-shop-domain': 'other-store.myshopify.com' } })
    expect(foreign.status).toBe(200)
    await here.work()
    expect(await here.status(one.who, one.connector)).toMatchObject({ received: 4, waiting: 0 })
  })
})

test('an OAuth client that was removed at the vendor needs a new authorization', async () => {
  const who = await here.tenant('Removed')
  const app = await here.saveOAuthClient(who)
  const connector = await here.consent(who)
  const read = async () => (await here.ok(who, 'GET', `${connectorsPath}/${connector}`)).status
  const tell = () => here.shopify.webhooks.tell('app/uninstalled', { myshopify_domain: 'sandbox-store.myshopify.com' })
  await here.subscribe(app, 'app/uninstalled')
  tell() // a replay, while the OAuth client is installed
  await here.work()
  expect(await read()).toBe('active')
  here.shopify.switches.set({ installed: false })
  tell()
  await here.work()
  expect(await read()).toBe('auth_error')
})

test('what a vendor asks to forget is deleted from the copy, its changes and what waits', async () => {
  const connector = await here.connect(owner, ['locations'])
  const to = await here.makeAddress(owner, connector)
  const { store } = here.world.context
  const ref = { connector, kind: 'shopify', entity: 'customers' }
  const write = (email: string) =>
    store.writeBatch(ref, {
      records: [{ key: 'p1473000000000001', fields: { id: 7_300_000_000_000_1, email } }],
      asked: here.world.clock.now,
    })
  await write('first@example.com')
  await store.followChanges(ref)
  here.world.clock.now += 1_000
  await write('second@example.com')
  expect((await store.readLog(ref, { after: 0n, limit: 10 })).changes.map(({ kind }) => kind)).toEqual(['changed'])
  here.world.clock.now += 1_000
  const body = { shop_domain: 'sandbox-store.myshopify.com', customer: { id: 7_300_000_000_000_1 }, orders_to_redact: [] }
  const path = '/admin/api/2026-07/customers/73000000000001'
  here.world.sandbox.faults.add({ kind: 'status', status: 500, on: 'shopify', path, times: 100 })
  await here.send(to, { id: 7_300_000_000_000_1 }, { headers: { 'x-shopify-topic': 'customers/update' } })
  await here.work()
  here.world.sandbox.faults.clear()
  expect(await here.status(owner, connector)).toMatchObject({ waiting: 1 }) // for the next attempt
  await here.send(to, body, { headers: { 'x-shopify-topic': 'customers/redact' } })
  await here.work()
  expect((await store.countRecords(connector)).get('customers') ?? 0).toBe(0)
  expect((await store.readLog(ref, { after: 0n, limit: 10 })).changes).toMatchObject([{ kind: 'removed', cause: 'webhook' }])
  expect(await here.status(owner, connector)).toMatchObject({ waiting: 0 })
})

test('a customer whom a vendor asks to forget leaves no mail address in the copy, in draft orders and checkouts either', async () => {
  const connector = await here.connect(owner, ['locations'])
  const to = await here.makeAddress(owner, connector)
  const { store } = here.world.context
  const database = await store.openDatabase()
  const refTo = (entity: string) => ({ connector, kind: 'shopify', entity })
  const write = async (entity: string, records: readonly Json[]) => {
    const { key } = store.getTable('shopify', entity)
    const stored = records.map((fields) => ({ key: String(buildPrimaryKey(key, fields)), fields }))
    await store.writeBatch(refTo(entity), { records: stored, asked: here.world.clock.now })
    await store.followChanges(refTo(entity))
  }
  const grep = async (text: string): Promise<readonly string[]> => {
    const { rows } = await database.query({ text: "select relname from pg_class where relkind = 'r' and relname like 'cs\\_%'" })
    const found = await Promise.all(
      rows.map(async ({ relname }) => {
        const asked = { text: `select from "${relname}" t where strpos(lower(t::text), $1) > 0`, values: [text] }
        return (await database.query(asked)).count > 0 ? [String(relname)] : []
      }),
    )
    return found.flat()
  }
  const [email, phone] = ['Ada.Forgotten@example.com', '+44 20 7946 0001']
  await write('customers', [{ id: 71, email }])
  await write('draft_orders', [
    { id: 1, email },
    { id: 2, email: email.toLowerCase() },
    { id: 3, email: 'other@example.com', order_id: 900 },
    { id: 4, email: 'other@example.com', order_id: 901 },
    { id: 5, email: null },
  ])
  await write('abandoned_checkouts', [
    { id: 1, email },
    { id: 2, email: 'other@example.com', phone },
    { id: 3, email: null, phone: null },
  ])
  expect(await grep(email.toLowerCase())).not.toEqual([])
  expect(await grep('forgotten'), 'listed words').toContainEqual(expect.stringMatching(/^cs_terms/))
  here.world.clock.now += 1_000
  const body = { shop_domain: 'sandbox-store.myshopify.com', customer: { id: 71, email, phone }, orders_to_redact: [900] }
  await here.send(to, { id: 1 }, { headers: { 'x-shopify-topic': 'draft_orders/update' } })
  await here.send(to, body, { headers: { 'x-shopify-topic': 'customers/redact' } })
  await here.work()
  expect([...(await store.countRecords(connector))]).toEqual(
    expect.arrayContaining([
      ['customers', 0],
      ['draft_orders', 2],
      ['abandoned_checkouts', 1],
    ]),
  )
  expect([await grep('forgotten'), await grep(phone)]).toEqual([[], []])
  const { changes } = await store.readLog(refTo('draft_orders'), { after: 0n, limit: 10 })
  expect(changes.map(({ kind, cause }) => `${kind} ${cause}`)).toEqual(Array(3).fill('removed webhook'))
  expect(await here.status(owner, connector)).toMatchObject({ waiting: 0, given_up: 0 })
})

test('a failing event stops no other one, is tried again, and then left to a sync', async () => {
  const path = '/admin/api/2026-07/custom_collections/'
  await here.subscribe(address, 'collections/update')
  const before = await here.status(owner, id)
  here.world.sandbox.faults.add({ kind: 'status', status: 500, on: 'shopify', path: `${path}${at(17)}`, times: 100 })
  rename(at(17), 'Late')
  rename(at(18), 'Beside')
  await here.work()
  expect(await titles([at(17), at(18)])).toEqual([expect.not.stringMatching('Late'), 'Beside'])
  expect(await here.status(owner, id)).toMatchObject({ waiting: 1, worked: before.worked + 3 })
  here.world.sandbox.faults.clear()
  await here.wait(10_000)
  expect(await titles([at(17)])).toEqual(['Late'])
  expect(await here.status(owner, id)).toMatchObject({ waiting: 0, given_up: before.given_up })
})

test('the vendor is asked for the topics of the copied entities, as far as the credentials allow', async () => {
  const path = `${connectorsPath}/${id}/webhooks`
  const { subscriptions } = await here.ok(owner, 'PUT', path, { subscribe: true })
  const topics = ['collections/create', 'collections/update', 'collections/delete', 'app/uninstalled']
  expect(subscriptions).toEqual(topics.map((topic) => ({ topic, state: 'made', message: null })))
  const again = await here.ok(owner, 'PUT', path, { subscribe: true })
  expect(again.subscriptions).toEqual(topics.map((topic) => ({ topic, state: 'known', message: null })))
  here.shopify.reset()
  here.shopify.switches.set({ scopes: 'read_orders' })
  const less = (await here.ok(owner, 'PUT', path, { subscribe: true })).subscriptions
  expect(less.map(({ state }: Json) => state)).toEqual(['refused', 'refused', 'refused', 'made'])
  expect(less[0].message).toContain('read_products')
  expect(await here.status(owner, id)).toMatchObject({
    ...{ subscribable: true, subscriptions: less },
    missing: expect.arrayContaining(['The vendor refused some topics: see subscriptions.']),
  })
  const unverified = await here.connect(owner, ['locations'])
  const sent = { method: 'PUT', token: owner.token, body: { subscribe: true } }
  const { status, json } = await here.world.ask(`${connectorsPath}/${unverified}/webhooks`, sent)
  expect([status, json.errors[0].message]).toEqual([422, expect.stringContaining('set a secret')])
})
