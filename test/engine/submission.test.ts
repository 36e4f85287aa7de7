import { describe, expect, test } from 'vitest'
import { createMemoryClaims, type WriteClaims } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { handle, insert, queryOf, recorded, refusal, requestId, resultOf, select, snowflakeAt } from './snowflake-support.ts'
import { failure, serve, testEngine } from './support.ts'

const uuid = (version: number) => new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
const inserted = resultOf([['1']])

/** Claims that note what they are asked. */
function watchedClaims(log: string[]): WriteClaims {
  const claims = createMemoryClaims()
  return {
    claim: (id, fingerprint, hold) => {
      log.push(`claim ${id}`)
      return claims.claim(id, fingerprint, hold)
    },
    settle: (id, hold) => {
      log.push(`settle ${id}`)
      return claims.settle(id, hold)
    },
  }
}

describe('the id of a write', () => {
  test('is the caller’s, and is told in the record and the meta', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const call = { ...insert, params: { ...insert.params, requestId } }
    const { data, meta } = await recorded(engine.run(snowflakeAt(server.origin), call))
    expect(server.seen.map(queryOf)).toEqual([{ requestId }])
    expect(data).toMatchObject({ requestId, statementHandle: handle, data: [['1']] })
    expect(meta).toMatchObject({ request_id: requestId, statement_handle: handle, next_params: null })
  })

  test('is made when there is none, another one each time', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const connection = snowflakeAt(server.origin)
    const { data } = await recorded(engine.run(connection, insert))
    await engine.run(connection, insert)
    const ids = server.seen.map((seen) => queryOf(seen)['requestId'] ?? '')
    expect(ids).toEqual([expect.stringMatching(uuid(4)), expect.stringMatching(uuid(4))])
    expect(new Set(ids).size).toBe(2)
    expect(data['requestId']).toBe(ids[0])
  })

  test('is that of the answer where the vendor tells one', async () => {
    await using server = await serve(() => resultOf([], { body: { requestId } }))
    await using engine = testEngine()
    expect((await recorded(engine.run(snowflakeAt(server.origin), insert))).data['requestId']).toBe(requestId)
  })

  test('is derived from the Idempotency-Key and the write: the same for each attempt, another for another of the two', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const other = { ...insert, params: { statement: 'INSERT INTO T VALUES (2)' } }
    const run = (call: typeof insert, idempotencyKey: string) => engine.run(snowflakeAt(server.origin), { ...call, idempotencyKey })
    for (const [call, key] of [
      [insert, 'a'],
      [insert, 'a'],
      [insert, 'b'],
      [other, 'a'],
    ] as const)
      await run(call, key)
    const [first, again, otherKey, otherWrite] = server.seen.map((seen) => queryOf(seen)['requestId'])
    expect(first).toMatch(uuid(5))
    expect(again).toBe(first)
    expect(new Set([first, otherKey, otherWrite]).size).toBe(3)
  })

  test('is sent in small letters, however the caller writes it: the vendor need not know that capitals are the same', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const connection = snowflakeAt(server.origin)
    for (const written of [requestId.toUpperCase(), requestId])
      await engine.run(connection, { ...insert, params: { ...insert.params, requestId: written } })
    expect(server.seen.map(queryOf)).toEqual([{ requestId }, { requestId, retry: 'true' }])
  })

  test('given in two ways is refused before anything is sent', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const call = { ...insert, params: { ...insert.params, requestId }, idempotencyKey: 'a' }
    expect(await failure(engine.run(snowflakeAt(server.origin), call))).toMatchObject({
      code: 'invalid_parameter',
      status: 422,
      errors: [{ field: '/params/requestId', message: expect.stringContaining('Idempotency-Key') }],
    })
    expect(server.seen).toHaveLength(0)
  })

  test.each(['7', 'not-a-uuid', `${requestId}&retry=true`, `${requestId}\n`, `{${requestId}}`])('%j is refused as one', async (wrong) => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const call = { ...insert, params: { ...insert.params, requestId: wrong } }
    expect((await failure(engine.run(snowflakeAt(server.origin), call))).errors).toMatchObject([{ field: '/params/requestId' }])
    expect(server.seen).toHaveLength(0)
  })

  test('is in every error of a write', async () => {
    const answers = [refusal(422, '000904'), refusal(400, '391918'), refusal(401, '394400'), refusal(403, '003001'), refusal(404, '')]
    await using server = await serve((_seen, count) => answers[count - 1] ?? inserted)
    await using engine = testEngine()
    for (const _answer of answers) {
      const error = await failure(engine.run(snowflakeAt(server.origin), insert))
      const seen = server.seen.at(-1)
      expect(error.upstream?.request_id).toBe(seen === undefined ? '' : queryOf(seen)['requestId'])
    }
    expect(server.seen).toHaveLength(answers.length)
  })
})

