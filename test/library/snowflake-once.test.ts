/** Writes happen once, whatever the link to the warehouse does; and statements that are refused never come to it. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Fault, startSandbox } from '../../packages/sandbox/src/index.ts'
import { rows as statements } from '../connectors/snowflake/statement-table.ts'
import { failure } from '../engine/support.ts'
import { insertOnce, linesOf } from '../faults/once.ts'
import { chooseFactor, libraryWriter } from '../faults/once-doors.ts'
import { type HastenedTime, hastenTime } from '../support/hastened-time.ts'
import { share } from '../support/share.ts'
import { connectWarehouse, execute, openWarehouse, type Warehouse } from './snowflake-support.ts'

const sandbox = await share(startSandbox({ limits: false }))
const { snowflake, faults } = sandbox
/** Concurrent inserts. */
const lanes = 5
const factor = await chooseFactor(sandbox, lanes)
afterEach(() => snowflake.reset())

const modes = ['join', 'run_again'] as const
const values = "VALUES (1, 'once')"
const insert = `INSERT INTO SCRATCH.COUNTERS ${values}`
const count = () => snowflake.rowCount('SCRATCH.COUNTERS')
const succeeded = () => snowflake.executed().filter(({ outcome }) => outcome === 'succeeded')

/** What a breaking link does to one request, and whether the statement runs all the same. */
const breaks: readonly (readonly [string, Fault])[] = [
  ['a reset before the statement runs', { kind: 'reset' }],
  ['a reset after it ran', { kind: 'reset', moment: 'after' }],
  ['an answer that is cut', { kind: 'cut', after: 40 }],
  ['a 500 before', { kind: 'status', status: 500 }],
  ['a 500 after', { kind: 'status', status: 500, moment: 'after' }],
  ['a 502 of a gateway after', { kind: 'html-502', moment: 'after' }],
  ['a 503 of a gateway before', { kind: 'html-503' }],
  ['a 504 after', { kind: 'status', status: 504, moment: 'after' }],
  ['half of the JSON', { kind: 'truncated-json' }],
  ['half of the compressed answer', { kind: 'truncated-gzip' }],
  ['a body that is no JSON', { kind: 'malformed-json' }],
  ['an empty body', { kind: 'empty-body' }],
  ['JSON of something else', { kind: 'wrong-shape' }],
  ['a late answer', { kind: 'delay', ms: 20, moment: 'after' }],
  ['a late statement', { kind: 'delay', ms: 20 }],
  ['a turn that is refused', { kind: 'status', status: 429, retryAfter: 1 }],
]

