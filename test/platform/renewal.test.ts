import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { OpenedCredentials } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import {
  connectorBody,
  createWorldOfTest,
  type DatabaseName,
  firstPrincipal,
  oauth,
  overBoth,
  refusal,
  secretOf,
  type World,
} from './world.ts'

interface Scene {
  readonly world: World
  readonly platform: Platform
  readonly principal: Principal
  readonly id: string
}
/** Creates an installation with one connector, whose refresh token works once. */
async function scene(database: DatabaseName): Promise<Scene> {
  const world = await createWorldOfTest(database, 'renewal')
  const platform = await world.open()
  const principal = await firstPrincipal(platform)
  const { id } = await platform.connectors.create(principal, connectorBody({ credentials: oauth }))
  return { world, platform, principal, id }
}
const sourceOf = async ({ principal, id }: Scene, platform: Platform) =>
  (await platform.connectors.readAccess(principal, id)).connection.credentials

/** A vendor that accepts each refresh token once and answers on command. */
class Vendor {
  calls = 0
  current: string = oauth.refresh_token
  #gate: Promise<void> | undefined
  #openGate: () => void = () => undefined

  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.#openGate = resolve
    })
  }

  answer(): void {
    this.#openGate()
  }

  readonly exchange = async (credentials: OpenedCredentials['values']) => {
    this.calls += 1
    const given = credentials.reveal()['refresh_token']
    if (given !== this.current) throw fail('upstream_auth_failed', { vendor: 'Good Notes', reason: 'the refresh token was used already' })
    this.current = `refresh-${this.calls + 1}`
    const next = { ...credentials.reveal(), refresh_token: this.current, access_token: `access-${this.calls + 1}` }
    await this.#gate
    return secretOf(next)
  }
}
const values = (opened: OpenedCredentials) => opened.values.reveal()
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

