import { expect, test } from 'vitest'
import { addUsage } from '../../packages/server/src/calls/sql/usage.ts'
import { UsageCounts } from '../../packages/server/src/calls/usage/usage.ts'
import type { ConnectorRef, Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, newTenant, openBeside, overBoth, refusal, scopedPrincipal } from './world.ts'

const minute = 60_000
const day = 86_400_000

overBoth('calls over time', async (database) => {
  const world = await share(createWorld(database, 'usage'))
  const platform = await world.open()
  const first = await firstPrincipal(platform)

  /** A connector of a tenant. */
  const findRef = async (principal: Principal, workspace = 'default'): Promise<ConnectorRef> => {
    const body = connectorBody({ workspace_name: workspace })
    const { id, workspace_id: workspaceId } = await platform.connectors.create(principal, body)
    return { organizationId: principal.organizationId, workspaceId, connectorId: id }
  }
  const read = (principal: Principal, query: Record<string, unknown> = {}) => platform.usage.read(principal, query)
  const callsOf = async (principal: Principal, query: Record<string, unknown> = {}) => (await read(principal, query)).total.calls

  test('are buckets with errors by code and with latencies, empty ones included', async () => {
    const principal = await newTenant(platform, first)
    const ref = await findRef(principal)
    for (let call = 0; call < 90; call += 1) platform.usage.count(ref, 'ok', 15)
    for (let call = 0; call < 9; call += 1) platform.usage.count(ref, 'upstream_error', 300)
    platform.usage.count(ref, 'invalid_parameter', 0.2)
    platform.usage.count(ref, 'aborted', 59_000)
    const { data, total, ...range } = await read(principal)
    expect(range).toEqual({
      from: new Date(world.now - day).toISOString(),
      to: new Date(world.now).toISOString(),
      step: '5m',
      kept_from: new Date(world.now - 14 * day).toISOString(),
    })
    expect(data).toHaveLength(288)
    expect([total.calls, data.at(-1)?.calls]).toEqual([0, 0]) // the bucket that has just begun is not within a range until now
    world.now += 1
    const now = await read(principal)
    expect(now.data).toHaveLength(289)
    expect(now.data.at(-1)).toEqual({ time: new Date(world.now - 1).toISOString(), ...now.total })
    expect(now.total).toEqual({
      calls: 101,
      failed: 10,
      aborted: 1,
      errors: [
        { code: 'upstream_error', fault: 'vendor', calls: 9 },
        { code: 'invalid_parameter', fault: 'caller', calls: 1 },
      ],
      latency: { p50_ms: 15.4, p95_ms: 333.3, p99_ms: 466.7 },
    })
    expect(now.data[0]).toEqual({ time: now.from, calls: 0, failed: 0, aborted: 0, errors: [], latency: null })
  })

  test('of several nodes and groups add up, in buckets of any length', async () => {
    const principal = await newTenant(platform, first)
    const ref = await findRef(principal)
    const raw = world.raw()
    const onBackgroundError = (error: unknown) => {
      throw error
    }
    const node = new UsageCounts({ clock: () => world.now, add: (rows) => addUsage(raw.db, rows), onBackgroundError })
    const begin = Math.ceil(world.now / (5 * minute)) * 5 * minute
    for (const minutes of [0, 4, 61]) {
      world.now = begin + minutes * minute
      node.count(ref, 'ok', 1)
      platform.usage.count(ref, 'ok', 1)
      await node.store()
      await platform.usage.store()
    }
    world.now += 1
    const filled = async (step: string) =>
      (await read(principal, { step })).data
        .filter(({ calls }) => calls > 0)
        .map(({ time, calls }) => [(Date.parse(time) - begin) / minute, calls])
    const toHour = (begin % (60 * minute)) / minute
    expect(await filled('5m')).toEqual([
      [0, 4],
      [60, 2],
    ])
    expect(await filled('1h')).toEqual([
      [-toHour, 4],
      [60 - toHour, 2],
    ])
    expect((await filled('1d')).map(([, calls]) => calls)).toEqual([6])
  })

  test('are seen by those only who see the connector', async () => {
    const [owner, stranger] = [await newTenant(platform, first, 'Owner'), await newTenant(platform, first, 'Stranger')]
    const [inside, outside] = [await findRef(owner, 'Inside'), await findRef(owner, 'Outside')]
    for (const ref of [inside, outside, outside]) platform.usage.count(ref, 'ok', 1)
    world.now += 1
    const scoped = await scopedPrincipal(platform, owner, 'Inside')
    const one = { ...owner, connectorIds: [outside.connectorId] }
    expect([await callsOf(owner), await callsOf(scoped), await callsOf(one), await callsOf(stranger)]).toEqual([3, 1, 2, 0])
    expect(await callsOf(owner, { workspace_id: outside.workspaceId })).toBe(2)
    expect(await callsOf(owner, { connector_id: inside.connectorId })).toBe(1)
    for (const who of [scoped, stranger, one]) {
      const own = who === one ? inside : outside
      expect(await refusal(callsOf(who, { connector_id: own.connectorId }))).toContain('connector_not_found')
      expect(await callsOf(who, { workspace_id: own.workspaceId })).toBe(0)
    }
    await platform.connectors.remove(owner, inside.connectorId)
    expect([await callsOf(owner), await refusal(callsOf(owner, { connector_id: inside.connectorId }))]).toEqual([
      3,
      expect.stringContaining('connector_not_found'),
    ])
  })

  test('are stored when the service ends, and deleted when they are old', async () => {
    const principal = await newTenant(platform, first)
    const ref = await findRef(principal)
    const other = await openBeside(world)
    other.usage.count(ref, 'ok', 1)
    await other.close()
    world.now += 1
    expect(await callsOf(principal)).toBe(1)
    const at = { from: new Date(world.now - day).toISOString(), to: new Date(world.now).toISOString() }
    const counts = async () => [await callsOf(principal, { ...at, step: '5m' }), await callsOf(principal, { ...at, step: '1h' })]
    world.now += 14 * day - 10 * minute
    await platform.usage.purgeExpired(world.now)
    expect(await counts()).toEqual([1, 1])
    world.now += 10 * minute
    expect(await platform.usage.purgeExpired(world.now)).toBeGreaterThan(0)
    expect(await counts()).toEqual([0, 1])
    world.now += 76 * day
    await platform.usage.purgeExpired(world.now)
    expect([await counts(), await platform.usage.purgeExpired(world.now)]).toEqual([[0, 0], 0])
  })

  test('are refused for ranges that cannot be answered', async () => {
    const from = new Date(world.now - 15 * day).toISOString()
    expect(await refusal(read(first, { from, step: '5m' }))).toContain('validation_failed')
    expect(await refusal(read(first, { from, to: from }))).toContain('validation_failed')
    expect((await read(first, { from })).step).toBe('1h')
    expect((await read(first, { from: new Date(world.now - 60 * day).toISOString() })).step).toBe('1d')
  })
})

test('a database that hangs costs two groups of memory, and a failed write loses its own group only', async () => {
  const errors: unknown[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const written: (readonly unknown[])[] = []
  let now = 0
  const add = (rows: readonly unknown[]): Promise<void> => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    written.push(rows)
    return gate.promise
  }
  const counts = new UsageCounts({ clock: () => now, add, onBackgroundError: (error) => errors.push(error) })
  const ref = { organizationId: 'o', workspaceId: 'w', connectorId: 'c' }
  for (; now < 60 * minute; now += minute) counts.count(ref, 'ok', 1)
  expect(written).toHaveLength(1)
  gates[0]?.reject(new Error('gone'))
  const stored = counts.store()
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toHaveLength(2)
  gates[1]?.resolve()
  await stored
  expect(errors).toEqual([new Error('gone')])
  expect(written[1]).toHaveLength(6) // the organization, the workspace and the connector, in two lengths
})