describe.each(modes)('at a vendor where a retry that meets its original would %s', (mode) => {
  let connector: Warehouse
  /** Time for the engine and the time limits of the vendor; a window in which it answers that is short. */
  const hastened = (factor: number): HastenedTime => {
    const time = hastenTime(factor)
    snowflake.switches.set({ retryWhileRunning: mode, windowMs: 50, timeoutSecondMs: 1000 / factor })
    connector = openWarehouse(sandbox)
    return time
  }
  afterEach(() => connector.close())

  test.each(breaks)('every write happens once in spite of %s', async (_what, fault) => {
    using _time = hastened(100)
    snowflake.switches.set({ windowMs: 45_000, timeoutSecondMs: 60_000 }) // nothing is left running here
    const writes = [
      ['create', insert, '1,once'],
      ['update', 'UPDATE SCRATCH.COUNTERS SET N = N + 1', '2,once'],
      ['delete', 'DELETE FROM SCRATCH.COUNTERS WHERE N = 2', ''],
    ] as const
    for (const [action, statement, left] of writes) {
      faults.add({ ...fault, on: 'snowflake' })
      const { data } = await execute(connector, 'record', action, { statement, timeout: 1 })
      expect(data).toMatchObject({ code: '090001', data: [expect.arrayContaining(['1'])] })
      expect((await snowflake.query('SELECT * FROM SCRATCH.COUNTERS')).join()).toBe(left)
    }
    expect(succeeded().map(({ verb }) => verb)).toEqual(['INSERT', 'UPDATE', 'DELETE'])
    expect(faults.pending()).toEqual([])
  })

  test.each(['before', 'uncommitted'] as const)(
    'a write whose link breaks while it runs (%s) is sent again when its time limit has ended it',
    async (moment) => {
      // Not hastened: the statement must stand within its two seconds, and be undone within the two that the engine adds to them.
      using _time = hastened(1)
      const hold = snowflake.hold({ moment, times: 1, answer: 'nothing' })
      faults.add({ kind: 'reset', on: 'snowflake', moment: 'after' })
      const done = connector.record.create({ statement: insert, timeout: 2 })
      await hold.caught()
      snowflake.switches.set({ timeoutSecondMs: 10_000 }) // a busy machine may need longer for what nothing has to end
      const { data } = await done
      expect(data.data).toEqual([['1']])
      expect([await count(), succeeded().length]).toEqual([1, 1])
      // Submissions only: a warehouse that needs longer than its window to answer is asked for the result with GET.
      const [first, again, ...others] = snowflake.requests().filter(({ method }) => method === 'POST')
      expect([first?.query['retry'], again?.query['retry'], others]).toEqual([undefined, 'true', []])
      expect(again?.query['requestId']).toBe(first?.query['requestId'])
    },
  )

  test('a write that nobody answers is unknown at the deadline, and its repetition tells or makes it', async () => {
    using time = hastened(20)
    for (const moment of ['before', 'after'] as const) {
      const note = `never ${moment}`
      const statement = `INSERT INTO SCRATCH.COUNTERS VALUES (1, '${note}')`
      snowflake.switches.set({ timeoutSecondMs: 1_000 / 20 })
      faults.add({ kind: 'never-answer', on: 'snowflake', moment })
      const error = Object(await failure(connector.record.create({ statement, timeout: 5 }, { deadlineMs: 2_000 })))
      expect(error).toMatchObject({ code: 'outcome_unknown', status: 504, retryable: false })
      const { request_id: requestId } = error.upstream
      expect([error.message, error.hint]).toEqual([expect.stringContaining(requestId), expect.stringContaining(`requestId ${requestId}`)])
      await time.pause(error.retryAfterMs ?? 0)
      snowflake.switches.set({ timeoutSecondMs: 10_000 }) // a busy machine may need longer for what nothing has to end
      const { data } = await connector.record.create({ statement, timeout: 5, requestId, retry: true })
      expect([data.data, await snowflake.rowCount('SCRATCH.COUNTERS', `NOTE = '${note}'`)]).toEqual([[['1']], 1])
    }
    expect(succeeded()).toHaveLength(2)
  })

  test('many inserts through a link that breaks at random: each row once', async () => {
    using time = hastened(factor)
    const options = { seed: 7, inserts: 40, lanes, hasKeys: false, longestDelay: 30, wait: time.pause }
    const report = await insertOnce(sandbox, libraryWriter(connector, 8_000 / factor), { ...options, repeats: 30 })
    expect(report, linesOf(report).join('\n')).toMatchObject({ inserts: 40, rows: 40, twice: [], missing: 0, wrong: [] })
    expect([...report.faults.values()].reduce((sum, times) => sum + times, 0)).toBeGreaterThan(20)
  })

  test('many inserts whose clients never repeat: no row twice, and each that is missing was told as unknown, or as not made', async () => {
    using time = hastened(factor)
    const options = { seed: 8, inserts: 40, lanes, hasKeys: false, longestDelay: 30, wait: time.pause }
    const report = await insertOnce(sandbox, libraryWriter(connector, 8_000 / factor), { ...options, repeats: 0 })
    expect(report, linesOf(report).join('\n')).toMatchObject({ twice: [], lost: [], wrong: [], unreported: [] })
    expect(report.rows + report.missing).toBe(40)
  })
})

