import { afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { snowflakeCredentials as known, startSandbox } from '../../packages/sandbox/src/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { failure } from '../engine/support.ts'
import { share } from '../support/share.ts'
import { connectWarehouse, execute, keyPair, openWarehouse, type SnowflakeCredentials, statements } from './snowflake-support.ts'

const sandbox = await share(startSandbox({ limits: false }))
const { snowflake } = sandbox
afterEach(() => snowflake.reset())
const warehouse = connectWarehouse(sandbox)

const operations = Object.entries(kinds.snowflake.definition.entities).flatMap(([entity, definition]) =>
  listLiveActions(definition).map((action) => ({ entity, action, definition })),
)
const select = (statement: string) => warehouse.record.list({ statement })
const rowsOf = async (statement: string) => (await select(statement)).data.data
/** Lists what the stand-in really ran. */
const ran = () => snowflake.executed().map(({ verb, outcome }) => `${verb} ${outcome}`)
const sentBody = () => JSON.parse(snowflake.requests().at(-1)?.body ?? '')

test('every operation of the documents is there', () => {
  expect(operations.map(({ entity, action }) => `${entity} ${action}`)).toEqual([
    ...['databases', 'schemas', 'tables', 'views', 'warehouses', 'columns'].map((entity) => `${entity} list`),
    ...['list', 'get', 'create', 'update', 'delete'].map((action) => `record ${action}`),
    'result_partitions get',
  ])
})

const schemes: readonly (readonly [string, () => SnowflakeCredentials | undefined, string])[] = [
  ['a programmatic access token', () => undefined, 'PROGRAMMATIC_ACCESS_TOKEN'],
  ['a key pair', () => keyPair(sandbox), 'KEYPAIR_JWT'],
  ['a key pair whose key is encrypted', () => keyPair(sandbox, 'a passphrase of the tests'), 'KEYPAIR_JWT'],
]
test.each(schemes)('every operation with %s: documented records and meta', async (_what, credentials, type) => {
  const own = credentials()
  await using connector = openWarehouse(sandbox, own === undefined ? {} : { credentials: own })
  await connector.check()
  let handle: unknown
  for (const { entity, action, definition } of operations) {
    const params = entity === 'record' ? { statement: statements[action] } : {}
    const part = entity === 'result_partitions' ? { statementHandle: handle, partition: 0 } : params
    const { data, meta } = await execute(connector, entity, action, part)
    handle = data['statementHandle']
    expect([entity, action, ...recordProblems(definition, data)]).toEqual([entity, action])
    expect(data).toMatchObject({ code: '090001', sqlState: '00000', data: expect.any(Array), requestId: expect.any(String) })
    const partition_info = Object(data['resultSetMetaData']).partitionInfo
    const named = { statement_handle: handle, request_id: data['requestId'], partition_info }
    expect(meta).toEqual({ ...named, next_page_url: null, next_operation: null, next_params: null })
  }
  expect(new Set(snowflake.requests().map(({ headers }) => headers['x-snowflake-authorization-token-type']))).toEqual(new Set([type]))
  expect(snowflake.executed().filter(({ user }) => user !== known.user)).toEqual([])
  expect(ran()).toEqual([
    ...Array(7).fill('SHOW succeeded'),
    ...['SELECT', 'SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((verb) => `${verb} succeeded`),
  ])
})

describe('credentials', () => {
  const tried = async (credentials: SnowflakeCredentials) => {
    await using connector = openWarehouse(sandbox, { credentials })
    return await failure(connector.check())
  }

  test.each([
    ['a wrong token', 'not-a-token', '394400'],
    ['an expired token', known.expiredToken, '394400'],
    ['a token whose user has no network policy', known.noPolicyToken, '390432'],
  ])('%s is refused, with what may be the matter', async (_what, programmatic_access_token, code) => {
    const error = await tried({ programmatic_access_token })
    const hint = expect.stringContaining('network policy')
    expect(error).toMatchObject({ code: 'upstream_auth_failed', upstream: { status: 401, code }, hint })
    expect(JSON.stringify(error)).not.toContain(programmatic_access_token)
  })

  test('a key that the user does not have is refused; one that is none is refused before anything is sent', async () => {
    const credentials = keyPair(sandbox)
    snowflake.reset()
    expect(await tried(credentials)).toMatchObject({ code: 'upstream_auth_failed', upstream: { status: 401, code: '390144' } })
    snowflake.clear()
    const none = await tried({ ...credentials, private_key: 'not a key' } as SnowflakeCredentials)
    expect(none).toMatchObject({ code: 'upstream_auth_failed', hint: expect.stringContaining('PEM') })
    expect(snowflake.requests()).toEqual([])
  })
})

describe('the context', () => {
  const asked = 'SELECT CURRENT_DATABASE(), CURRENT_SCHEMA(), CURRENT_WAREHOUSE(), CURRENT_ROLE()'

  test('is that of the configuration, and what the call names goes before it, in its case', async () => {
    expect(await rowsOf(asked)).toEqual([['SANDBOX', 'PUBLIC', 'SANDBOX_WH', 'SANDBOX_ROLE']])
    const named = { schema: 'Mixed Case', warehouse: 'REPORTING_WH', role: 'ANALYST_ROLE' }
    const { data } = await warehouse.record.get({ statement: asked, ...named })
    expect(data.data).toEqual([['SANDBOX', 'Mixed Case', 'REPORTING_WH', 'ANALYST_ROLE']])
    expect(sentBody()).toMatchObject({ database: 'SANDBOX', ...named })
    expect(snowflake.executed().at(-1)).toMatchObject({ schema: 'Mixed Case', warehouse: 'REPORTING_WH', role: 'ANALYST_ROLE' })
    const other = connectWarehouse(sandbox, { config: { schema: 'SALES' } })
    expect((await other.record.list({ statement: 'SELECT COUNT(*) FROM ORDERS' })).data.data).toEqual([['1000']])
    const { data: archived } = await other.record.list({ statement: 'SELECT COUNT(*) FROM ORDERS', database: 'ARCHIVE', schema: 'PUBLIC' })
    expect(archived.data).toEqual([['5000']])
  })

  test.each([
    ['database', 'sandbox', '391918'],
    ['warehouse', 'sandbox_wh', '391920'],
  ])('a %s in another case is refused, and the hint says why', async (name, value, code) => {
    const error = await failure(execute(warehouse, 'record', 'list', { statement: 'SELECT 1', [name]: value }))
    expect(error).toMatchObject({
      code: 'upstream_invalid_request',
      upstream: { code },
      hint: 'Names of databases and warehouses are case-sensitive: write them as SHOW prints them.',
    })
  })

  test('a role that the token is not for is refused, and so is a role without a warehouse', async () => {
    await using restricted = openWarehouse(sandbox, { credentials: { programmatic_access_token: known.restrictedToken } })
    const error = await failure(restricted.record.list({ statement: 'SELECT 1', role: 'ANALYST_ROLE' }))
    expect(error).toMatchObject({ code: 'upstream_permission_denied', upstream: { code: '390189' }, hint: expect.stringContaining('case') })
    expect((await restricted.record.list({ statement: 'SELECT 1' })).data.data).toEqual([['1']])
    const without = await failure(warehouse.record.list({ statement: 'SELECT 1', role: 'CATALOG_ROLE' }))
    expect(without).toMatchObject({ code: 'upstream_permission_denied', upstream: { code: '000606' } })
    expect((await warehouse.tables.list({ role: 'CATALOG_ROLE' })).data.data?.length).toBeGreaterThan(1)
  })

  test('a role that may only read is refused each write', async () => {
    const credentials = { programmatic_access_token: known.readOnlyToken }
    await using reader = openWarehouse(sandbox, { credentials, config: { role: 'READER_ROLE' } })
    expect((await reader.record.list({ statement: statements['list'] ?? '' })).data.data).toHaveLength(1000)
    for (const action of ['create', 'update', 'delete'])
      expect(await failure(execute(reader, 'record', action, { statement: statements[action] }))).toMatchObject({
        code: 'upstream_permission_denied',
        upstream: { code: '003001', request_id: expect.any(String) },
      })
    expect(ran()).toEqual(['SELECT succeeded'])
  })

  test('an account that does not exist is told so', async () => {
    await using other = openWarehouse(sandbox, { config: { account: 'other-account' } })
    expect(await failure(other.check())).toMatchObject({
      code: 'upstream_invalid_request',
      upstream: { status: 404 },
      hint: expect.stringContaining('account'),
    })
  })
})

describe('session parameters', () => {
  test('travel in capitals and form cells; one statement is all that is ever allowed', async () => {
    const { data } = await warehouse.record.list({
      statement: 'SELECT DAY FROM EVERY_TYPE WHERE ID = 1',
      parameters: { date_output_format: 'MM/DD/YYYY', Query_Tag: 'a tag', MULTI_STATEMENT_COUNT: 1 },
    })
    expect(data.data).toEqual([['03/27/2019']])
    expect(sentBody().parameters).toEqual({ DATE_OUTPUT_FORMAT: 'MM/DD/YYYY', QUERY_TAG: 'a tag', MULTI_STATEMENT_COUNT: '1' })
    expect(snowflake.executed().at(-1)).toMatchObject({ queryTag: 'a tag' })
    const few = await warehouse.record.list({ statement: statements['list'] ?? '', parameters: { ROWS_PER_RESULTSET: 3 } })
    expect(few.data.data).toHaveLength(3)
  })

  test.each([
    [{ multi_statement_count: 0 }, '/params/parameters/multi_statement_count'],
    [{ MULTI_STATEMENT_COUNT: '2' }, '/params/parameters/MULTI_STATEMENT_COUNT'],
    [{ STATEMENT_TIMEOUT_IN_SECONDS: 5 }, '/params/parameters/STATEMENT_TIMEOUT_IN_SECONDS'],
    [{ TIMEZONE: { a: 1 } }, '/params/parameters/TIMEZONE'],
    [{ TIMEZONE: 'UTC', timezone: 'UTC' }, '/params/parameters/TIMEZONE'],
  ])('%j is refused at its field, and nothing is sent', async (parameters, field) => {
    snowflake.clear()
    for (const [entity, statement] of [
      ['record', 'SELECT 1'],
      ['tables', undefined],
    ])
      expect(await failure(execute(warehouse, entity ?? '', 'list', { statement, parameters }))).toMatchObject({
        code: 'invalid_parameter',
        errors: [{ field }],
      })
    expect(snowflake.requests()).toEqual([])
  })

  test('bindings are no parameter', async () => {
    const bindings = { 1: { type: 'FIXED', value: '1' } }
    expect(await failure(execute(warehouse, 'record', 'list', { statement: 'SELECT 1', bindings }))).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: '/params/bindings' }],
    })
  })
})

