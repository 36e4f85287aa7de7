/** Stored times stay right while the machine's clock steps by an hour. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { connectorBody, createWorldOfTest, type DatabaseName, firstPrincipal, oauth, overBoth, secretOf } from './world.ts'

const hour = 3_600_000

/** A machine with a clock that steps and a steady clock. */
class Machine {
  wall: number
  steady = 1_000
  constructor(wall: number) {
    this.wall = wall
  }
  pass(milliseconds: number): void {
    this.wall += milliseconds
    this.steady += milliseconds
  }
  get clocks() {
    return { clock: () => this.wall, steady: () => this.steady }
  }
}

const opened = (database: DatabaseName) => createWorldOfTest(database, 'clock')

describe('on SQLite, stored times', () => {
  const begun = async () => {
    const world = await opened('sqlite')
    const machine = new Machine(world.now)
    return { world, machine, start: world.now, platform: await world.open(machine.clocks) }
  }

  test('go on where they were when the clock steps back, and follow it when it steps ahead', async () => {
    const { machine, start, platform } = await begun()
    machine.pass(5_000)
    expect(platform.clock()).toBe(start + 5_000)
    machine.wall -= hour
    expect(platform.clock()).toBe(start + 5_000)
    machine.pass(7_000)
    expect(platform.clock()).toBe(start + 12_000)
    machine.wall += 2 * hour
    expect(platform.clock()).toBe(start + 12_000 + hour)
  })

  test('do not run backwards over a restart either; a clock that was wrong by more than a day is not followed', async () => {
    const { world, machine, start, platform } = await begun()
    await platform.close()
    machine.wall -= hour
    machine.steady = 20
    const next = await world.open(machine.clocks)
    machine.pass(1_000)
    expect(next.clock()).toBe(start + 1_000)
    await next.close()
    machine.wall -= 30 * 24 * hour
    expect((await world.open(machine.clocks)).clock()).toBe(machine.wall)
  })
})

test('on PostgreSQL, stored times are those of the database, whatever the machine shows', async () => {
  const world = await opened('postgres')
  const machine = new Machine(Date.parse('2001-01-01T00:00:00Z'))
  const platform = await world.open(machine.clocks)
  const { rows } = await sql<{ now: string }>`select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(world.raw().db)
  const theirs = Number(rows[0]?.now)
  expect(Math.abs(platform.clock() - theirs)).toBeLessThan(60_000)
  const before = platform.clock()
  machine.wall -= hour
  machine.pass(1_000)
  machine.wall += 3 * hour
  expect(platform.clock()).toBe(before + 1_000)
})

overBoth('a step of an hour', (database) => {
  /** Creates a connector whose token renewal stalls; another process may take over after the lease expires. */
  const leased = async () => {
    const world = await opened(database)
    const machine = new Machine(Date.now())
    const open = () => world.open({ ...machine.clocks, sleep: async (milliseconds) => machine.pass(milliseconds) })
    const platform = await open()
    const principal = await firstPrincipal(platform)
    const { id } = await platform.connectors.create(principal, connectorBody({ credentials: oauth }))
    const sourceOf = async (of: Platform) => (await of.connectors.readAccess(principal, id)).connection.credentials
    const beside = await world.open({
      ...machine.clocks,
      role: 'administration',
      sleep: async (milliseconds) => machine.pass(milliseconds),
    })
    const { promise: standstill, reject: end } = Promise.withResolvers<never>()
    const stuck = await sourceOf(platform)
    const { version } = await stuck.open()
    const renewal = stuck.renew(version, () => standstill).catch(() => undefined)
    await expect
      .poll(async () => (await sql<{ at: unknown }>`select lease_until as at from connectors`.execute(world.raw().db)).rows[0]?.at)
      .not.toBeNull()
    const finish = async () => {
      end(new Error('it stood still'))
      await renewal
    }
    return { machine, source: await sourceOf(beside), version, finish }
  }

  test.each([-hour, hour])('by %i ms does not lengthen a lease: it is over after its time', async (step) => {
    const { machine, source, version, finish } = await leased()
    machine.wall += step
    machine.pass(91_000)
    const renewed = await source.renew(version, async () => secretOf({ ...oauth, access_token: 'renewed' }))
    expect(renewed.values.reveal()['access_token']).toBe('renewed')
    await finish()
  })
})
