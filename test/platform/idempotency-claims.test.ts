import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { type Claim, claimLifeMs, type Hold } from '../../packages/ferrule/src/engine/writes/claims.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { share } from '../support/share.ts'
import { ask, type Desk, openDesk, written } from './idempotency-support.ts'
import { connectorBody, newTenant, overBoth, refusal } from './world.ts'

const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

overBoth('a vendor request id', async (database) => {
  const desk = await share(openDesk(database, 'claims'))

  interface Claimed {
    /** Hold of the claim; when absent, the hold of a finished call. */
    readonly hold?: Hold
    readonly connectorId?: string
    readonly principal?: Desk['principal']
    readonly platform?: Platform
  }
  async function claimsOf({ connectorId = desk.connectorId, principal = desk.principal, platform = desk.platform }: Claimed = {}) {
    const { connection } = await platform.connectors.readAccess(principal, connectorId)
    return connection.writes
  }
  const claim = async (requestId: string, fingerprint: string, by: Claimed = {}): Promise<Claim | undefined> =>
    (await claimsOf(by))?.claim(requestId, fingerprint, by.hold ?? { owner: randomUUID(), until: 0 })
  const rows = async () => (await sql<{ fingerprint: string }>`select * from request_claims`.execute(desk.world.raw().db)).rows

  test('stands for one write of its connector, on every node', async () => {
    const other = await desk.node()
    expect(await claim(id, 'insert a')).toEqual({ repeated: false })
    expect(await claim(id.toUpperCase(), 'insert a', { platform: other })).toEqual({ repeated: true })
    expect(await claim(id, 'insert a')).toEqual({ repeated: true })
    for (const platform of [desk.platform, other])
      expect(await refusal(claim(id, 'insert b', { platform }))).toBe(
        `request_id_conflict: The request id ${id} was used for another statement.`,
      )
  })

  test('is another one on another connector', async () => {
    const tenant = await newTenant(desk.platform, desk.principal, 'Neighbour')
    const second = await desk.platform.connectors.create(desk.principal, connectorBody({ name: 'Second' }))
    const third = await desk.platform.connectors.create(tenant, connectorBody())
    expect(await claim(id, 'insert b', { connectorId: second.id })).toEqual({ repeated: false })
    expect(await claim(id, 'insert c', { connectorId: third.id, principal: tenant })).toEqual({ repeated: false })
    const same = (await rows()).map(({ fingerprint }) => fingerprint)
    expect(new Set(same).size).toBe(same.length)
    expect(same.join()).not.toContain('insert')
  })

  test('is given to one of many writes at a time', async () => {
    const other = await desk.node()
    const writes = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a']
    const told = await Promise.allSettled(
      writes.map((write, index) => claim('contended', write, { platform: index % 2 === 0 ? desk.platform : other })),
    )
    const firsts = writes.filter((_, index) => told[index]?.status === 'fulfilled')
    expect(new Set(firsts).size).toBe(1)
    expect(told.filter((each) => each.status === 'fulfilled' && each.value?.repeated === false)).toHaveLength(1)
  })

  test('is held by one call at a time on all nodes, until that one has ended or its time is over', async () => {
    const other = await desk.node()
    const [mine, theirs] = [randomUUID(), randomUUID()]
    const [until, later] = [desk.world.now + 5_000, desk.world.now + 9_000]
    expect(await claim('held', 'a', { hold: { owner: mine, until } })).toEqual({ repeated: false })
    const second = { platform: other, hold: { owner: theirs, until: later } }
    expect(await claim('held', 'a', second)).toEqual({ repeated: true, busyUntil: until })
    expect(await claim('held', 'a', { hold: { owner: mine, until: until + 1 } })).toEqual({ repeated: false })
    await (await claimsOf(second))?.settle('held', { owner: theirs, until: 0 })
    expect(await claim('held', 'a', second)).toEqual({ repeated: true, busyUntil: until + 1 })
    desk.world.now += 1_000
    await (await claimsOf())?.settle('held', { owner: mine, until: desk.world.now })
    expect(await claim('held', 'a', second)).toEqual({ repeated: true })
    expect(await claim('held', 'a', { hold: { owner: mine, until: later } })).toEqual({ repeated: true, busyUntil: later })
    desk.world.now = later
    expect(await claim('held', 'a', { hold: { owner: mine, until: later } })).toEqual({ repeated: true })
  })

  test('is held by one of many calls at a time', async () => {
    const other = await desk.node()
    const until = desk.world.now + 5_000
    const told = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        claim('wanted', 'a', { platform: index % 2 === 0 ? desk.platform : other, hold: { owner: randomUUID(), until } }),
      ),
    )
    expect(told.filter((each) => each?.busyUntil === undefined)).toEqual([{ repeated: false }])
  })

  test('is kept for seven days after its last claim', async () => {
    for (const _ of ['first', 'last']) {
      await claim('weekly', 'a')
      desk.world.now += claimLifeMs - 1
    }
    expect(await refusal(claim('weekly', 'b'))).toMatch(/^request_id_conflict/)
    desk.world.now += 1
    expect(await claim('weekly', 'b')).toEqual({ repeated: false })
    expect(await refusal(claim('weekly', 'a'))).toMatch(/^request_id_conflict/)
    for (let index = 0; index < 110; index++) await claim(`batch ${index}`, 'a')
    desk.world.now += claimLifeMs
    await claim('young', 'a')
    await desk.platform.writes.purgeExpired(desk.world.now)
    expect(await rows()).toHaveLength(1)
    expect(await refusal(claim('young', 'b'))).toMatch(/^request_id_conflict/)
  })

  test.each(['', 'x'.repeat(256), 'a\u0000b'])('that is %j is refused', async (wrong) => {
    expect(await refusal(claim(wrong, 'a'))).toMatch(/^validation_failed/)
  })

  test('that was refused frees the key of its call', async () => {
    await claim('taken', 'a')
    const run = async (connection: Connection) => {
      await connection.writes?.claim('taken', 'b', { owner: randomUUID(), until: 0 })
      return written({})
    }
    expect(await ask(desk, { key: 'conflicting', run })).toMatchObject({ code: 'request_id_conflict' })
    expect(await ask(desk, { key: 'conflicting', run: async () => written('other id') })).toMatchObject({ status: 200, replayed: false })
  })

  test('is not claimed by credentials that are only tried', async () => {
    expect((await desk.platform.connectors.trial(desk.principal, connectorBody())).writes).toBeUndefined()
  })
})
