import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createContextDatabase } from '../../packages/server/src/copies/store/database/context-database.ts'
import { Lane } from '../../packages/server/src/copies/store/database/database.ts'
import { share } from '../support/share.ts'
import { createStoreWorld, ignoreWaits, oneValue, overBoth, refusal } from './store-world.ts'

/** Runs for many minutes. */
const endless = 'select count(*) from generate_series(1, 100000000000)'

overBoth('the database', async (engine) => {
  const world = await share(createStoreWorld(engine))
  // What waits while the thread of the embedded database starts again has its time.
  const database = await world.open({ settings: { ...world.settings, searchSeconds: 100 } }).openDatabase()
  /** Opens another store: an embedded database has one only. */
  const openOther = async () => (engine === 'embedded' ? await createStoreWorld(engine) : world).open()

  test('decodes values by one rule', async () => {
    const text = `select 9007199254740993::int8 as int8, 7::int4 as int4, 7::int2 as int2, 0.1::float8 as float8, 1.10::numeric as numeric,
      true as truth, '{"a": 1}'::json as json, '{"a": 9007199254740993}'::jsonb as jsonb, array['a','b'] as texts, null as nothing, 'ö' as text`
    const row = {
      int8: 9007199254740993n,
      int4: 7,
      int2: 7,
      float8: 0.1,
      numeric: '1.10',
      truth: true,
      json: '{"a": 1}',
      jsonb: '{"a": 9007199254740993}',
      texts: '{a,b}',
      nothing: null,
      text: 'ö',
    }
    expect(await database.query({ text })).toEqual({ rows: [row], count: 1, tookMs: expect.any(Number) })
  })

  test('takes values exactly, prepared or not', async () => {
    const text = 'select $1::int8 as a, $2::text[] as b, $3::boolean as c, $4::jsonb as d, $5::text as e'
    const values = [9223372036854775807n, ['x,"y"', null, 'ö'], false, '{"n":12345678901234567890}', null]
    const row = { a: 9223372036854775807n, b: '{"x,\\"y\\"",NULL,ö}', c: false, d: '{"n": 12345678901234567890}', e: null }
    for (const name of [undefined, 'exact', 'exact'])
      expect((await database.query({ text, values, ...(name === undefined ? {} : { name }) })).rows).toEqual([row])
  })

  test('prepares any number of statements', async () => {
    for (let index = 0; index < 1_300; index += 1)
      expect(await database.query({ name: `many_${index}`, text: `select ${index}::int4 as n` })).toMatchObject({ rows: [{ n: index }] })
  })

  test('undoes a transaction that fails, and goes on', async () => {
    await database.transaction(({ query }) => query({ text: 'create table undone (n int4)' }))
    const failing = database.transaction(async ({ query }) => {
      await query({ text: 'insert into undone values (1)' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await expect(database.transaction(({ query }) => query({ text: 'insert into undone values (1/0)' }))).rejects.toThrow(
      'division by zero',
    )
    expect(await oneValue(database, 'select count(*) from undone')).toBe(0n)
  })

  test('tries a transaction again after a conflict', async () => {
    let attempts = 0
    const work = database.transaction(async ({ query }) => {
      attempts += 1
      if (attempts < 3) await query({ text: `do $$ begin raise exception 'again' using errcode = '40P01'; end $$` })
      return attempts
    })
    expect(await work).toBe(3)
  })

  test('stops a search that takes too long, and answers the others that wait', async () => {
    ignoreWaits()
    const slow = refusal(database.query({ text: endless }, { timeoutMs: 300 }))
    const others = Array.from({ length: 10 }, (_, index) => oneValue(database, `select ${index}`))
    expect(await slow).toBe('context_store_timeout: The database of the copies is busy: it did not finish within 1 seconds.')
    expect(await Promise.all(others)).toEqual(Array.from({ length: 10 }, (_, index) => index))
    const hinted = database.query({ text: endless }, { timeoutMs: 300, lateHint: () => 'Ask for less.' })
    await expect(hinted).rejects.toMatchObject({ code: 'context_store_timeout', hint: 'Ask for less.' })
  })

  test.each(['53200', '53400'])('says what helps a search that needs too much memory or space (%s)', async (code) => {
    const text = `do $$ begin raise exception 'too much' using errcode = '${code}'; end $$`
    const hinted = database.query({ text }, { lateHint: () => 'Ask for less.' })
    await expect(hinted).rejects.toMatchObject({ code: 'query_too_complex', hint: 'Ask for less.' })
    expect(await refusal(database.query({ text }))).toMatch(/^context_store_unavailable/)
    expect(await oneValue(database, 'select 1')).toBe(1)
  })

  test('stops a transaction that takes too long, also when it waits for something else', async () => {
    const late = 'context_store_timeout: The database of the copies is busy: it did not finish within 1 seconds.'
    const slow = database.transaction(({ query }) => query({ text: endless }), { timeoutMs: 300 })
    expect(await refusal(slow)).toBe(late)
    // The statement has less time than its transaction, and names the transaction's.
    const inner = Promise.withResolvers<string>()
    const told = database.transaction(
      ({ query }) => {
        const stopped = query({ text: endless })
        inner.resolve(refusal(stopped))
        return stopped
      },
      { timeoutMs: 3_000 },
    )
    expect([await refusal(told), await inner.promise]).toEqual(Array(2).fill(late.replace('1 seconds', '3 seconds')))
    expect(await refusal(database.transaction(() => new Promise(() => undefined), { timeoutMs: 300 }))).toBe(late)
    // A sync has no filter.
    const hint = expect.not.stringMatching(/filter/)
    await expect(slow).rejects.toMatchObject({ code: 'context_store_timeout', hint })
    expect(await oneValue(database, 'select 1')).toBe(1)
  })

  test('gives a search up when nobody waits for it any more', async () => {
    const gone = new AbortController()
    const counting = refusal(database.query({ text: 'select count(*) from generate_series(1, 1000000)' }, { signal: gone.signal }))
    gone.abort(new Error('gone'))
    expect(await counting).toContain('gone')
    expect(await refusal(database.query({ text: 'select 1' }, { signal: gone.signal }))).toContain('gone')
    expect(await oneValue(database, 'select 1')).toBe(1)
  })

  test('refuses a nesting that is too deep, and goes on', async () => {
    await database.transaction(({ query }) =>
      query({ text: 'create function deeper(n int4) returns int4 language plpgsql as $$ begin return deeper(n + 1); end $$' }),
    )
    await expect(database.query({ text: 'select deeper(1)' })).rejects.toThrow('stack depth limit exceeded')
    expect(await oneValue(database, 'select 1')).toBe(1)
  })

  test('finishes what runs when it is closed', async () => {
    const store = await openOther()
    const closing = await store.openDatabase()
    const begun = Promise.withResolvers<void>()
    const work = closing.transaction(async ({ query }) => {
      await query({ text: 'create table finished (n int4)' })
      begun.resolve()
      return (await query({ text: 'select count(*) as n from generate_series(1, 300000)' })).rows
    })
    await begun.promise
    await store.close()
    expect(await work).toEqual([{ n: 300000n }])
  })

  test('refuses work when it is closed', async () => {
    const store = await openOther()
    const closing = await store.openDatabase()
    await store.close()
    expect(await refusal(closing.query({ text: 'select 1' }))).toBe('context_store_unavailable: The copies are not available.')
    expect(await refusal(store.openDatabase())).toContain('context_store_unavailable')
  })
})

describe('the time of a search', () => {
  /** A database of one connection, whose statements end only when they are stopped. */
  function openSilent() {
    const lane = new Lane({ slots: 1, waiting: 10, waitMs: 60_000 })
    const stopped = Promise.withResolvers<never>()
    const connection = {
      run: () => stopped.promise,
      limit: async () => undefined,
      stop: async () => stopped.reject(new Error('stopped')),
      release: () => undefined,
    }
    const limits = { search: 10_000, write: 60_000 }
    const engine = { name: 'embedded', lanes: { search: lane, write: lane }, limits, connect: async () => connection } as const
    return { lane, database: createContextDatabase({ ...engine, close: async () => undefined }) }
  }

  test('names whole seconds of the whole search, whatever is left of them', async () => {
    const { database } = openSilent()
    const late = refusal(database.query({ text: 'select 1' }, { timeoutMs: 99.981_7, wholeMs: 10_000 }))
    expect(await late).toBe('context_store_timeout: The database of the copies is busy: it did not finish within 10 seconds.')
  })

  test('begins with the wait for its slot, which ends as a service that is busy', async () => {
    const { lane, database } = openSilent()
    await lane.enter('write')
    const says = 'overloaded: The service is busy: no slot at the database of the copies within 1 seconds.'
    expect(await refusal(database.query({ text: 'select 1' }, { timeoutMs: 20, lateHint: () => 'Narrow the filter.' }))).toBe(says)
  })

  test('that was mostly spent waiting asks nobody to change the filter', async () => {
    let passedMs = 0
    const { now } = performance
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passedMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const { lane, database } = openSilent()
    const leave = await lane.enter('write')
    const late = refusal(database.query({ text: 'select 1' }, { timeoutMs: 10_000, lateHint: () => 'Narrow the filter.' }))
    passedMs = 9_900
    leave()
    const says = 'a search waited 10 of its 10 seconds for a slot at the database of the copies'
    expect(await late).toBe(`overloaded: The service is busy: ${says}.`)
  })
})

describe('a lane', () => {
  const laneOf = (limits: Partial<ConstructorParameters<typeof Lane>[0]> = {}) =>
    new Lane({ slots: 1, waiting: 2, waitMs: 60_000, ...limits })

  test('lets so many in, so many wait, and refuses the rest', async () => {
    const lane = laneOf()
    const leave = await lane.enter('search')
    const waiting = [lane.enter('search'), lane.enter('search')]
    expect(await refusal(lane.enter('search'))).toBe(
      'overloaded: The service is busy: 2 searches wait for the database of the copies already.',
    )
    expect(lane.load).toEqual({ running: 1, waiting: 2 })
    leave()
    leave()
    const second = await waiting[0]
    expect(lane.load).toEqual({ running: 1, waiting: 1 })
    second?.()
    ;(await waiting[1])?.()
    expect(lane.load).toEqual({ running: 0, waiting: 0 })
  })

  test('lets writes wait longer than searches', async () => {
    const lane = laneOf({ waitMs: 1, writeWaitMs: 600_000 })
    const leave = await lane.enter('write')
    const write = lane.enter('write')
    expect(await refusal(lane.enter('search'))).toContain('no slot at the database of the copies')
    expect(lane.load).toEqual({ running: 1, waiting: 1 })
    leave()
    ;(await write)()
  })

  test('lets searches overtake writes, but not for ever', async () => {
    const lane = laneOf({ waiting: 100 })
    const order: string[] = []
    const first = await lane.enter('write')
    const enter = async (purpose: 'search' | 'write', name: string) => {
      const leave = await lane.enter(purpose)
      order.push(name)
      leave()
    }
    const all = [enter('write', 'w'), ...Array.from({ length: 6 }, (_, index) => enter('search', `s${index}`))]
    first()
    await Promise.all(all)
    expect(order).toEqual(['s0', 's1', 's2', 's3', 'w', 's4', 's5'])
  })

  test('forgets who gives up, and who waited too long', async () => {
    const lane = laneOf({ waitMs: 1 })
    const leave = await lane.enter('search')
    const gone = new AbortController()
    const given = refusal(laneOf().enter('search', AbortSignal.abort(new Error('before'))))
    const waiting = refusal(lane.enter('search', gone.signal))
    gone.abort(new Error('gone'))
    expect([await given, await waiting]).toEqual([expect.stringContaining('before'), expect.stringContaining('gone')])
    expect(await refusal(lane.enter('write'))).toBe(
      'overloaded: The service is busy: no slot at the database of the copies within 1 seconds.',
    )
    expect(lane.load).toEqual({ running: 1, waiting: 0 })
    leave()
  })

  test('refuses everybody with one reason when it closes', async () => {
    const lane = laneOf()
    const leave = await lane.enter('search')
    const waiting = [lane.enter('search'), lane.enter('write')].map(refusal)
    const closed = lane.close(new Error('closed'))
    expect(await Promise.all(waiting)).toEqual(['undefined: closed', 'undefined: closed'])
    expect(await refusal(lane.enter('search'))).toBe('undefined: closed')
    leave()
    await closed
    await laneOf().close(new Error('closed'))
  })
})
