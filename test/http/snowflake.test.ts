import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { snowflakeCredentials as known } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { configuration, keyPair } from '../library/snowflake-support.ts'
import { expectDocumented, expectOperation } from './contract.ts'
import { clientOf, sandboxWarehouse } from './snowflake-support.ts'
import { connectorsPath, type Json, startWorld } from './support.ts'

/** Words of statements and cells that the log must never show. */
const hushed = ['HUSHED_TABLE', 'hushed value', 'SCRATCH.COUNTERS']
const operation = `POST ${connectorsPath}/{connector_id}/execute`

const world = await startWorld()
const client = clientOf(world)
const id = await client.create('warehouse')
afterEach(() => {
  vi.restoreAllMocks()
  world.sandbox.snowflake.reset()
})
afterAll(async () => {
  client.expectSecrecy(...hushed)
  await world.close()
})

const record = (action: string, statement: string, more: object = {}) =>
  client.execute(id, { entity: 'record', action, params: { statement, ...more } })
const snowflake = () => world.sandbox.snowflake

describe('creation', () => {
  test.each<[string, object]>([
    ['its slug', { connector_type: 'snowflake' }],
    ['its title', { connector_type: 'Snowflake' }],
    ['its definition id', { connector_type: undefined, definition_id: kinds.snowflake.definition.id }],
  ])('by %s', async (what, named) => {
    const { status, json } = await client.ask('', 'POST', sandboxWarehouse(`by ${what}`, named))
    expect([status, json.connector_type, json.status]).toEqual([200, 'snowflake', 'active'])
    expect(json).toMatchObject({ credential_scheme: 'programmatic_access_token', replication_config: configuration })
  })

  test('with a key pair, whose key is never shown', async () => {
    const credentials = keyPair(world.sandbox, 'a passphrase of the tests')
    const { status, json, text } = await client.ask('', 'POST', sandboxWarehouse('key pair', { credentials }))
    expect([status, json.credential_scheme]).toEqual([200, 'key_pair'])
    expect(text).not.toContain('PRIVATE KEY')
    expect(await client.check(json.id)).toMatchObject({ status: 'succeeded' })
    expect(snowflake().requests().at(-1)?.headers['x-snowflake-authorization-token-type']).toBe('KEYPAIR_JWT')
  })

  test.each<[string, object, string]>([
    ['without a role', { ...configuration, role: undefined }, 'role'],
    ['without a warehouse', { ...configuration, warehouse: undefined }, 'warehouse'],
    ['without a database', { ...configuration, database: undefined }, 'database'],
    ['without an account', { ...configuration, account: undefined }, 'account'],
    ['with an account that is an address', { ...configuration, account: 'https://evil.example' }, 'account'],
    ['with an empty schema', { ...configuration, schema: '' }, 'schema'],
    ['with more', { ...configuration, region: 'eu' }, 'region'],
  ])('%s is refused at its field', async (what, replication_config, field) => {
    const { status, json } = await client.ask('', 'POST', sandboxWarehouse(what, { replication_config }))
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', `/replication_config/${field}`])
  })

  test.each<[string, object]>([
    ['nothing', {}],
    ['fields of two schemes', { programmatic_access_token: known.token, user: 'X' }],
    ['a token with a line break', { programmatic_access_token: 'a\r\nhost: evil.example' }],
  ])('with %s as credentials is refused', async (what, credentials) => {
    const { status, json } = await client.ask('', 'POST', sandboxWarehouse(what, { credentials }))
    expect([Math.floor(status / 100), ['validation_failed', 'credentials_mismatch'].includes(json.code)]).toEqual([4, true])
  })
})

describe('check', () => {
  test('proves the credentials of a stored connector and of one that is not', async () => {
    for (const result of [await client.check(id), (await client.ask('/check', 'POST', sandboxWarehouse('trial'))).json])
      expect(result).toMatchObject({ status: 'succeeded', entity_check_results: [{ entity: 'databases', status: 'succeeded' }] })
    expect(
      snowflake()
        .executed()
        .map(({ statement }) => statement),
    ).toEqual(['SHOW DATABASES', 'SHOW DATABASES'])
  })

  test('of a token that is refused marks the connector until it works again', async () => {
    const made = await client.create('refused', { credentials: { programmatic_access_token: known.noPolicyToken } })
    const result = await client.check(made)
    expect(result).toMatchObject({
      status: 'failed',
      failure_reason: { failure_type: 'config_error', internal_message: 'upstream_auth_failed' },
      entity_check_results: [{ entity: 'databases', status: 'failed', status_code: 401 }],
    })
    expect(result.failure_reason.external_message).toContain('network policy')
    expect(await client.record(made)).toMatchObject({ status: 'auth_error', status_reason: expect.stringContaining('390432') })
    await client.ask(`/${made}`, 'PATCH', { credentials: { programmatic_access_token: known.token } })
    expect([(await client.check(made)).status, (await client.record(made)).status]).toEqual(['succeeded', 'active'])
  })

  test.each([
    ['a role that the token is not for', { role: 'READER_ROLE' }, 'upstream_permission_denied'],
    ['a warehouse in another case', { warehouse: 'sandbox_wh' }, 'upstream_invalid_request'],
  ])('with %s fails and marks nothing', async (_what, config, code) => {
    const result = await client.check(id, { replication_config: { ...configuration, ...config } })
    expect(result).toMatchObject({ status: 'failed', failure_reason: { internal_message: code } })
    expect((await client.record(id)).status).toBe('active')
  })

  test('a call whose token is refused marks the connector too, and one that is served clears the mark', async () => {
    world.sandbox.faults.add({ kind: 'code', code: 394_400, on: 'snowflake' })
    const { status, json } = await record('list', 'SELECT 1')
    expect([status, json.code, json.fault, json.upstream.code]).toEqual([424, 'upstream_auth_failed', 'credentials', '394400'])
    expect((await client.record(id)).status).toBe('auth_error')
    expect((await record('list', 'SELECT 1')).status).toBe(200)
    expect((await client.record(id)).status).toBe('active')
  })
})

