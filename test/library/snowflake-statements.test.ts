import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { failure, heldTimers } from '../engine/support.ts'
import { hastenTime } from '../support/hastened-time.ts'
import { share } from '../support/share.ts'
import { configuration, connectWarehouse, execute, openWarehouse, statements } from './snowflake-support.ts'

const sandbox = await share(startSandbox({ limits: false }))
const { snowflake } = sandbox
beforeEach(() => snowflake.switches.set({ timeoutSecondMs: 60_000 })) // on a busy machine a limit would end what it has not to
afterEach(() => snowflake.reset())
const warehouse = connectWarehouse(sandbox)

const select = (statement: string) => warehouse.record.list({ statement })
/** Every call is about to come to its deadline as soon as something is to be waited for; none comes to it before. */
function shortDeadlines(): Disposable {
  const remaining = vi.spyOn(Deadline.prototype, 'remaining', 'get').mockReturnValue(100)
  return { [Symbol.dispose]: () => remaining.mockRestore() }
}
const eventually = <T>(value: () => T) => expect.poll(value, { interval: 5 })
/** Lists what the stand-in really ran. */
const ran = () => snowflake.executed().map(({ verb, outcome }) => `${verb} ${outcome}`)
const polls = () => snowflake.requests().filter(({ method }) => method === 'GET').length
const sentBody = () => JSON.parse(snowflake.requests().at(-1)?.body ?? '')

