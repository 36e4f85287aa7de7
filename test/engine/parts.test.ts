import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { findLink } from '../../packages/ferrule/src/engine/call/page-records.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { configuration, handle, movedTime, recorded, refusal, resultOf, running, select, snowflakeAt, token } from './snowflake-support.ts'
import { failure, type Reply, type Seen, serve, testEngine } from './support.ts'

const url = (part: number) => `/api/v2/statements/${handle}?requestId=7b0c4f4e-1f5d-4a53-8a43-3f8f51e2b6aa&partition=${part}`
const next = (partition: number) => ({
  next_operation: { entity: 'result_partitions', action: 'get' },
  next_params: { statementHandle: handle, partition },
})
const none = { next_operation: null, next_params: null }
const partOf = (partition: number) => ({ entity: 'result_partitions', action: 'get', params: { statementHandle: handle, partition } })
const compressed = (body: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { ...headers, 'content-encoding': 'gzip' },
  body: gzipSync(JSON.stringify(body)),
})
/** Which part a request asks for; undefined for a statement. */
const asked = ({ method, url: path }: Seen): number | undefined =>
  method === 'POST' ? undefined : Number(new URL(path, 'http://vendor.example').searchParams.get('partition') ?? 0)
const library = (origin: string) =>
  connect('snowflake', { credentials: { programmatic_access_token: token }, config: configuration, origin })
describe('the next part', () => {
  test.each([
    ['as the vendor writes it', `<${url(0)}>; rel="first",<${url(1)}>; rel="next",<${url(2)}>; rel="last"`, url(1)],
    ['in another order, without quotes', `<${url(2)}>;rel=last , <${url(1)}> ; title="b, c" ; rel=next`, url(1)],
    [
      'with the relation within the brackets',
      `</api/v2/statements/h?partition=0; rel="first">,</api/v2/statements/h?partition=1; rel="next">`,
      '/api/v2/statements/h?partition=1',
    ],
    [
      'with another path and no space',
      '</api/statements/h/fetch?partition=0>;rel="first",</api/statements/h/fetch?partition=1>;rel="next"',
      '/api/statements/h/fetch?partition=1',
    ],
    ['in capitals', `<${url(1)}>; REL="NEXT"`, url(1)],
    ['missing', undefined, null],
    ['empty', '', null],
    ['without a next one', `<${url(0)}>; rel="first",<${url(2)}>; rel="last"`, null],
    ['broken', `<${url(1)}; rel="next`, null],
    [
      'elsewhere',
      '<https://evil.example/api/v2/statements/x?partition=9>; rel="next"',
      'https://evil.example/api/v2/statements/x?partition=9',
    ],
  ])('is counted from the list of parts, whatever the Link header: %s', async (_what, link, shown) => {
    await using server = await serve(() => resultOf([['a']], { parts: 3, ...(link === undefined ? {} : { link }) }))
    await using engine = testEngine()
    const { meta } = await recorded(engine.run(snowflakeAt(server.origin), select))
    expect(meta).toMatchObject({ next_page_url: shown, statement_handle: handle, ...next(1) })
    expect(meta['partition_info']).toHaveLength(3)
  })

  test('is none after the last, even where a link says so', async () => {
    await using server = await serve(() => resultOf([['a']], { parts: 1, link: `<${url(1)}>; rel="next"` }))
    await using engine = testEngine()
    expect((await recorded(engine.run(snowflakeAt(server.origin), select))).meta).toMatchObject(none)
  })

  test.each([
    ['a next one', `<${url(2)}>; rel="prev", <${url(4)}>; rel="next"`, next(4)],
    ['none', `<${url(2)}>; rel="prev"`, none],
    ['one that has no number', '</api/v2/statements/h?requestId=a>; rel="next"', none],
    ['one whose number is none', '</api/v2/statements/h?partition=4x>; rel="next"', none],
    ['one that is no URL', '<http://[>; rel="next"', none],
  ])('of a part that has only rows is that of its link: %s', async (_what, link, following) => {
    await using server = await serve(() => compressed({ data: [['c', null]] }, { link }))
    await using engine = testEngine()
    const { data, meta } = await recorded(engine.run(snowflakeAt(server.origin), partOf(3)))
    expect(data).toMatchObject({ data: [['c', null]], statementHandle: handle, code: null, resultSetMetaData: null })
    expect(meta).toMatchObject({ statement_handle: handle, partition_info: null, request_id: null, ...following })
  })

  test('of the first part asked for by its number is counted from there', async () => {
    await using server = await serve(() => resultOf([['a']], { parts: 2 }))
    await using engine = testEngine()
    expect((await recorded(engine.run(snowflakeAt(server.origin), partOf(0)))).meta).toMatchObject(next(1))
  })

  test.each([
    [404, '', 'record_not_found'],
    [422, '000709', 'record_not_found'],
    [410, '', 'upstream_invalid_request'],
  ])('that is not there (%i %s) is an error', async (status, code, error) => {
    await using server = await serve(() => refusal(status, code))
    await using engine = testEngine()
    expect((await failure(engine.run(snowflakeAt(server.origin), partOf(9)))).code).toBe(error)
  })

  test('is read from a long header in time that grows with its length only', () => {
    expect(findLink(`${'<a;'.repeat(8000)}${'; rel='.repeat(8000)}${'>'.repeat(8000)}`, 'next')).toBeNull()
  })
})