describe('one request id', () => {
  const connector = connectWarehouse(sandbox)
  const requestId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

  test('stands for one statement in one context', async () => {
    await connector.record.create({ statement: insert, requestId })
    const others = [
      { statement: `${insert} `, requestId, schema: 'SCRATCH' },
      { statement: insert.replace('1', '2'), requestId },
      { statement: insert, requestId, role: 'ANALYST_ROLE' },
      { statement: insert, requestId, timeout: 5 },
    ]
    for (const other of others)
      expect(await failure(connector.record.create(other))).toMatchObject({ code: 'request_id_conflict', status: 409 })
    expect(await failure(connector.record.delete({ statement: 'DELETE FROM SCRATCH.COUNTERS', requestId }))).toMatchObject({
      code: 'request_id_conflict',
    })
    expect([await count(), snowflake.executed().length]).toEqual([1, 1])
  })

  test('is one write for all who use it at the same time', async () => {
    using _time = hastenTime(20)
    await using hastened = openWarehouse(sandbox)
    snowflake.switches.set({ retryWhileRunning: 'run_again' })
    const id = crypto.randomUUID()
    const told = await Promise.all(Array.from({ length: 5 }, () => hastened.record.create({ statement: insert, requestId: id })))
    expect(new Set(told.map(({ data }) => data.statementHandle)).size).toBe(1)
    expect([await count(), succeeded().length]).toEqual([1, 1])
  })

  test('is the same in capitals: the write is made once', async () => {
    const id = crypto.randomUUID()
    for (const [written, retry] of [
      [id, false],
      [id.toUpperCase(), true],
    ] as const)
      expect((await connector.record.create({ statement: insert, requestId: written, retry })).meta.request_id).toBe(id)
    expect([await count(), snowflake.executed().length]).toEqual([1, 1])
  })

  test('needs no comments, spaces or line ends that are the same: what is sent counts', async () => {
    const id = crypto.randomUUID()
    for (const statement of [insert, `-- again\n${insert.replace(' VALUES', '\n  VALUES')};`])
      expect((await connector.record.create({ statement, requestId: id })).data.data).toEqual([['1']])
    expect(await count()).toBe(1)
  })
})

describe('the gate', () => {
  const actions = ['get', 'list', 'create', 'update', 'delete'] as const
  const verbs = { get: 'SELECT', list: 'SELECT', create: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const
  const connector = connectWarehouse(sandbox)
  const run = (action: (typeof actions)[number], statement: string) => execute(connector, 'record', action, { statement })

  test('lets nothing through to the warehouse that it refuses, by no action', async () => {
    let refused = 0
    for (const [statement, verdict] of statements)
      for (const action of actions) {
        if (verdict === verbs[action]) continue
        refused += 1
        expect(await failure(run(action, statement)), statement).toMatchObject({ code: 'statement_not_allowed', status: 422 })
      }
    expect(refused).toBeGreaterThan(500)
    expect([snowflake.requests(), snowflake.executed()]).toEqual([[], []])
  })

  test('lets through what it admits, and nothing else runs with it', async () => {
    for (const [statement, verdict] of statements)
      for (const action of actions) {
        if (verdict !== verbs[action]) continue
        snowflake.clear()
        const told = await run(action, statement).then(
          () => 'ok',
          (error: unknown) => String(Reflect.get(Object(error), 'code')),
        )
        expect(['ok', 'statement_failed'], statement).toContain(told)
        expect(snowflake.requests(), statement).toHaveLength(1)
        for (const { verb } of snowflake.executed()) expect(verb, statement).toBe(verdict)
        expect(snowflake.executed().length, statement).toBeLessThan(2)
      }
  })

  test('keeps from the warehouse what would run there: pipes, several statements, blocks, computed statements', async () => {
    await connector.record.create({ statement: insert })
    const smuggled = [
      'SELECT 1 ->> DELETE FROM SCRATCH.COUNTERS',
      'SELECT * FROM SCRATCH.COUNTERS ->> DROP TABLE SCRATCH.COUNTERS',
      'SELECT 1; DELETE FROM SCRATCH.COUNTERS',
      'SELECT 1 -- x\r->> DELETE FROM SCRATCH.COUNTERS',
      "EXECUTE IMMEDIATE 'DELETE FROM SCRATCH.COUNTERS'",
      'BEGIN DELETE FROM SCRATCH.COUNTERS; END',
      'INSERT OVERWRITE INTO SCRATCH.COUNTERS SELECT 9, NULL',
    ]
    for (const statement of smuggled)
      for (const action of actions) expect(await failure(run(action, statement))).toMatchObject({ status: 422 })
    expect([await count(), succeeded().length]).toEqual([1, 1])
    // The stand-in would have run them: the gate is what keeps them from it.
    const headers = { authorization: 'Bearer sandbox-pat', 'content-type': 'application/json', accept: 'application/json' }
    const body = { statement: smuggled[0], database: 'SANDBOX', warehouse: 'SANDBOX_WH' }
    await fetch(`${sandbox.origins.snowflake.api}/api/v2/statements`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(await count()).toBe(0)
  })
})
