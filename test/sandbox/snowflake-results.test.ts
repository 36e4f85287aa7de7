import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { snowflakeCredentials } from '../../packages/sandbox/src/index.ts'
import { get, rows } from './client.ts'
import { codeOf, dataOf, handleOf, namesOf, noon, openDepot, partitionsOf, signedIn, typesOf } from './snowflake-client.ts'

const { snowflake, origin, submit, poll } = await openDepot()
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

describe('a result', () => {
  test('tells what it is', async () => {
    const requestId = crypto.randomUUID()
    const answer = await submit('SELECT 1 AS ONE', { query: { requestId } })
    const handle = handleOf(answer)
    expect(answer.body).toEqual({
      resultSetMetaData: {
        numRows: 1,
        format: 'jsonv2',
        rowType: [
          {
            ...{ name: 'ONE', database: '', schema: '', table: '', type: 'fixed', scale: 0, precision: 38 },
            ...{ length: null, byteLength: null, nullable: true, collation: null },
          },
        ],
        partitionInfo: [{ rowCount: 1, uncompressedSize: 7 }],
      },
      data: [['1']],
      code: '090001',
      message: 'Statement executed successfully.',
      sqlState: '00000',
      statementHandle: handle,
      statementStatusUrl: `/api/v2/statements/${handle}?requestId=${requestId}`,
      requestId,
      createdOn: noon,
    })
    expect(handle).toMatch(new RegExp(`^${uuid}$`))
    snowflake.switches.set({ requestIdInBody: false })
    expect(get((await submit('SELECT 1')).body, 'requestId')).toBeUndefined()
  })

  test('has handles in the order of time', async () => {
    const handles = [handleOf(await submit('SELECT 1')), handleOf(await submit('SELECT 2')), handleOf(await submit('SELECT 3'))]
    expect(handles).toEqual([...new Set(handles)].toSorted())
  })

  test('calls expressions by their text', async () => {
    const answer = await submit(
      `SELECT count(*), amount * 2, upper('x') AS "lower", status s, 'Text', max(amount) FROM orders GROUP BY ALL LIMIT 1`,
    )
    expect(namesOf(answer)).toEqual(['COUNT(*)', 'AMOUNT * 2', 'lower', 'S', "'Text'", 'MAX(AMOUNT)'])
    const star = await submit('SELECT 1 + 1, *, "id" + 1 FROM "Order Notes" LIMIT 1')
    expect(namesOf(star)).toEqual(['1 + 1', 'id', 'ID', 'Full Text', '"id" + 1'])
  })
})