describe('cells', () => {
  const row = async (id: number) => (await rowsOf(`SELECT * EXCLUDE (ID) FROM EVERY_TYPE WHERE ID = ${id}`))?.[0]

  test('are texts or null, in the vendor’s encoding, whatever their type', async () => {
    expect(await row(1)).toEqual([
      ...['2', '12.50', '1.5', 'HELP', 'true', '48454C50', '17982', '82919.000000000', '1611871777.123456789', '1611871777.123456000'],
      ...['1616184419.000000000 1500', '{\n  "a": 1,\n  "b": [\n    "x",\n    null\n  ]\n}', '{\n  "k": "v"\n}', '[\n  1,\n  "two"\n]'],
    ])
    expect(await row(4)).toEqual(Array(14).fill(null))
    const { data } = await select('SELECT * FROM EVERY_TYPE')
    expect(data.resultSetMetaData?.rowType?.map(({ type }) => type)).toEqual(
      'fixed fixed fixed real text boolean binary date time timestamp_ntz timestamp_ltz timestamp_tz variant object array'.split(' '),
    )
  })

  test('keep every digit and every character', async () => {
    expect((await row(2))?.slice(0, 3)).toEqual(['-99999999999999999999999999999999999999', '-0.01', '-1e+100'])
    expect((await row(3))?.slice(0, 4)).toEqual([
      '99999999999999999999999999999999999999',
      '9999999999.99',
      'NaN',
      'quote " backslash \\ newline \n emoji 🏬',
    ])
    expect((await row(2))?.slice(8, 11)).toEqual(['-0.500000000', '-1.750000000', '-23399.500000000 1110'])
    const text = `it's "é" ${'x'.repeat(2_000)} 🏬`
    await warehouse.record.create({ statement: `INSERT INTO SCRATCH.COUNTERS VALUES (90071992547409931, '${text.replace("'", "''")}')` })
    expect(await rowsOf('SELECT * FROM SCRATCH.COUNTERS')).toEqual([['90071992547409931', text]])
  })
})

