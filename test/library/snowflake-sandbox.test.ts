import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import { Deadline } from '../../src/engine/deadline.ts'
import { liveActionsOf } from '../../src/engine/operation.ts'
import { snowflakeCredentials as known, startSandbox } from '../../src/sandbox/index.ts'
import { recordProblems } from '../conformance/records.ts'
import { hastenTime } from '../support/hastened-time.ts'
import { collect, failure } from './shopify-support.ts'
import { configuration, connectWarehouse, execute, keyPair, openWarehouse, type SnowflakeCredentials } from './snowflake-support.ts'

const sandbox = await startSandbox({ limits: false })
afterAll(() => sandbox.close())
const { snowflake } = sandbox
afterEach(() => snowflake.reset())
const warehouse = connectWarehouse(sandbox)

const operations = Object.entries(kinds.snowflake.definition.entities).flatMap(([entity, definition]) =>
  liveActionsOf(definition).map((action) => ({ entity, action, definition })),
)
const statements: Readonly<Record<string, string>> = {
  get: 'SELECT * FROM SALES.ORDERS WHERE ORDER_ID = 7',
  list: 'SELECT * FROM SALES.ORDERS ORDER BY ORDER_ID',
  create: "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'one')",
  update: "UPDATE SCRATCH.COUNTERS SET NOTE = 'two'",
  delete: 'DELETE FROM SCRATCH.COUNTERS',
}
const select = (statement: string) => warehouse.record.list({ statement })
const rowsOf = async (statement: string) => (await select(statement)).data.data
/** Every call is about to come to its deadline as soon as something is to be waited for; none comes to it before. */
function shortDeadlines(): Disposable {
  const remaining = vi.spyOn(Deadline.prototype, 'remaining', 'get').mockReturnValue(100)
  return { [Symbol.dispose]: () => remaining.mockRestore() }
}
const eventually = <T>(value: () => T) => expect.poll(value, { timeout: 20_000, interval: 5 })
/** What the stand-in really ran. */
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
  ])('%j is refused at its place, and nothing is sent', async (parameters, field) => {
    snowflake.clear()
    for (const [entity, statement] of [
      ['record', 'SELECT 1'],
      ['tables', undefined],
    ])
      expect(await failure(execute(warehouse, entity ?? '', 'list', { statement, parameters }))).toMatchObject({
        code: 'invalid_parameter',
        problems: [{ field }],
      })
    expect(snowflake.requests()).toEqual([])
  })

  test('bindings are no parameter', async () => {
    const bindings = { 1: { type: 'FIXED', value: '1' } }
    expect(await failure(execute(warehouse, 'record', 'list', { statement: 'SELECT 1', bindings }))).toMatchObject({
      code: 'invalid_parameter',
      problems: [{ field: '/params/bindings' }],
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

  test.each(['show tables', 'SHOW TABLES;', ' SHOW TABLES', 'SHOW TABLES IN ACCOUNT', 'SHOW VIEWS', 'DROP TABLE ORDERS', ''])(
    'no other statement is taken: %j',
    async (statement) => {
      snowflake.clear()
      expect(await failure(execute(warehouse, 'tables', 'list', { statement }))).toMatchObject({
        problems: [{ field: '/params/statement' }],
      })
      expect(snowflake.requests()).toEqual([])
    },
  )
})

describe('a statement that takes longer than the vendor waits', () => {
  test('is asked for until its result is there', async () => {
    using _time = hastenTime(20)
    snowflake.switches.set({ busyPolls: 2 })
    const hold = snowflake.hold({ contains: 'ORDERS' })
    const result = warehouse.record.list({ statement: statements['list'] ?? '' })
    const polls = () => snowflake.requests().filter(({ method }) => method === 'GET').length
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
    const rows = collect(warehouse.record.rows({ statement: statements['list'] ?? '' }))
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
    snowflake.switches.set({ timeoutSecondMs: 10, pollTimeoutStatus: status })
    snowflake.hold({ moment: 'uncommitted' })
    for (const [action, answer] of [
      ['list', 'accepted'],
      ['create', 'accepted'],
    ] as const) {
      snowflake.clear()
      const hold = snowflake.hold({ answer })
      const error = await failure(execute(warehouse, 'record', action, { statement: statements[action], timeout: 3 }))
      hold.release()
      expect(error).toMatchObject({ code: 'statement_timeout', upstream: { status, code: '000630' } })
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
    await expect(collect(warehouse.record.rows({ statement: statements['list'] ?? '' }))).rejects.toMatchObject({
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
  const polls = () => snowflake.requests().filter(({ method }) => method === 'GET').length

  test.each([
    ['after the vendor told that it runs', 'accepted', 45_000],
    ['before the vendor told anything', 'nothing', 200],
  ] as const)('ends the read that it began, %s', async (_when, answer, windowMs) => {
    snowflake.switches.set({ windowMs })
    const hold = snowflake.hold({ answer })
    const controller = new AbortController()
    const reason = new Error('gone')
    const call = failure(warehouse.record.list({ statement: statements['list'] ?? '' }, { signal: controller.signal }))
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
    snowflake.switches.set({ windowMs: 1_500 })
    const hold = snowflake.hold({ answer: 'nothing' })
    const error = await failure(warehouse.record.get({ statement: statements['get'] ?? '' }, { deadlineMs: 1_000 }))
    expect(error).toMatchObject({ code: 'upstream_timeout' })
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
    const call = failure(execute(warehouse, 'result_partitions', 'get', meta['next_params'], { signal: controller.signal }))
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