overBoth('renewing credentials', (database) => {
  test('stores what the vendor answered before it is used', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    const source = await sourceOf(here, here.platform)
    const before = await source.open()
    const renewed = await source.renew(before.version, vendor.exchange)
    expect(values(renewed)).toEqual({ ...oauth, refresh_token: 'refresh-2', access_token: 'access-2' })
    expect(renewed.version).not.toBe(before.version)
    expect(values(await source.open())).toEqual(values(renewed))
    expect(values(await (await sourceOf(here, here.platform)).open())).toEqual(values(renewed))
    await here.platform.close()
    expect(values(await (await sourceOf(here, await here.world.open())).open())).toEqual(values(renewed))
  })

  test('is done once for many callers of a process', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    const sources = await Promise.all(Array.from({ length: 20 }, () => sourceOf(here, here.platform)))
    const opened = await Promise.all(sources.map((source) => source.open()))
    const renewed = await Promise.all(sources.map((source, index) => source.renew(opened[index]?.version ?? '', vendor.exchange)))
    expect(vendor.calls).toBe(1)
    expect(new Set(renewed.map((each) => values(each)['access_token']))).toEqual(new Set(['access-2']))
  })

  test('does nothing for a caller whose credentials were replaced meanwhile', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    const [slow, fast] = [await sourceOf(here, here.platform), await sourceOf(here, here.platform)]
    const { version } = await slow.open()
    await fast.renew(version, vendor.exchange)
    expect(values(await slow.renew(version, vendor.exchange))['access_token']).toBe('access-2')
    expect(vendor.calls).toBe(1)
    const second = await slow.open()
    expect(values(await slow.renew(second.version, vendor.exchange))['access_token']).toBe('access-3')
  })

  test('that the vendor refuses marks the connector, with the next step', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    vendor.current = 'somebody else was faster'
    const source = await sourceOf(here, here.platform)
    const { version } = await source.open()
    const second = await sourceOf(here, here.platform)
    const others = [source, second].map((each) => refusal(each.renew(version, vendor.exchange)))
    for (const each of others)
      expect(await each).toMatch(/^upstream_auth_failed: Good Notes refused the credentials: the refresh token was used already/)
    const record = await here.platform.connectors.get(here.principal, here.id)
    expect(record.status).toBe('auth_error')
    expect(record.status_reason).toBe(
      `Good Notes refused the credentials: the refresh token was used already. Replace the credentials with PATCH /api/v1/integrations/connectors/${here.id}.`,
    )
    await here.platform.connectors.patch(here.principal, here.id, { credentials: { refresh_token: vendor.current } })
    const fresh = await sourceOf(here, here.platform)
    await fresh.renew((await fresh.open()).version, vendor.exchange)
    expect((await here.platform.connectors.get(here.principal, here.id)).status).toBe('active')
  })

  test('that fails otherwise can be tried again at once', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    const source = await sourceOf(here, here.platform)
    const { version } = await source.open()
    const broken = source.renew(version, async () => {
      throw fail('upstream_unreachable', { vendor: 'Good Notes', reason: 'no route' })
    })
    expect(await refusal(broken)).toMatch(/^upstream_unreachable/)
    expect((await here.platform.connectors.get(here.principal, here.id)).status).toBe('active')
    expect(values(await source.renew(version, vendor.exchange))['access_token']).toBe('access-2')
  })

  test('does not undo credentials that a user gave meanwhile', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    vendor.hold()
    const source = await sourceOf(here, here.platform)
    const renewal = source.renew((await source.open()).version, vendor.exchange)
    await expect.poll(() => vendor.calls).toBe(1)
    await here.platform.connectors.patch(here.principal, here.id, { credentials: { refresh_token: 'given', access_token: 'by-the-user' } })
    vendor.answer()
    expect(values(await renewal)).toMatchObject({ refresh_token: 'given', access_token: 'by-the-user' })
    expect(values(await (await sourceOf(here, here.platform)).open())).toMatchObject({ refresh_token: 'given' })
  })

  test('of a connector that was removed meanwhile is an error, and stores nothing', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    vendor.hold()
    const source = await sourceOf(here, here.platform)
    const renewal = refusal(source.renew((await source.open()).version, vendor.exchange))
    await expect.poll(() => vendor.calls).toBe(1)
    await here.platform.connectors.remove(here.principal, here.id)
    vendor.answer()
    expect(await renewal).toMatch(/^connector_not_found/)
  })

  test('stores the new token although the database fails for a while', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    const { db } = here.world.raw()
    await here.platform.close()
    let waits = 0
    const sleep = async () => {
      waits += 1
      if (waits === 3) await sql`alter table connectors_away rename to connectors`.execute(db)
    }
    const platform = await here.world.open({ sleep })
    const source = await sourceOf(here, platform)
    const renewal = source.renew((await source.open()).version, async (current) => {
      const next = await vendor.exchange(current)
      await sql`alter table connectors rename to connectors_away`.execute(db)
      return next
    })
    expect(values(await renewal)['access_token']).toBe('access-2')
    expect([waits, vendor.calls]).toEqual([3, 1])
    expect(values(await (await sourceOf(here, platform)).open())['access_token']).toBe('access-2')
  })

  test('after a killed owner: others wait for its lease, then the vendor refuses the spent token', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    await vendor.exchange((await (await sourceOf(here, here.platform)).open()).values)
    const until = here.world.now + 90_000
    await here.world.raw().db.updateTable('connectors').set({ lease_owner: 'killed', lease_until: until }).execute()

    const source = await sourceOf(here, here.platform)
    const { version } = await source.open()
    const started = here.world.now
    expect(await refusal(source.renew(version, vendor.exchange))).toBe(
      'overloaded: The service is busy: the credentials of this connector are being renewed elsewhere.',
    )
    expect(here.world.now - started).toBeGreaterThanOrEqual(45_000)
    expect(here.world.now - started).toBeLessThan(50_000)
    expect(vendor.calls).toBe(1)
    here.world.now = until
    expect(await refusal(source.renew(version, vendor.exchange))).toMatch(/^upstream_auth_failed/)
    expect((await here.platform.connectors.get(here.principal, here.id)).status).toBe('auth_error')
  })

  test('is finished before the platform closes', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    vendor.hold()
    const source = await sourceOf(here, here.platform)
    const renewal = source.renew((await source.open()).version, vendor.exchange)
    await expect.poll(() => vendor.calls).toBe(1)
    const closing = here.platform.close()
    vendor.answer()
    await Promise.all([renewal, closing])
    expect(values(await (await sourceOf(here, await here.world.open())).open())['access_token']).toBe('access-2')
  })

  test('is not disturbed by a call that the vendor refused meanwhile', async () => {
    const here = await scene(database)
    const vendor = new Vendor()
    vendor.hold()
    const access = await here.platform.connectors.readAccess(here.principal, here.id)
    const source = await sourceOf(here, here.platform)
    const renewal = source.renew((await source.open()).version, vendor.exchange)
    await expect.poll(() => vendor.calls).toBe(1)
    const lease = async () => (await here.world.raw().db.selectFrom('connectors').select('lease_until').executeTakeFirst())?.lease_until
    const before = await lease()
    await here.platform.connectors.markAuthError(access, 'The old token was refused.')
    const after = await lease()
    // The vendor answers before anything is asserted: a failure must not leave the platform waiting for it.
    vendor.answer()
    await renewal
    expect([before, after]).toEqual([here.world.now + 90_000, before])
    expect((await here.platform.connectors.get(here.principal, here.id)).status).toBe('active')
  })

  test('a connection that lives long sees credentials that a user replaced', async () => {
    const here = await scene(database)
    const source = await sourceOf(here, here.platform)
    await source.open()
    await here.platform.connectors.patch(here.principal, here.id, { credentials: { refresh_token: 'given' } })
    here.world.now += 5_001
    expect(values(await source.open())).toMatchObject({ refresh_token: 'given' })
  })
})