describe('execute', () => {
  const operations = Object.entries(kinds.snowflake.definition.entities).flatMap(([entity, definition]) =>
    listLiveActions(definition).map((action) => ({ entity, action, definition })),
  )
  const texts: Readonly<Record<string, string>> = {
    get: 'SELECT 1 AS ONE',
    list: 'SELECT * FROM SALES.ORDERS ORDER BY 1',
    create: "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'hushed value')",
    update: "UPDATE SCRATCH.COUNTERS SET NOTE = 'hushed value'",
    delete: 'DELETE FROM SCRATCH.COUNTERS',
  }

  test.each(operations)('$entity $action: one record, documented, with its meta', async ({ entity, action, definition }) => {
    const { json } = await record('list', 'SELECT 1')
    const params = entity === 'record' ? { statement: texts[action] } : {}
    const part = { statementHandle: json.meta.statement_handle, partition: 0 }
    const answer = await client.execute(id, { entity, action, params: entity === 'result_partitions' ? part : params })
    expect(answer.status).toBe(200)
    expect(recordProblems(definition, answer.json.data)).toEqual([])
    expect(Object.keys(answer.json.meta).toSorted()).toEqual(
      ['next_operation', 'next_page_url', 'next_params', 'partition_info', 'request_id', 'statement_handle'].toSorted(),
    )
    expectOperation(`snowflake.${entity}.${action}`, answer)
    expectDocumented(operation, answer)
  })

  test('rows change by writes, and each tells how many', async () => {
    expect((await record('create', "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'a'), (2, 'b')")).json.data).toMatchObject({
      data: [['2']],
      stats: { numRowsInserted: 2 },
    })
    expect((await record('update', 'UPDATE SCRATCH.COUNTERS SET N = N + 1')).json.data.data).toEqual([['2', '0']])
    expect((await record('list', 'SELECT N, NOTE FROM SCRATCH.COUNTERS ORDER BY N')).json.data.data).toEqual([
      ['2', 'a'],
      ['3', 'b'],
    ])
    expect((await record('delete', 'DELETE FROM SCRATCH.COUNTERS WHERE N = 3')).json.data.stats).toMatchObject({ numRowsDeleted: 1 })
  })

  test('the examples of the document are taken; those of statements without a table of their own run', async () => {
    const { paths } = (await world.ask('/openapi.json')).json
    const { examples } = paths[`${connectorsPath}/{connector_id}/execute`].post.requestBody.content['application/json']
    const own = Object.entries(examples).filter(([name]) => name.startsWith('snowflake.'))
    expect(own).toHaveLength(12)
    for (const [name, example] of own) {
      const { status, json }: Json = await client.execute(id, Object(example).value)
      const told = status === 200 ? 'ok' : json.code
      expect(name.endsWith('partitions.get') ? ['record_not_found'] : ['ok', 'statement_failed'], name).toContain(told)
    }
    expect(
      snowflake()
        .executed()
        .filter(({ outcome }) => outcome === 'succeeded').length,
    ).toBeGreaterThanOrEqual(8)
  })

  test('a result that is not ready is a status record, and next_operation leads to it', async () => {
    const remaining = vi.spyOn(Deadline.prototype, 'remaining', 'get').mockReturnValue(100)
    const hold = snowflake().hold()
    const first = await record('list', texts['list'] ?? '')
    expect([first.status, first.json.data.code, first.json.data.data]).toEqual([200, '333334', null])
    expectDocumented(operation, first)
    const { next_operation, next_params } = first.json.meta
    expect(next_operation).toEqual({ entity: 'result_partitions', action: 'get' })
    remaining.mockRestore()
    hold.release()
    const done = await client.execute(id, { ...next_operation, params: next_params })
    expect([done.json.data.data.length, done.json.meta.next_params]).toEqual([1000, null])
  })

  test('a client that goes away ends its read', async () => {
    const hold = snowflake().hold()
    const controller = new AbortController()
    const gone = fetch(`${world.url}${connectorsPath}/${id}/execute`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ entity: 'record', action: 'list', params: { statement: texts['list'] } }),
    })
    await hold.caught()
    controller.abort()
    await expect(gone).rejects.toThrow()
    await expect.poll(hold.waiting).toBe(0)
    expect(snowflake().requests().at(-1)?.path).toMatch(/\/cancel$/)
    expect(snowflake().executed()).toEqual([])
  })
})