describe('SHOW', () => {
  test('lists the database in use by the fixed statement, written or not; columns are found by their names', async () => {
    const { data } = await warehouse.tables.list({ statement: 'SHOW TABLES', schema: 'SALES' })
    const names = data.resultSetMetaData?.rowType?.map(({ name }) => name) ?? []
    const cells = (column: string) => data.data?.map((row) => row[names.indexOf(column)])
    const found = ['Orders 2024', 'CUSTOMERS', 'EVERY_TYPE', 'ORDERS', 'ORDER_LINES', 'Order Notes', 'COUNTERS', 'EVENTS']
    expect(cells('name')).toEqual(found) // the vendor shows ORDERS once, although two schemas have one
    expect(cells('rows')?.slice(0, 3)).toEqual(['100', '40000', '4'])
    expect((await warehouse.tables.list({ database: 'ARCHIVE' })).data.data).toHaveLength(1)
    expect(snowflake.executed().map(({ statement }) => statement)).toEqual(['SHOW TABLES', 'SHOW TABLES'])
  })

  test.each(['show tables', 'SHOW TABLES;', 'SHOW TABLES IN ACCOUNT', 'SHOW VIEWS', 'DROP TABLE ORDERS', ''])(
    'no other statement is taken: %j',
    async (statement) => {
      snowflake.clear()
      expect(await failure(execute(warehouse, 'tables', 'list', { statement }))).toMatchObject({
        errors: [{ field: '/params/statement' }],
      })
      expect(snowflake.requests()).toEqual([])
    },
  )
})
