import { describe, expect, test } from 'vitest'
import { ask, get } from './client.ts'
import { dataOf, handleOf, namesOf, openDepot } from './snowflake-client.ts'

const { sandbox, snowflake, origin, submit, poll } = await openDepot()
const insert = "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'a'), (2, 'b')"
const counters = () => snowflake.rowCount('SCRATCH.COUNTERS')
const noStats = { numRowsInserted: 0, numRowsUpdated: 0, numRowsDeleted: 0, numDuplicateRowsUpdated: 0 }

describe('what changes tell', () => {
  test('INSERT', async () => {
    const answer = await submit(insert)
    expect([namesOf(answer), dataOf(answer)]).toEqual([['number of rows inserted'], [['2']]])
    expect(answer.body).toMatchObject({ stats: { ...noStats, numRowsInserted: 2 }, code: '090001', sqlState: '00000' })
    expect(get(answer.body, 'resultSetMetaData', 'rowType', 0)).toMatchObject({ type: 'fixed', scale: 0, nullable: false })
  })

  test('UPDATE', async () => {
    await submit(insert)
    const answer = await submit("UPDATE SCRATCH.COUNTERS SET NOTE = 'c' WHERE N > 0")
    expect([namesOf(answer), dataOf(answer)]).toEqual([['number of rows updated', 'number of multi-joined rows updated'], [['2', '0']]])
    expect(get(answer.body, 'stats')).toEqual({ ...noStats, numRowsUpdated: 2 })
    expect(await snowflake.rowCount('SCRATCH.COUNTERS', "NOTE = 'c'")).toBe(2)
  })

  test('DELETE', async () => {
    await submit(insert)
    const answer = await submit('DELETE FROM SCRATCH.COUNTERS USING SALES.ORDERS o WHERE o.ORDER_ID = N AND N = 1')
    expect([namesOf(answer), dataOf(answer)]).toEqual([['number of rows deleted'], [['1']]])
    expect(get(answer.body, 'stats')).toEqual({ ...noStats, numRowsDeleted: 1 })
    expect(await snowflake.query('SELECT N FROM SCRATCH.COUNTERS')).toEqual([['2']])
  })

  test('INSERT into several tables', async () => {
    const source = 'SELECT ORDER_ID AS n FROM SALES.ORDERS WHERE ORDER_ID <= 10'
    const all = await submit(`INSERT ALL INTO SCRATCH.COUNTERS (N) VALUES (n) INTO SCRATCH.EVENTS (EVENT_ID) VALUES (n) ${source}`)
    expect(namesOf(all)).toEqual(['number of rows inserted into SCRATCH.COUNTERS', 'number of rows inserted into SCRATCH.EVENTS'])
    expect([dataOf(all), get(all.body, 'stats', 'numRowsInserted')]).toEqual([[['10', '10']], 20])
    const branches = 'WHEN n < 3 THEN INTO SCRATCH.COUNTERS (N) VALUES (n) WHEN n < 6 THEN INTO SCRATCH.EVENTS (EVENT_ID) VALUES (n)'
    const first = await submit(`INSERT FIRST ${branches} ELSE INTO SCRATCH.COUNTERS (N) VALUES (-n) ${source}`)
    expect(dataOf(first)).toEqual([['2', '3', '5']])
    expect(dataOf(await submit(`INSERT ALL ${branches} ${source}`))).toEqual([['2', '5']])
    expect(await snowflake.rowCount('SCRATCH.COUNTERS', 'N < 0')).toBe(5)
  })

  test('SELECT and SHOW have no statistics', async () => {
    for (const statement of ['SELECT 1', 'SHOW TABLES']) expect(Object(await submit(statement)).body).not.toHaveProperty('stats')
  })

  test('the target can be written in every way', async () => {
    for (const target of ['scratch.counters', 'SANDBOX.SCRATCH."COUNTERS"', "IDENTIFIER('SCRATCH.COUNTERS')"]) {
      expect((await submit(`insert into ${target} (n) select 1`)).status).toBe(200)
    }
    expect((await submit('INSERT INTO COUNTERS (N) VALUES (4)', { body: { schema: 'SCRATCH' } })).status).toBe(200)
    const typed = "SELECT 'id', 'é', 5, PARSE_JSON('{\"a\":1}'), '2024-01-02 03:04:05'::TIMESTAMP_NTZ"
    expect((await submit(`INSERT INTO SCRATCH.EVENTS ${typed}`)).status).toBe(200)
    expect(dataOf(await submit('SELECT * FROM SCRATCH.EVENTS'))).toEqual([['id', 'é', '5', '{\n  "a": 1\n}', '1704164645.000000000']])
    expect(await counters()).toBe(4)
  })

  test('many inserts at a time lose nothing; changes of the same row take turns', async () => {
    const numbers = Array.from({ length: 40 }, (_none, index) => index)
    const inserts = await Promise.all(numbers.map((n) => submit(`INSERT INTO SCRATCH.COUNTERS VALUES (${n}, '0')`)))
    const updates = await Promise.all(numbers.map(() => submit('UPDATE SCRATCH.COUNTERS SET NOTE = NOTE::INT + 1 WHERE N = 0')))
    expect([...inserts, ...updates].map(({ status }) => status)).toEqual(Array.from({ length: 80 }, () => 200))
    expect([await counters(), await snowflake.query('SELECT NOTE FROM SCRATCH.COUNTERS WHERE N = 0')]).toEqual([40, [['40']]])
  })
})

describe('a link that breaks', () => {
  test.each([undefined, 7])('429 with Retry-After %s', async (retryAfter) => {
    sandbox.faults.add({ kind: 'status', status: 429, on: 'snowflake', ...(retryAfter ? { retryAfter } : {}) })
    const answer = await submit(insert)
    expect(answer).toMatchObject({ status: 429, body: { code: '390505', message: 'Too many requests.' } })
    expect([answer.headers.get('retry-after'), await counters()]).toEqual([retryAfter ? String(retryAfter) : null, 0])
  })

  test('a fault can wait for a poll', async () => {
    sandbox.faults.add({ kind: 'status', status: 503, on: 'snowflake', method: 'GET' })
    const handle = handleOf(await submit('SELECT 1'))
    expect([(await poll(handle)).status, (await poll(handle)).status]).toEqual([503, 200])
  })

  test.each([
    [390_505, 429, '390505'],
    [606, 422, '000606'],
    [394_400, 401, '394400'],
    [123_456, 422, '123456'],
  ])('the code %i, before or after the statement ran', async (...[code, status, text]) => {
    sandbox.faults.add({ kind: 'code', code, on: 'snowflake' })
    const answer = await submit(insert)
    expect([answer.status, get(answer.body, 'code'), await counters()]).toEqual([status, text, 0])
    sandbox.faults.add({ kind: 'code', code, message: 'other', moment: 'after', on: 'snowflake' })
    expect([get((await submit(insert)).body, 'message'), await counters()]).toEqual(['other', 2])
  })

  test('a moment is before or after', async () => {
    const send = (body: unknown) => ask(`${origin}/_sandbox/faults`, { method: 'POST', body })
    expect((await send({ kind: 'reset', moment: 'later' })).body).toEqual({ error: 'moment must be one of before, after' })
    expect((await send({ kind: 'cut', after: 1, moment: 'after' })).body).toEqual({ error: 'moment is not a field of the fault cut' })
  })
})