describe('the claim of an id', () => {
  test('is asked before anything is sent, and given back when there is a result', async () => {
    const log: string[] = []
    await using server = await serve(({ url }) => {
      log.push(url)
      return inserted
    })
    await using engine = testEngine()
    const call = { ...insert, params: { ...insert.params, requestId } }
    await engine.run(snowflakeAt(server.origin, { writes: watchedClaims(log) }), call)
    expect(log).toEqual([`claim ${requestId}`, `/api/v2/statements?requestId=${requestId}`, `settle ${requestId}`])
  })

  test('that cannot be stored sends nothing', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const unavailable = () => Promise.reject(fail('unavailable', { reason: 'no database' }))
    const writes: WriteClaims = { claim: unavailable, settle: unavailable }
    expect((await failure(engine.run(snowflakeAt(server.origin, { writes }), insert))).code).toBe('unavailable')
    expect(server.seen).toHaveLength(0)
  })

  test('that cannot be given back changes no result: it ends by itself', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const settle = () => Promise.reject(fail('unavailable', { reason: 'no database' }))
    const { data } = await recorded(engine.run(snowflakeAt(server.origin, { writes: { ...createMemoryClaims(), settle } }), insert))
    expect(data['data']).toEqual([['1']])
  })

  test('binds the id to its statement, action and context: another write with it is refused', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const connection = snowflakeAt(server.origin)
    const params = { ...insert.params, requestId }
    await engine.run(connection, { ...insert, params })
    const others = [
      { ...insert, params: { ...params, statement: 'INSERT INTO T VALUES (2)' } },
      { ...insert, params: { ...params, role: 'OTHER' } },
      { ...insert, params: { ...params, parameters: { TIMEZONE: 'UTC' } } },
      { ...insert, action: 'delete', params: { ...params, statement: 'DELETE FROM T' } },
      { ...insert, params: { ...params, requestId: requestId.toUpperCase(), schema: 'X' } },
    ]
    for (const other of others)
      expect(await failure(engine.run(connection, other))).toMatchObject({ code: 'request_id_conflict', status: 409 })
    expect(server.seen).toHaveLength(1)
  })

  test('of an id that was claimed before makes the write a repetition, said or not', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const connection = snowflakeAt(server.origin)
    const call = { ...insert, params: { ...insert.params, requestId } }
    await engine.run(connection, call)
    await engine.run(connection, call)
    await engine.run(connection, { ...call, params: { ...call.params, retry: true } })
    expect(server.seen.map(queryOf)).toEqual([{ requestId }, { requestId, retry: 'true' }, { requestId, retry: 'true' }])
  })

  test('is not asked for reads, which have an id all the same', async () => {
    const log: string[] = []
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin, { writes: watchedClaims(log) }), { ...select, idempotencyKey: 'ignored' })
    expect(log).toEqual([])
    expect(server.seen.map(queryOf)).toEqual([{ requestId: expect.stringMatching(uuid(4)) }])
  })
})

describe('a repetition that the caller says', () => {
  const call = { ...insert, params: { ...insert.params, requestId, retry: true } }

  test('is sent as one at once where nothing is known of the first', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin), call)
    expect(server.seen.map(queryOf)).toEqual([{ requestId, retry: 'true' }])
  })

  test('needs the id of the first', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    const error = await failure(engine.run(snowflakeAt(server.origin), { ...insert, params: { ...insert.params, retry: true } }))
    expect(error).toMatchObject({ code: 'missing_parameter', errors: [{ field: '/params/requestId' }] })
    expect(server.seen).toHaveLength(0)
  })

  test('that is none, retry false, is not sent as one', async () => {
    await using server = await serve(() => inserted)
    await using engine = testEngine()
    await engine.run(snowflakeAt(server.origin), { ...insert, params: { ...insert.params, requestId, retry: false } })
    expect(server.seen.map(queryOf)).toEqual([{ requestId }])
  })
})