describe('renewing credentials on two nodes over PostgreSQL', () => {
  test('is done once', async () => {
    const here = await scene('postgres')
    const vendor = new Vendor()
    vendor.hold()
    // The other nodes check again after the first node has stored the vendor's answer.
    const stored = Promise.withResolvers<void>()
    const sleep = () => stored.promise
    const nodes = [await here.world.open({ sleep }), await here.world.open({ sleep }), await here.world.open({ sleep })]
    const sources = await Promise.all([...nodes, ...nodes, ...nodes].map((node) => sourceOf(here, node)))
    const { version } = await (await sourceOf(here, here.platform)).open()
    const renewals = sources.map((source) => source.renew(version, vendor.exchange))
    void Promise.any(renewals).then(() => stored.resolve())
    await expect.poll(() => vendor.calls).toBe(1)
    await turns(20)
    vendor.answer()
    const renewed = await Promise.all(renewals)
    expect(vendor.calls).toBe(1)
    expect(new Set(renewed.map((each) => values(each)['access_token']))).toEqual(new Set(['access-2']))
  })

  test('an owner that was slower than its lease still stores what it got', async () => {
    const here = await scene('postgres')
    const other = await here.world.open()
    const vendor = new Vendor()
    vendor.hold()
    const slow = await sourceOf(here, here.platform)
    const { version } = await slow.open()
    const late = slow.renew(version, vendor.exchange)
    await expect.poll(() => vendor.calls).toBe(1)
    here.world.now += 90_001

    const taker = await sourceOf(here, other)
    const refused = Promise.withResolvers<void>()
    const takenOver = taker.renew(version, async (current) => {
      await refused.promise
      return vendor.exchange(current)
    })
    await expect
      .poll(async () => (await here.world.raw().db.selectFrom('connectors').select('lease_until').executeTakeFirst())?.lease_until)
      .toBe(here.world.now + 90_000)
    vendor.answer()
    expect(values(await late)['access_token']).toBe('access-2')
    await turns(5)
    refused.resolve()
    expect(values(await takenOver)['access_token']).toBe('access-2')
    expect((await here.platform.connectors.get(here.principal, here.id)).status).toBe('active')
  })
})
