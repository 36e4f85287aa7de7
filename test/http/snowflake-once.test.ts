/** Writes happen once over HTTP too: two nodes over one PostgreSQL database, by Idempotency-Keys and by request ids. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask } from '../faults/client.ts'
import { install } from '../faults/installation.ts'
import { insertOnce, linesOf } from '../faults/once.ts'
import { chooseFactor, hostedWriter } from '../faults/once-doors.ts'
import { hastenTime } from '../support/hastened-time.ts'
import { share } from '../support/share.ts'

const sandbox = await share(startSandbox({ limits: false }))
const { snowflake, faults } = sandbox
const insert = "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'once')"
/** Concurrent inserts. */
const lanes = 3
const factor = await chooseFactor(sandbox, lanes)
const time = hastenTime(factor)
afterAll(() => time[Symbol.dispose]())
const installed = await share(install({ sandbox, name: 'once', clock: time.clock, operationSeconds: Math.ceil(10 / factor) }))
beforeEach(async () => {
  for (const client of installed.clients) await client.renew()
})
afterEach(() => snowflake.reset())

const count = () => snowflake.rowCount('SCRATCH.COUNTERS')
const succeeded = () => snowflake.executed().filter(({ outcome }) => outcome === 'succeeded')

interface Sending {
  readonly node?: 0 | 1
  readonly key?: string
  readonly action?: string
}
const write = (params: object, { node = 0, key, action = 'create' }: Sending = {}) =>
  ask({
    ...installed.clients[node].execute(installed.connectorId),
    body: { entity: 'record', action, params },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })

describe.each(['join', 'run_again'] as const)('at a vendor where a retry that meets its original would %s', (retryWhileRunning) => {
  test('many inserts over two nodes through a link that breaks at random: each row once', async () => {
    snowflake.switches.set({ retryWhileRunning, windowMs: 50, timeoutSecondMs: 1000 / factor })
    const writer = hostedWriter(installed.clients, installed.connectorId)
    const options = { seed: 3, inserts: 30, lanes, hasKeys: true, longestDelay: 30, wait: time.pause }
    const report = await insertOnce(sandbox, writer, { ...options, repeats: 30 })
    expect(report, linesOf(report).join('\n')).toMatchObject({ inserts: 30, rows: 30, twice: [], missing: 0, wrong: [] })
    expect([...report.faults.values()].reduce((sum, times) => sum + times, 0)).toBeGreaterThan(20)
  })

  test('inserts whose clients never repeat: no row twice, and each that is missing was told as unknown, or as not made', async () => {
    snowflake.switches.set({ retryWhileRunning, windowMs: 50, timeoutSecondMs: 1000 / factor })
    const writer = hostedWriter(installed.clients, installed.connectorId)
    const options = { seed: 4, inserts: 30, lanes, hasKeys: true, longestDelay: 30, wait: time.pause }
    const report = await insertOnce(sandbox, writer, { ...options, repeats: 0 })
    expect(report, linesOf(report).join('\n')).toMatchObject({ twice: [], lost: [], wrong: [], unreported: [] })
  })

  test('one request id, used on both nodes at the same time, is one write', async () => {
    snowflake.switches.set({ retryWhileRunning })
    const requestId = crypto.randomUUID()
    const hold = snowflake.hold({ times: 1, moment: 'uncommitted', answer: 'nothing' })
    const told = ([0, 1, 0, 1] as const).map((node) => write({ statement: insert, requestId }, { node }))
    await hold.caught()
    hold.release()
    const answers = await Promise.all(told)
    expect(answers.map(({ status, json }) => [status, json.data?.requestId])).toEqual(Array(4).fill([200, requestId]))
    expect(new Set(answers.map(({ json }) => json.data.statementHandle)).size).toBe(1)
    expect([await count(), succeeded().length]).toEqual([1, 1])
  })

  test('a write that is unknown under a key stays so under it, and is made once by its request id on the other node', async () => {
    snowflake.switches.set({ retryWhileRunning, timeoutSecondMs: 10_000 }) // no time limit has to end anything
    for (const moment of ['before', 'after'] as const) {
      const key = `lost ${moment} ${retryWhileRunning}`
      const statement = insert.replace('once', key)
      faults.add({ kind: 'never-answer', on: 'snowflake', moment })
      const first = await write({ statement, timeout: 1 }, { key })
      expect(first.json).toMatchObject({ code: 'outcome_unknown', status: 504, retryable: false })
      const again = await write({ statement, timeout: 1 }, { key, node: 1 })
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
      const { request_id: requestId } = first.json.upstream
      const made = await write({ statement, timeout: 1, requestId, retry: true }, { node: 1 })
      expect(made.json.data).toMatchObject({ code: '090001', requestId })
      expect(await snowflake.rowCount('SCRATCH.COUNTERS', `NOTE = '${key}'`)).toBe(1)
    }
    expect(succeeded()).toHaveLength(2)
  })
})

describe('an Idempotency-Key', () => {
  test('answers a repeat on the other node with the first answer, and the statement ran once', async () => {
    const first = await write({ statement: insert }, { key: 'again' })
    expect([first.status, first.json.data.data]).toEqual([200, [['1']]])
    const again = await write({ statement: insert }, { key: 'again', node: 1 })
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true'])
    expect([await count(), snowflake.executed().length]).toEqual([1, 1])
    const other = await write({ statement: insert.replace('1', '2') }, { key: 'again', node: 1 })
    expect(other.json).toMatchObject({ code: 'idempotency_key_conflict', status: 409 })
  })

  test('becomes the request id, another one for each key', async () => {
    const ids = await Promise.all(['one', 'two'].map(async (key) => (await write({ statement: insert }, { key })).json.data.requestId))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/)
    expect(
      snowflake
        .executed()
        .map(({ requestId }) => requestId)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })

  test('and a request id are one too many', async () => {
    const { status, json } = await write({ statement: insert, requestId: crypto.randomUUID() }, { key: 'both' })
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'invalid_parameter', '/params/requestId'])
    expect(snowflake.requests()).toEqual([])
  })

  test('keeps what the vendor said of the statement; a statement that was refused here frees it', async () => {
    const wrong = insert.replace('COUNTERS', 'NOWHERE')
    const first = await write({ statement: wrong }, { key: 'kept' })
    expect(first.json).toMatchObject({ code: 'statement_failed', upstream: { code: '002003', request_id: expect.any(String) } })
    expect((await write({ statement: wrong }, { key: 'kept', node: 1 })).headers['idempotent-replayed']).toBe('true')
    const refused = await write({ statement: 'DROP TABLE ORDERS' }, { key: 'freed' })
    expect(refused.json).toMatchObject({ code: 'statement_not_allowed', status: 422 })
    expect((await write({ statement: insert }, { key: 'freed', node: 1 })).status).toBe(200)
    expect(succeeded()).toHaveLength(1)
  })
})

test('a request id stands for one statement on all nodes', async () => {
  const requestId = crypto.randomUUID()
  await write({ statement: insert, requestId })
  for (const node of [0, 1] as const) {
    const { status, json } = await write({ statement: insert.replace('1', '2'), requestId, retry: true }, { node })
    expect([status, json.code, json.retryable]).toEqual([409, 'request_id_conflict', false])
  }
  const deleted = await write({ statement: 'DELETE FROM SCRATCH.COUNTERS', requestId }, { node: 1, action: 'delete' })
  expect(deleted.json.code).toBe('request_id_conflict')
  expect((await write({ statement: insert, requestId, retry: true }, { node: 1 })).status).toBe(200)
  expect([await count(), snowflake.executed().length]).toEqual([1, 1])
})
