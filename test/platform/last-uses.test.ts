import { expect, test } from 'vitest'
import { LastUses } from '../../packages/server/src/tenancy/tokens/mcp-tokens.ts'
import { share } from '../support/share.ts'
import { createWorld, firstPrincipal, overBoth } from './world.ts'

overBoth('the last uses of tokens', async (database) => {
  const world = await share(createWorld(database, 'last_uses'))
  const platform = await world.open()
  const first = await firstPrincipal(platform)
  const made = ['a', 'b', 'c'].map((name) => platform.mcpTokens.create(first, { name }))
  const ids = (await Promise.all(made)).map(({ id }) => id)
  const raw = world.raw()

  const rows = async () => {
    const found = await raw.db.selectFrom('mcp_tokens').select(['id', 'last_used_at']).execute()
    return ids.map((id) => found.find((row) => row.id === id)?.last_used_at ?? null)
  }
  /** Counts statements that reach the database. */
  const counting = () => {
    let statements = 0
    const db = new Proxy(raw.db, {
      get: (target, name) => {
        if (name === 'updateTable') statements += 1
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { database: { ...raw, db }, count: () => statements }
  }
  const failOn = (error: unknown): never => {
    throw error
  }

  test('of many calls are one statement, and nothing is written again within a minute', async () => {
    const { database: counted, count } = counting()
    const uses = new LastUses({ database: counted, onBackgroundError: failOn })
    const start = world.now
    for (let call = 0; call < 1_000; call += 1) uses.note({ id: ids[call % 2] ?? '', last_used_at: null }, start + call)
    await uses.store()
    expect([count(), await rows()]).toEqual([1, [start, start, null]])
    for (const id of ids.slice(0, 2)) uses.note({ id, last_used_at: start }, start + 59_999)
    await uses.store()
    expect(count()).toBe(1)
    for (const id of ids) uses.note({ id, last_used_at: id === ids[2] ? null : start }, start + 60_000)
    await uses.store()
    expect([count(), await rows()]).toEqual([2, [start + 60_000, start + 60_000, start + 60_000]])
  })

  test('of another node win when they are later or less than a minute older', async () => {
    const uses = new LastUses({ database: raw, onBackgroundError: failOn })
    const before = await rows()
    uses.note({ id: ids[0] ?? '', last_used_at: null }, (before[0] ?? 0) + 30_000)
    uses.note({ id: ids[1] ?? '', last_used_at: null }, (before[1] ?? 0) - 30_000)
    await uses.store()
    expect(await rows()).toEqual(before)
  })

  test('are lost when the database fails, and the next ones are stored', async () => {
    const failures: unknown[] = []
    const broken = { ...raw, db: new Proxy(raw.db, { get: () => failOn(new Error('the database is away')) }) }
    const uses = new LastUses({ database: broken, onBackgroundError: (error) => failures.push(error) })
    uses.note({ id: ids[0] ?? '', last_used_at: null }, world.now)
    await uses.store()
    await uses.store()
    expect(failures).toHaveLength(1)
  })
})
