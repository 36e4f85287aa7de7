import { describe, expect, test, vi } from 'vitest'
import { ask } from './client.ts'
import { codeOf, context, dataOf, handleOf, openDepot, partitionsOf, repeatable } from './snowflake-client.ts'

const { snowflake, origin, submit, poll, cancel } = await openDepot()
const endless =
  'SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 10000000)) a, TABLE(GENERATOR(ROWCOUNT => 10000000)) b WHERE a."SEQ$" + b."SEQ$" = 1'
const insert = "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'a')"
const counters = () => snowflake.rowCount('SCRATCH.COUNTERS')
const ended = async (handle: string) => {
  await vi.waitFor(async () => expect((await poll(handle)).status).not.toBe(202), { timeout: 240_000 })
  return poll(handle)
}

describe('a statement that takes its time', () => {
  test('is accepted at once when it is asynchronous, and when the window is closed', async () => {
    const asynchronous = await submit('SELECT 1', { query: { async: 'true' } })
    expect(codeOf(asynchronous)).toEqual([202, '333334', undefined])
    expect(dataOf(await ended(handleOf(asynchronous)))).toEqual([['1']])
    snowflake.switches.set({ windowMs: 0 })
    const late = await submit('SELECT 2')
    expect(late.status).toBe(202)
    expect(dataOf(await ended(handleOf(late)))).toEqual([['2']])
  })

  test('is accepted when the window has passed', async () => {
    snowflake.switches.set({ windowMs: 20 })
    const hold = snowflake.hold({ answer: 'nothing' })
    const answer = await submit('SELECT 1')
    expect(answer.status).toBe(202)
    hold.release()
    expect((await ended(handleOf(answer))).status).toBe(200)
  })

  test('can keep its client waiting', async () => {
    const hold = snowflake.hold({ answer: 'nothing' })
    const waiting = submit('SELECT 1')
    await hold.caught()
    expect(hold.waiting()).toBe(1)
    hold.release()
    expect((await waiting).status).toBe(200)
  })

  test('can fail by itself after it was accepted', async () => {
    const failing = await submit("SELECT 'x'::INT", { query: { async: 'true' } })
    expect(codeOf(await ended(handleOf(failing)))).toEqual([422, '100038', '22018'])
  })

  test('stands still before it is committed, and after', async () => {
    const open = snowflake.hold({ moment: 'uncommitted' })
    const first = handleOf(await submit(insert))
    await open.caught()
    expect([await counters(), snowflake.executed().map(({ outcome }) => outcome)]).toEqual([0, ['running']])
    open.release()
    expect((await ended(first)).status).toBe(200)
    const done = snowflake.hold({ moment: 'committed' })
    const second = handleOf(await submit(insert))
    await done.caught()
    expect([await counters(), (await poll(second)).status]).toEqual([2, 202])
    done.release()
    expect((await ended(second)).status).toBe(200)
  })

  test('is polled with 429 now and then', async () => {
    snowflake.switches.set({ busyPolls: 2 })
    const hold = snowflake.hold()
    const handle = handleOf(await submit('SELECT 1'))
    const polls = [await poll(handle), await poll(handle), await poll(handle)]
    expect(polls.map(codeOf)).toEqual([
      [429, '333334', undefined],
      [429, '333334', undefined],
      [202, '333334', undefined],
    ])
    hold.release()
  })

  test('is refused when there are too many', async () => {
    snowflake.switches.set({ unfinishedLimit: 1 })
    const hold = snowflake.hold()
    expect((await submit('SELECT 1')).status).toBe(202)
    expect(codeOf(await submit('SELECT 1'))).toEqual([429, '390505', undefined])
    hold.release()
  })
})

describe('time', () => {
  test('a timeout that is over before the statement begins ends it, without a warning of the process', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    snowflake.switches.set({ timeoutSecondMs: 0 })
    expect((await submit(insert, { body: { timeout: 5 } })).status).toBe(408)
    process.off('warning', warned)
    expect([await counters(), warned.mock.calls]).toEqual([0, []])
  })

  test('what is committed is not ended', async () => {
    const hold = snowflake.hold({ moment: 'committed' })
    const handle = handleOf(await submit(insert))
    await hold.caught()
    expect(codeOf(await cancel(handle))).toEqual([422, '000605', '02000'])
    hold.release()
    expect((await ended(handle)).status).toBe(200)
  })

  test('a timeout of 0 is the longest', async () => {
    expect((await submit('SELECT 1', { body: { timeout: 0 } })).status).toBe(200)
  })
})