describe('a statement that is not allowed', () => {
  test.each<[string, string, string, number, number, RegExp]>([
    ['list', 'SELECT 1 ->> DROP TABLE HUSHED_TABLE', 'pipe', 1, 10, /chains another statement/],
    ['list', 'SELECT *\nFROM HUSHED_TABLE; DROP TABLE HUSHED_TABLE', 'several_statements', 2, 18, /exactly one statement/],
    ['get', 'SELECT "é🏬" FROM HUSHED_TABLE WHERE A = ?', 'placeholder', 1, 42, /nothing is bound/],
    ['create', 'INSERT OVERWRITE INTO HUSHED_TABLE SELECT 1', 'insert_overwrite', 1, 8, /empties the table/],
    ['update', '/* why */\r\n\tDELETE FROM HUSHED_TABLE', 'other_kind', 2, 2, /action delete takes this statement/],
    ['delete', "DELETE FROM HUSHED_TABLE WHERE A = 'hushed value", 'unterminated', 1, 36, /does not end/],
    ['create', 'DROP TABLE HUSHED_TABLE', 'not_a_row_statement', 1, 1, /SELECT/],
  ])('%s %j is told with its place', async (...[action, statement, error_code, line, column, message]) => {
    snowflake().clear()
    const answer = await record(action, statement)
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({ code: 'statement_not_allowed', fault: 'caller', retryable: false })
    expect(answer.json.errors).toEqual([{ field: '/params/statement', message: expect.stringMatching(message), error_code, line, column }])
    expect(answer.json.message).toContain(`line ${line}, column ${column}`)
    expect(answer.text).not.toContain('hushed value')
    expectDocumented(operation, answer)
    expect([snowflake().requests(), snowflake().executed()]).toEqual([[], []])
  })

  // The gate itself, over all statements and actions: test/library/snowflake-once.test.ts.
  test('nor are bindings, other counts of statements, or a fixed statement that was changed', async () => {
    snowflake().clear()
    const calls: readonly [object, string][] = [
      [{ entity: 'record', action: 'list', params: { statement: 'SELECT 1', bindings: {} } }, '/params/bindings'],
      [
        { entity: 'record', action: 'list', params: { statement: 'SELECT 1', parameters: { multi_statement_count: 0 } } },
        '/params/parameters/multi_statement_count',
      ],
      [{ entity: 'tables', action: 'list', params: { statement: 'SHOW TABLES IN ACCOUNT' } }, '/params/statement'],
      [{ entity: 'record', action: 'list', params: { statement: 'SELECT 1', async: true } }, '/params/async'],
      [{ entity: 'record', action: 'create', params: { statement: 'INSERT INTO T VALUES (1)', requestId: 'x' } }, '/params/requestId'],
      [{ entity: 'record', action: 'create', params: { statement: 'INSERT INTO T VALUES (1)', retry: true } }, '/params/requestId'],
      [{ entity: 'record', action: 'list', params: { statement: 'SELECT 1', timeout: 604_801 } }, '/params/timeout'],
    ]
    for (const [call, field] of calls) {
      const { status, json } = await client.execute(id, Object(call))
      expect([status, json.errors[0].field]).toEqual([422, field])
    }
    expect(snowflake().requests()).toEqual([])
  })
})

describe('a statement that the warehouse refuses', () => {
  test.each([
    ['SELECT * FROM HUSHED_TABLE', 422, 'statement_failed', '002003'],
    ['SELECT HUSHED_TABLE FROM ORDERS', 422, 'statement_failed', '000904'],
  ])('%s is a problem with its code and words', async (...[statement, status, code, vendorCode]) => {
    const answer = await record('list', statement)
    expect([answer.status, answer.json.code, answer.json.upstream.code]).toEqual([status, code, vendorCode])
    expect(answer.json.message).toContain(vendorCode)
    expectDocumented(operation, answer)
  })

  test('because of its role, its name or its time tells what to do', async () => {
    snowflake().hold({ contains: 'SALES', answer: 'nothing' })
    const told = [
      await record('create', "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'a')", { role: 'CATALOG_ROLE' }),
      await record('list', 'SELECT 1', { database: 'sandbox' }),
    ]
    snowflake().switches.set({ timeoutSecondMs: 10 }) // only now: the others have their whole time
    told.push(await record('list', 'SELECT * FROM SALES.ORDERS', { timeout: 1 }))
    expect(told.map(({ status, json }) => [status, json.code, json.upstream.code])).toEqual([
      [424, 'upstream_permission_denied', '003001'],
      [422, 'upstream_invalid_request', '391918'],
      [504, 'statement_timeout', '000630'],
    ])
    for (const answer of told) expectDocumented(operation, answer)
  })
})