describe('cells', () => {
  test('every type is a text in the form of the vendor', async () => {
    const answer = await submit('SELECT * EXCLUDE (ID) FROM EVERY_TYPE ORDER BY ID')
    expect(typesOf(answer)).toEqual([
      ...['fixed', 'fixed', 'real', 'text', 'boolean', 'binary', 'date', 'time', 'timestamp_ntz', 'timestamp_ltz', 'timestamp_tz'],
      ...['variant', 'object', 'array'],
    ])
    expect(dataOf(answer)).toEqual([
      [
        ...['2', '12.50', '1.5', 'HELP', 'true', '48454C50', '17982', '82919.000000000', '1611871777.123456789'],
        ...['1611871777.123456000', '1616184419.000000000 1500'],
        ...['{\n  "a": 1,\n  "b": [\n    "x",\n    null\n  ]\n}', '{\n  "k": "v"\n}', '[\n  1,\n  "two"\n]'],
      ],
      [
        ...['-99999999999999999999999999999999999999', '-0.01', '-1e+100', '', 'false', '', '-2', '0.000000000', '-0.500000000'],
        ...['-1.750000000', '-23399.500000000 1110', 'null', '{}', '[]'],
      ],
      [
        ...['99999999999999999999999999999999999999', '9999999999.99', 'NaN', 'quote " backslash \\ newline \n emoji 🏬', null, '00FF'],
        ...['2932896', '86399.999999000', '7263129600.000000001', '253402300799.000000000', '7258118400.000000001 1440', '"text"'],
        ...['{\n  "": null\n}', '[\n  {}\n]'],
      ],
      Array.from({ length: 14 }, () => null),
    ])
  })

  test('precision, scale and length are told by type', async () => {
    const answer = await submit('SELECT MONEY, WORDS, BYTES, CLOCK, FLAG FROM EVERY_TYPE')
    const told = rows(answer.body, 'resultSetMetaData', 'rowType').map((column) =>
      ['precision', 'scale', 'length', 'byteLength'].map((field) => get(column, field)),
    )
    expect(told).toEqual([
      [12, 2, null, null],
      [null, null, 16_777_216, 16_777_216],
      [null, null, 8_388_608, 8_388_608],
      [0, 9, null, null],
      [null, null, null, null],
    ])
  })

  test('NULL is a text where it is asked for', async () => {
    const answer = await submit("SELECT NULL AS A, 'null' AS B", { query: { nullable: 'false' } })
    expect(dataOf(answer)).toEqual([['null', 'null']])
    expect((await poll(handleOf(answer), { nullable: 'false' })).status).toBe(400)
    expect(dataOf(await poll(handleOf(answer)))).toEqual([['null', 'null']])
  })

  test('session parameters form dates, times and bytes', async () => {
    const parameters = {
      DATE_OUTPUT_FORMAT: 'MM/DD/YYYY',
      TIME_OUTPUT_FORMAT: 'HH12:MI:SS AM',
      TIMESTAMP_NTZ_OUTPUT_FORMAT: 'DY, DD MON YYYY HH24:MI:SS.FF9',
      TIMESTAMP_OUTPUT_FORMAT: 'YYYY-MM-DD"T"HH24:MI:SS.FF3TZH:TZM',
      TIMEZONE: 'America/Los_Angeles',
      BINARY_OUTPUT_FORMAT: 'BASE64',
    }
    const answer = await submit('SELECT DAY, CLOCK, NTZ, LTZ, TZ, BYTES FROM EVERY_TYPE WHERE ID = 1', { body: { parameters } })
    expect(dataOf(answer)).toEqual([
      [
        ...['03/27/2019', '11:01:59 PM', 'Thu, 28 Jan 2021 22:09:37.123456789', '2021-01-28T14:09:37.123-08:00'],
        ...['2021-03-19T21:06:59.000+01:00', 'SEVMUA=='],
      ],
    ])
    const early = await submit('SELECT NTZ, TZ FROM EVERY_TYPE WHERE ID = 2', { body: { parameters } })
    expect(dataOf(early)).toEqual([['Wed, 31 Dec 1969 23:59:59.500000000', '1969-12-31T12:00:00.500-05:30']])
    const lower = await submit('SELECT DAY FROM EVERY_TYPE WHERE ID = 1', { body: { parameters: { date_output_format: 'YYYY' } } })
    expect(dataOf(lower)).toEqual([['17982']])
  })

  test('a result has as many rows as its session wants', async () => {
    const parameters = { ROWS_PER_RESULTSET: 3 }
    expect(dataOf(await submit('SELECT ORDER_ID FROM ORDERS ORDER BY 1', { body: { parameters } }))).toEqual([['1'], ['2'], ['3']])
    expect(dataOf(await submit('SELECT ORDER_ID FROM SALES.ORDERS', { body: { parameters: { ROWS_PER_RESULTSET: 0 } } }))).toHaveLength(
      1000,
    )
  })
})

/** Lets an answer come whenever the statement has ended. */
const waitForResults = () => snowflake.switches.set({ windowMs: 600_000 })