describe('cancelling', () => {
  test('ends what runs', async () => {
    const handle = handleOf(await submit(endless, { query: { async: 'true' } }))
    await vi.waitFor(() => expect(snowflake.executed()).toHaveLength(1), { timeout: 240_000 })
    expect((await cancel(handle)).body).toEqual({
      code: '000604',
      sqlState: '57014',
      message: 'SQL execution canceled',
      statementHandle: handle,
      statementStatusUrl: `/api/v2/statements/${handle}`,
    })
    expect(codeOf(await poll(handle))).toEqual([422, '000604', '57014'])
    expect(snowflake.executed()[0]?.outcome).toBe('canceled')
  })

  test('finds nothing to end in a finished or unknown statement', async () => {
    const handle = handleOf(await submit('SELECT 1'))
    expect(codeOf(await cancel(handle))).toEqual([422, '000605', '02000'])
    const unknown = crypto.randomUUID()
    for (const answer of [await cancel(unknown), await poll(unknown)]) {
      expect(answer.body).toEqual({
        code: '000709',
        message: `Statement ${unknown} not found`,
        sqlState: '02000',
        statementHandle: unknown,
      })
      expect(answer.status).toBe(422)
    }
  })
})

describe('repeated requests', () => {
  test('without retry it runs again', async () => {
    const { first } = repeatable()
    await submit(insert, { query: first })
    await submit(insert, { query: first })
    expect(await counters()).toBe(2)
  })

  test('what failed or never came runs', async () => {
    const { first, again } = repeatable()
    const hold = snowflake.hold({ times: 1 })
    const handle = handleOf(await submit(insert, { query: first }))
    hold.release({ code: 603 })
    expect((await ended(handle)).status).toBe(422)
    expect((await submit(insert, { query: again })).status).toBe(200)
    expect((await submit(insert, { query: repeatable().again })).status).toBe(200)
    expect(await counters()).toBe(2)
  })

  test('another statement or context is another request', async () => {
    const { first, again } = repeatable()
    await submit(insert, { query: first })
    await submit(insert.replace("'a'", "'b'"), { query: again })
    await submit(insert, { query: again, body: { schema: 'SALES' } })
    expect(await counters()).toBe(3)
  })

  test.each([
    ['join', 1, true],
    ['run_again', 2, false],
  ] as const)('while the original runs: %s', async (retryWhileRunning, times, same) => {
    snowflake.switches.set({ retryWhileRunning })
    const { first, again } = repeatable()
    const hold = snowflake.hold()
    const handles = [handleOf(await submit(insert, { query: first })), handleOf(await submit(insert, { query: again }))]
    expect(handles[0] === handles[1]).toBe(same)
    hold.release()
    for (const handle of handles) expect((await ended(handle)).status).toBe(200)
    expect(await counters()).toBe(times)
  })
})

describe('statements that end with their client or their sandbox', () => {
  test('a client that goes away ends nothing', async () => {
    const hold = snowflake.hold({ answer: 'nothing' })
    const abort = new AbortController()
    const gone = fetch(`${origin}/api/v2/statements`, {
      method: 'POST',
      headers: { authorization: 'Bearer sandbox-pat', 'content-type': 'application/json' },
      body: JSON.stringify({ statement: insert, ...context }),
      signal: abort.signal,
    })
    await hold.caught()
    abort.abort()
    await expect(gone).rejects.toThrow()
    hold.release()
    await vi.waitFor(async () => expect(await counters()).toBe(1), { timeout: 240_000 })
  })

  test('a reset ends all, and brings the rows back', async () => {
    await submit(insert)
    await submit('DELETE FROM SALES.ORDERS')
    await submit('CREATE SCHEMA MADE')
    snowflake.hold({ moment: 'uncommitted' })
    const handle = handleOf(await submit(insert))
    expect((await ask(`${origin}/_sandbox/reset`, { method: 'POST' })).status).toBe(204)
    expect(codeOf(await poll(handle))[1]).toBe('000709')
    expect([await counters(), await snowflake.rowCount('SALES.ORDERS'), snowflake.executed()]).toEqual([0, 1000, []])
    expect((await submit('SELECT 1', { body: { schema: 'MADE' } })).status).toBe(400)
    await submit(insert)
    snowflake.reset()
    expect(partitionsOf(await submit('SELECT * FROM SCRATCH.COUNTERS'))).toEqual([{ rowCount: 0, uncompressedSize: 2 }])
  })
})