describe('the parts of a result in the library', () => {
  test('come one after the other, and the statement runs once', async () => {
    await using server = await serve((seen) => {
      const part = asked(seen)
      return part === undefined ? resultOf([['0a'], ['0b']], { parts: 3 }) : compressed({ data: [[`${part}a`], [`${part}b`]] })
    })
    await using snowflake = library(server.origin)
    const parts = await Array.fromAsync(snowflake.record.parts({ statement: 'SELECT * FROM T' }))
    expect(parts.map(({ data }) => data.data)).toEqual([
      [['0a'], ['0b']],
      [['1a'], ['1b']],
      [['2a'], ['2b']],
    ])
    expect(server.seen.map(asked)).toEqual([undefined, 1, 2])
  })

  test('are walked row by row', async () => {
    await using server = await serve((seen) => {
      const part = asked(seen)
      return part === undefined ? resultOf([['a', null]], { parts: 2 }) : compressed({ data: [['b', '2']] })
    })
    await using snowflake = library(server.origin)
    expect(await Array.fromAsync(snowflake.tables.rows())).toEqual([
      ['a', null],
      ['b', '2'],
    ])
  })

  test('are asked for one at a time, as they are needed', async () => {
    await using server = await serve((seen) =>
      asked(seen) === undefined ? resultOf([['a']], { parts: 9 }) : compressed({ data: [['b']] }),
    )
    await using snowflake = library(server.origin)
    for await (const [cell] of snowflake.record.rows({ statement: 'SELECT 1' })) if (cell === 'b') break
    expect(server.seen.map(asked)).toEqual([undefined, 1])
  })

  test('that are without rows end the walk as others do', async () => {
    await using server = await serve((seen) => (asked(seen) === undefined ? resultOf([], { parts: 2 }) : compressed({ data: [] })))
    await using snowflake = library(server.origin)
    expect(await Array.fromAsync(snowflake.record.rows({ statement: 'SELECT 1' }))).toEqual([])
    expect(server.seen.map(asked)).toEqual([undefined, 1])
  })

  test('of a statement that runs longer than a call are waited for, call by call', async () => {
    using _time = movedTime(240)
    await using server = await serve((seen, count) => {
      if (count < 5) return running()
      return asked(seen) === 0 ? resultOf([['a']], { parts: 2, body: { requestId: 'r' } }) : compressed({ data: [['b']] })
    })
    await using snowflake = library(server.origin)
    expect(await Array.fromAsync(snowflake.record.rows({ statement: 'SELECT 1' }))).toEqual([['a'], ['b']])
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET', 'GET', 'GET'])
  })

  test('are no more than the budget of a walk: the rest is an error, never left out', async () => {
    await using server = await serve((seen) =>
      asked(seen) === undefined ? resultOf([['a']], { parts: 9 }) : compressed({ data: [['b']] }),
    )
    await using snowflake = library(server.origin)
    const rows = snowflake.record.rows({ statement: 'SELECT 1' }, { maxPages: 2 })
    const met: unknown[] = []
    const ended = (async () => {
      for await (const row of rows) met.push(row)
    })()
    expect((await failure(ended)).code).toBe('page_budget_exhausted')
    expect(met).toEqual([['a'], ['b']])
  })

  test('of which one is missing end the walk with its error', async () => {
    await using server = await serve((seen) => (asked(seen) === undefined ? resultOf([['a']], { parts: 2 }) : refusal(422, '000709')))
    await using snowflake = library(server.origin)
    expect((await failure(Array.fromAsync(snowflake.record.rows({ statement: 'SELECT 1' })))).code).toBe('record_not_found')
  })

  test.each([
    ['nothing', {}],
    ['no rows', { data: null }],
    ['a list', []],
  ])('of which one is %s end the walk: its rows would be missing without a word', async (_what, body) => {
    await using server = await serve((seen) => (asked(seen) === undefined ? resultOf([['a']], { parts: 3 }) : compressed(body)))
    await using snowflake = library(server.origin)
    expect((await failure(Array.fromAsync(snowflake.record.rows({ statement: 'SELECT 1' })))).code).toBe('upstream_answer_invalid')
    expect(server.seen.length).toBeLessThan(5)
  })

  test('are not asked for when the statement fails', async () => {
    await using server = await serve(() => refusal(422, '000904'))
    await using snowflake = library(server.origin)
    expect((await failure(Array.fromAsync(snowflake.record.parts({ statement: 'SELECT A' })))).code).toBe('statement_failed')
    expect(server.seen).toHaveLength(1)
  })

  test('end with the caller', async () => {
    const controller = new AbortController()
    await using server = await serve((seen) => {
      if (asked(seen) === 1) controller.abort(new Error('enough'))
      return asked(seen) === undefined ? resultOf([['a']], { parts: 9 }) : compressed({ data: [['b']] })
    })
    await using snowflake = library(server.origin)
    await expect(Array.fromAsync(snowflake.record.rows({ statement: 'SELECT 1' }, { signal: controller.signal }))).rejects.toThrow('enough')
  })
})

describe('a result that was cut short', () => {
  test.each([
    ['a statement', select],
    ['a part', partOf(0)],
  ])('is an error although its status says success: %s', async (_what, call) => {
    await using server = await serve(() => resultOf([['a']], { parts: 2, body: { code: '391908', message: 'Result set is too large.' } }))
    await using engine = testEngine()
    expect(await failure(engine.run(snowflakeAt(server.origin), call))).toMatchObject({
      code: 'upstream_result_too_large',
      status: 422,
      upstream: { status: 200, code: '391908', message: 'Result set is too large.' },
    })
    expect(server.seen).toHaveLength(1)
  })
})