describe('partitions', () => {
  const headers = signedIn(snowflakeCredentials.token)
  const path = (handle: string, partition: number) => `${origin}/api/v2/statements/${handle}?partition=${partition}`

  test('a large table has more than three; the first is small; sizes and counts are right', async () => {
    waitForResults()
    const answer = await submit('SELECT * FROM ORDERS ORDER BY ORDER_ID')
    const infos = partitionsOf(answer)
    const counts = infos.map((info) => Number(get(info, 'rowCount')))
    expect(infos.length).toBeGreaterThan(3)
    expect(get(infos[0], 'compressedSize')).toBeUndefined()
    expect(Number(get(infos[0], 'uncompressedSize'))).toBeLessThan(Number(get(infos[1], 'uncompressedSize')) / 4)
    expect(counts.reduce((sum, count) => sum + count)).toBe(300_000)
    expect(get(answer.body, 'resultSetMetaData', 'numRows')).toBe(300_000)
    expect(dataOf(answer)).toHaveLength(counts[0] ?? 0)
    const next = await poll(handleOf(answer), { partition: '1' })
    expect(Object.keys(Object(next.body))).toEqual(['data'])
    expect(dataOf(next)).toHaveLength(counts[1] ?? 0)
    expect(get(dataOf(next)[0], 0)).toBe(String((counts[0] ?? 0) + 1))
    const last = await poll(handleOf(answer), { partition: String(infos.length - 1) })
    expect(get(dataOf(last).at(-1), 0)).toBe('300000')
  })

  test('later ones are compressed, asked or not; the first when it is asked for', async () => {
    snowflake.switches.set({ partitionRows: 400 })
    const handle = handleOf(await submit('SELECT ORDER_ID FROM SALES.ORDERS ORDER BY 1'))
    const fetched = async (partition: number, encoding: string) => {
      const response = await fetch(path(handle, partition), { headers: { ...headers, 'accept-encoding': encoding } })
      return [response.headers.get('content-encoding'), response.headers.get('content-type'), Object.keys(Object(await response.json()))]
    }
    expect(await fetched(1, 'identity')).toEqual(['gzip', 'application/json', ['data']])
    expect(await fetched(2, 'gzip')).toEqual(['gzip', 'application/json', ['data']])
    expect((await fetched(0, 'identity'))[0]).toBeNull()
    expect((await fetched(0, 'gzip'))[0]).toBe('gzip')
  })

  test('partition 0 is the whole answer; beyond the last there is nothing', async () => {
    snowflake.switches.set({ partitionRows: 400 })
    const answer = await submit('SELECT ORDER_ID FROM SALES.ORDERS ORDER BY 1')
    expect((await poll(handleOf(answer), { partition: '0' })).body).toEqual(answer.body)
    expect((await poll(handleOf(answer))).body).toEqual(answer.body)
    for (const partition of ['3', '99', '-1', '1.5', 'x']) {
      expect((await poll(handleOf(answer), { partition })).status).toBe(400)
    }
  })

  test('a session can make them smaller; a result that is too large is cut and says so', async () => {
    const statement = "SELECT REPEAT('x', 1000) FROM TABLE(GENERATOR(ROWCOUNT => 3000))"
    const small = await submit(statement, { body: { parameters: { CLIENT_RESULT_CHUNK_SIZE: 1 } } })
    expect([partitionsOf(await submit(statement)).length, partitionsOf(small).length]).toEqual([2, 4])
    snowflake.switches.set({ resultBytes: 1_000_000 })
    const cut = await submit(statement)
    expect([codeOf(cut)[0], codeOf(cut)[1]]).toEqual([200, '391908'])
    expect(Number(get(cut.body, 'resultSetMetaData', 'numRows'))).toBeLessThan(1000)
  })

  const link = (handle: string, partition: number, rel: string) =>
    new RegExp(`^</api/v2/statements/${handle}\\?requestId=${uuid}&partition=${partition}>; rel="${rel}"$`)

  test('links lead from one to the next', async () => {
    snowflake.switches.set({ partitionRows: 400 })
    const first = await submit('SELECT ORDER_ID FROM SALES.ORDERS ORDER BY 1')
    const handle = handleOf(first)
    const links = (header: string | null) => header?.split(',') ?? []
    const check = (found: readonly string[], wanted: readonly (readonly [number, string])[]) => {
      expect(found).toHaveLength(wanted.length)
      for (const [index, [partition, rel]] of wanted.entries()) expect(found[index]).toMatch(link(handle, partition, rel))
    }
    const own = links(first.headers.get('link'))
    check(own, [
      [0, 'first'],
      [1, 'next'],
      [2, 'last'],
    ])
    const ids = own.map((each) => /requestId=([^&]+)/.exec(each)?.[1])
    expect(new Set(ids).size).toBe(3)
    const middle = await poll(handle, { partition: '1' })
    check(links(middle.headers.get('link')), [
      [0, 'first'],
      [2, 'next'],
      [0, 'prev'],
      [2, 'last'],
    ])
    const last = await poll(handle, { partition: '2' })
    check(links(last.headers.get('link')), [
      [0, 'first'],
      [1, 'prev'],
      [2, 'last'],
    ])
    const single = await submit('SELECT 1')
    expect(links(single.headers.get('link')).map((each) => each.split('rel=')[1])).toEqual(['"first"', '"last"'])
  })

  test('the announced sizes are those of the bodies', async () => {
    snowflake.switches.set({ partitionRows: 400 })
    const answer = await submit('SELECT ORDER_ID FROM SALES.ORDERS ORDER BY 1')
    const [, info] = partitionsOf(answer)
    const { body } = await request(path(handleOf(answer), 1), { headers })
    const packed = Buffer.from(await body.arrayBuffer())
    expect(get(info, 'compressedSize')).toBe(packed.length)
    expect(get(info, 'uncompressedSize')).toBe(gunzipSync(packed).length - '{"data":}'.length)
  })
})
