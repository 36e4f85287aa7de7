import { createHmac } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { Webhooks } from '../../packages/ferrule/src/definition/webhooks.ts'
import { leaseVendorEvents } from '../../packages/server/src/events/sql/vendor-events.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { connectorBody, createWorld, firstPrincipal, masterKey, newTenant, notes, overServer } from './world.ts'

const webhooks: Webhooks = {
  signature: {
    scheme: 'hmac',
    secret: 'hook_secret',
    find: { says: 'The settings of the vendor show it.' },
    header: 'x-signature',
    encoding: 'hex',
  },
  challenge: { secret: 'token' },
  id: ['id'],
  topic: ['topic'],
  list: '[]',
  events: { changed: { does: 'changed', entity: 'users', key: ['user'] } },
}
const hooked = { ...notes, definition: { ...notes.definition, webhooks } }
const secret = 'a secret of the vendor'
const hour = 3_600_000

overServer('what vendors send', async (database) => {
  const errors: unknown[] = []
  const world = await createWorld(database, 'vendor_events')
  const platform = await world.open({ kinds: [hooked], onBackgroundError: (error) => errors.push(error) })
  const raw = world.raw()
  const first = await firstPrincipal(platform)
  afterAll(async () => {
    await world.close()
    expect(errors).toEqual([])
  })

  /** A connector with an address. */
  async function makeAddress(principal: Principal) {
    const { id } = await platform.connectors.create(principal, connectorBody({ name: `Hooked ${world.now}`, check: false }))
    const { address } = await platform.connectorWebhooks.set(principal, id, { secret })
    return { id, address: String(address).split('/').at(-1) ?? '' }
  }
  const send = async (to: string, events: readonly object[], { at = platform, key = secret } = {}) => {
    const body = Buffer.from(JSON.stringify(events))
    const headers = { 'x-signature': createHmac('sha256', key).update(body).digest('hex') }
    return (await at.vendorEvents.receive({ of: 'connectors', id: to, query: '', method: 'POST', headers, body })).outcome
  }
  const build = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ id: from + index, topic: 'changed', user: 'u' }))
  const status = (principal: Principal, id: string) => platform.connectorWebhooks.get(principal, id)

  test('is stored once, whatever comes at the same time, and sealed', async () => {
    const principal = await newTenant(platform, first)
    const { id, address } = await makeAddress(principal)
    const outcomes = await Promise.all([0, 1, 1, 2].map((from) => send(address, build(2, from * 2))))
    expect(outcomes).toEqual(['taken', 'taken', 'taken', 'taken'])
    expect(await status(principal, id)).toMatchObject({
      received: 8,
      repeated: 2,
      waiting: 6,
      oldest_waiting_at: new Date(world.now).toISOString(),
    })
    const rows = await raw.db.selectFrom('vendor_events').selectAll().where('connector_id', '=', id).execute()
    expect(rows.every(({ sealed }) => sealed !== null && !Buffer.from(sealed).includes('changed'))).toBe(true)
  })

  test('is refused without the secret, and at the address of an organization that was deleted', async () => {
    const principal = await newTenant(platform, first)
    const { id, address } = await makeAddress(principal)
    expect(await send(address, build(1), { key: 'wrong' })).toBe('refused')
    await platform.connectorWebhooks.set(principal, id, { secret: null })
    expect(await status(principal, id)).toMatchObject({ verified_by: 'nothing' })
    expect(await send(address, build(1))).toBe('refused')
    await platform.connectorWebhooks.set(principal, id, { secret })
    await platform.organizations.remove(principal, principal.organizationId)
    expect(await send(address, build(1))).toBe('refused')
    await platform.organizations.restore(principal, principal.organizationId)
    expect(await send(address, build(1))).toBe('taken')
    await platform.connectorWebhooks.remove(principal, id)
    expect(await send(address, build(1))).toBe('refused')
    expect(await status(principal, id)).toMatchObject({ address: null, waiting: 0, verified_by: 'nothing' })
  })

  test('and states as its secret is shown, and verifies nothing until somebody sets it', async () => {
    const principal = await newTenant(platform, first)
    const { id, address } = await makeAddress(principal)
    await platform.connectorWebhooks.set(principal, id, { secret: null })
    const state = async (token: string) => {
      const body = Buffer.from(JSON.stringify({ token }))
      return (await platform.vendorEvents.receive({ of: 'connectors', id: address, query: '', method: 'POST', headers: {}, body })).outcome
    }
    const [token, newer] = ['secret_of_the_vendor', 'secret_of_the_vendor_again']
    expect([await state(token), await state(token)]).toEqual(['challenge', 'challenge'])
    expect(await status(principal, id)).toMatchObject({ offered_secret: token, verified_by: 'nothing' })
    const reader = { ...principal, scopes: new Set(['connectors:read'] as const) }
    expect(await status(reader, id)).toMatchObject({ offered_secret: null })
    const row = await raw.db.selectFrom('webhook_sources').selectAll().where('connector_id', '=', id).executeTakeFirstOrThrow()
    expect(Buffer.from(row.sealed ?? []).includes(token)).toBe(false)
    expect(await send(address, build(1), { key: token })).toBe('refused')
    expect(await state(newer)).toBe('challenge')
    expect(await status(principal, id)).toMatchObject({ offered_secret: newer })
    await platform.connectorWebhooks.set(principal, id, { secret: newer })
    expect(await status(principal, id)).toMatchObject({ offered_secret: null, verified_by: 'secret' })
    expect(await send(address, build(1), { key: newer })).toBe('taken')
    expect(await state(token)).toBe('refused')
  })

  test('is bounded for each address, and deleted after seven days', async () => {
    const principal = await newTenant(platform, first)
    const [full, other] = [await makeAddress(principal), await makeAddress({ ...principal, ...(await newTenant(platform, first)) })]
    expect(await send(full.address, build(1, 10_000))).toBe('taken')
    expect(await send(full.address, build(10_000)), 'more than fits, in one request').toBe('taken')
    expect(await send(full.address, build(1, 10_001))).toBe('full')
    expect(await send(other.address, build(1))).toBe('taken')
    expect(await status(principal, full.id)).toMatchObject({ received: 10_001, turned_away: 1, waiting: 10_001 })
    const since = world.now
    world.now += 1_000
    expect(await platform.readBacklogs()).toMatchObject({ vendorEvents: { due: 10_000, since: expect.any(Number) } })
    world.now = since
    await platform.vendorEvents.purgeExpired(world.now + 7 * 24 * hour - 1)
    expect(await status(principal, full.id)).toMatchObject({ waiting: 10_001 })
    await platform.vendorEvents.purgeExpired(world.now + 7 * 24 * hour)
    expect(await status(principal, full.id)).toMatchObject({ waiting: 0 })
  })

  test('is leased by one node at a time, and by another one when the lease has ended', async () => {
    const principal = await newTenant(platform, first)
    const { id, address } = await makeAddress(principal)
    await send(address, build(6))
    const lease = (owner: string, now: number) =>
      raw.transaction((db) => leaseVendorEvents(db, { sourceId: address, connectorId: id }, { owner, now, until: now + 300_000, limit: 4 }))
    const [one, two] = await Promise.all([lease('one', world.now), lease('two', world.now)])
    expect([one.length, two.length].toSorted()).toEqual([2, 4])
    expect(await lease('three', world.now + 299_999)).toEqual([])
    expect(await lease('three', world.now + 300_000)).toHaveLength(4)
  })

  test('is verified and readable after a rotation of the master key', async () => {
    const principal = await newTenant(platform, first)
    const { id, address } = await makeAddress(principal)
    await send(address, build(2))
    const keys = { FERRULE_MASTER_KEY: masterKey(2), FERRULE_MASTER_KEY_PREVIOUS: masterKey(1) }
    const next = database === 'sqlite' ? platform : await world.open({ kinds: [hooked], env: keys })
    const listKeys = async () => {
      const [sources, events] = await Promise.all([
        raw.db.selectFrom('webhook_sources').select('master_key_id').where('connector_id', '=', id).execute(),
        raw.db.selectFrom('vendor_events').select('master_key_id').where('connector_id', '=', id).execute(),
      ])
      return [...sources, ...events].map((row) => row.master_key_id)
    }
    const before = await listKeys()
    await next.vault.rotateMasterKey()
    const after = await listKeys()
    expect([after.length, new Set(after).size, after[0] === before[0]]).toEqual([3, 1, false])
    expect(await send(address, build(1, 2), { at: next })).toBe('taken')
  })
})