describe('a statement that takes longer than the vendor waits', () => {
  test('is asked for until its result is there', async () => {
    using _time = hastenTime(20)
    snowflake.switches.set({ busyPolls: 2 })
    const hold = snowflake.hold({ contains: 'ORDERS' })
    const result = warehouse.record.list({ statement: statements['list'] ?? '' })
    await hold.caught()
    await eventually(polls).toBeGreaterThan(3)
    hold.release()
    expect((await result).data.data).toHaveLength(1000)
    expect(snowflake.requests().filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test.each(['list', 'create'] as const)('gives its status record at the deadline of a %s, and its part 0 goes on', async (action) => {
    const hold = snowflake.hold()
    const short = shortDeadlines()
    const { data, meta } = await execute(warehouse, 'record', action, { statement: statements[action] })
    expect(data).toMatchObject({ code: '333334', data: null, resultSetMetaData: null, statementHandle: meta['statement_handle'] })
    expect(recordProblems(kinds.snowflake.definition.entities.record, data)).toEqual([])
    const next = { statementHandle: data['statementHandle'], partition: 0 }
    expect(meta).toMatchObject({ next_operation: { entity: 'result_partitions', action: 'get' }, next_params: next, partition_info: null })
    const waiting = await execute(warehouse, 'result_partitions', 'get', next)
    expect(waiting).toMatchObject({ data: { code: '333334', data: null }, meta: { next_params: next } })
    short[Symbol.dispose]()
    hold.release()
    const done = await execute(warehouse, 'result_partitions', 'get', next)
    expect(done).toMatchObject({ data: { code: '090001' }, meta: { next_params: null } })
    expect(done.data['data']).toHaveLength(action === 'list' ? 1000 : 1)
    expect(snowflake.executed()).toHaveLength(1)
  })

  test('is walked by rows() to its end all the same', async () => {
    using _short = shortDeadlines()
    snowflake.switches.set({ partitionRows: 300 })
    const hold = snowflake.hold()
    const rows = Array.fromAsync(warehouse.record.rows({ statement: statements['list'] ?? '' }))
    const asked = () => snowflake.requests().filter(({ method, query }) => method === 'GET' && query['partition'] === '0').length
    await eventually(asked).toBeGreaterThan(1)
    hold.release()
    expect((await rows).map(([id]) => id)).toEqual(Array.from({ length: 1000 }, (_, index) => String(index + 1)))
    expect(ran()).toEqual(['SELECT succeeded'])
  })

  test('and fails late tells of it', async () => {
    const hold = snowflake.hold()
    const failed = failure(warehouse.record.create({ statement: statements['create'] ?? '' }))
    await hold.caught()
    hold.release({ code: 100_038, message: "Numeric value 'abc' is not recognized" })
    expect(await failed).toMatchObject({
      code: 'statement_failed',
      upstream: { status: 422, code: '100038', message: "Numeric value 'abc' is not recognized", request_id: expect.any(String) },
    })
    expect(await snowflake.rowCount('SCRATCH.COUNTERS')).toBe(0)
  })

  test.each([408, 422])('and runs out of its time limit is a statement_timeout, and undone; polls tell it by %i', async (status) => {
    using _time = hastenTime(20)
    snowflake.switches.set({ pollTimeoutStatus: status })
    for (const [action, moment] of [
      ['list', 'before'],
      ['create', 'uncommitted'],
    ] as const) {
      snowflake.clear()
      const hold = snowflake.hold({ moment })
      const ended = failure(execute(warehouse, 'record', action, { statement: statements[action] }))
      await eventually(polls).toBeGreaterThan(0)
      hold.release({ code: 630 })
      expect(await ended).toMatchObject({ code: 'statement_timeout', upstream: { status, code: '000630' } })
      expect(sentBody).toThrow() // the last request is a poll
    }
    expect(await snowflake.rowCount('SCRATCH.COUNTERS')).toBe(0)
  })

  test('and runs out of its time limit within the window too', async () => {
    snowflake.switches.set({ timeoutSecondMs: 10 })
    snowflake.hold({ answer: 'nothing' })
    const error = await failure(warehouse.record.update({ statement: statements['update'] ?? '', timeout: 2 }))
    expect(error).toMatchObject({ code: 'statement_timeout', upstream: { status: 408, request_id: expect.any(String) } })
    expect(sentBody()).toMatchObject({ timeout: 2 })
  })
})

describe('a statement that fails', () => {
  test.each([
    ['SELECT * FROM NOWHERE', '002003', 'NOWHERE'],
    ['SELECT NOTHING FROM ORDERS', '000904', 'NOTHING'],
    ['SELECT FROM WHERE', '001003', 'syntax error'],
    ["SELECT 'abc'::INT", '100038', 'abc'],
  ])('%s tells the code and the words of the vendor', async (statement, code, words) => {
    const error = await failure(select(statement))
    expect(error).toMatchObject({ code: 'statement_failed', status: 422, retryable: false, upstream: { status: 422, code } })
    expect(Object(error).message).toContain(words)
    expect(Object(error).message).toContain(code)
  })

  test('of a write tells its request id too, and can be corrected under a new one', async () => {
    const requestId = crypto.randomUUID()
    const error = await failure(warehouse.record.create({ statement: 'INSERT INTO SCRATCH.EVENTS (NAME) VALUES (NULL)', requestId }))
    expect(error).toMatchObject({ code: 'statement_failed', upstream: { code: '100072', request_id: requestId } })
    expect(await failure(warehouse.record.create({ statement: statements['create'] ?? '', requestId }))).toMatchObject({
      code: 'request_id_conflict',
    })
    await warehouse.record.create({ statement: statements['create'] ?? '', requestId: crypto.randomUUID() })
    expect(await snowflake.rowCount('SCRATCH.COUNTERS')).toBe(1)
  })

  test('of a result that is too large is an error, never rows', async () => {
    snowflake.switches.set({ resultBytes: 2_000 })
    expect(await failure(select(statements['list'] ?? ''))).toMatchObject({
      code: 'upstream_result_too_large',
      upstream: { code: '391908' },
    })
    await expect(Array.fromAsync(warehouse.record.rows({ statement: statements['list'] ?? '' }))).rejects.toMatchObject({
      code: 'upstream_result_too_large',
    })
  })

  test('of a handle that nobody knows is record_not_found', async () => {
    const statementHandle = '01c88ab0-0000-0001-0000-00100000ffff'
    expect(await failure(warehouse.result_partitions.get({ statementHandle, partition: 0 }))).toMatchObject({
      code: 'record_not_found',
      upstream: { code: '000709' },
    })
  })
})

describe('a caller that goes away', () => {
  const cancels = () => snowflake.requests().filter(({ path }) => path.endsWith('/cancel'))

  test.each([
    ['after the vendor told that it runs', 'accepted', 45_000],
    ['before the vendor told anything', 'nothing', 200],
  ] as const)('ends the read that it began, %s', async (_when, answer, windowMs) => {
    snowflake.switches.set({ windowMs })
    const hold = snowflake.hold({ answer })
    const controller = new AbortController()
    const reason = new Error('gone')
    const call = warehouse.record
      .list({ statement: statements['list'] ?? '' }, { signal: controller.signal })
      .catch((thrown: unknown) => thrown)
    await hold.caught()
    if (answer === 'accepted') await eventually(polls).toBeGreaterThan(0)
    controller.abort(reason)
    expect(await call).toBe(reason)
    await eventually(() => cancels().length).toBe(1)
    await eventually(hold.waiting).toBe(0)
    const part = { statementHandle: cancels()[0]?.path.split('/').at(-2) ?? '', partition: 0 }
    const error = await failure(warehouse.result_partitions.get(part))
    expect(error).toMatchObject({ code: 'statement_failed', upstream: { code: '000604' }, hint: expect.stringContaining('cancelled') })
    expect(ran()).toEqual([])
  })

  test('and a deadline that comes before the vendor told anything end it too', async () => {
    const timers = heldTimers()
    const hold = snowflake.hold({ answer: 'nothing' })
    const ended = failure(warehouse.record.get({ statement: statements['get'] ?? '' }, { deadlineMs: 1_000 }))
    await hold.caught()
    timers.pass(1_000)
    timers[Symbol.dispose]()
    expect(await ended).toMatchObject({ code: 'upstream_timeout' })
    await eventually(() => cancels().length).toBe(1)
    await eventually(hold.waiting).toBe(0)
    expect(ran()).toEqual([])
  })

  test.each([
    ['after the vendor told that it runs', 'accepted'],
    ['before the vendor told anything', 'nothing'],
  ] as const)('never ends a write, %s: nobody knows its outcome, and asking again tells it', async (_when, answer) => {
    using _time = hastenTime(20)
    await using connector = openWarehouse(sandbox)
    const hold = snowflake.hold({ answer, moment: 'uncommitted' })
    const controller = new AbortController()
    const statement = statements['create'] ?? ''
    const call = failure(connector.record.create({ statement, timeout: 2 }, { signal: controller.signal }))
    await hold.caught()
    if (answer === 'accepted') await eventually(polls).toBeGreaterThan(0)
    controller.abort(new Error('gone'))
    const error = Object(await call)
    expect(error).toMatchObject({ code: 'outcome_unknown', hint: expect.stringContaining('retry true') })
    hold.release()
    await eventually(() => snowflake.rowCount('SCRATCH.COUNTERS')).toBe(1)
    const { request_id: requestId } = error.upstream
    const { data } = await connector.record.create({ statement, timeout: 2, requestId, retry: true })
    expect(data).toMatchObject({ code: '090001', requestId })
    expect([await snowflake.rowCount('SCRATCH.COUNTERS'), ran(), cancels()]).toEqual([1, ['INSERT succeeded'], []])
  })

  test('from a result that another call began ends nothing', async () => {
    const hold = snowflake.hold()
    const short = shortDeadlines()
    const { meta } = await execute(warehouse, 'record', 'list', { statement: statements['list'] })
    short[Symbol.dispose]()
    const controller = new AbortController()
    const call = execute(warehouse, 'result_partitions', 'get', meta['next_params'], { signal: controller.signal }).catch(
      (thrown: unknown) => thrown,
    )
    await eventually(polls).toBeGreaterThan(0)
    controller.abort(new Error('gone'))
    await call
    hold.release()
    expect(cancels()).toEqual([])
    expect((await execute(warehouse, 'result_partitions', 'get', meta['next_params'])).data['data']).toHaveLength(1000)
  })
})

test('a statement is sent as it was checked: without comments, and without what follows it', async () => {
  await warehouse.record.list({ statement: "-- all of it; really\nSELECT /* ; DROP TABLE t */ 'a;b' AS X ; -- done" })
  expect(sentBody().statement).toBe("SELECT 'a;b' AS X")
  expect(snowflake.executed().map(({ statement }) => statement)).toEqual(["SELECT 'a;b' AS X"])
})

test('the configuration takes a pasted address of the account, and needs its four values', () => {
  const at = (config: object) => () => openWarehouse(sandbox, { config })
  expect(at({ account: 'https://SANDBOX-account.snowflakecomputing.com/' })).not.toThrow()
  for (const name of Object.keys(configuration)) expect(at({ [name]: undefined })).toThrow(name)
})
