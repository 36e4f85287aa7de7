import { describe, expect, test } from 'vitest'
import { kinds } from '../../../packages/ferrule/src/connectors/index.ts'
import { applyParameterRule, checkParams, findOperation, type Params } from '../../../packages/ferrule/src/engine/call/operation.ts'
import { catchRefusal } from '../../support/refusal.ts'

const through = (action: string, given: Params, entity = 'record'): Params => {
  const operation = findOperation(kinds.snowflake, entity, action)
  return applyParameterRule(operation, checkParams(operation, given))
}
const refusal = (action: string, given: Params, entity?: string) => catchRefusal(() => through(action, given, entity))

describe('a statement', () => {
  test('is sent as it was checked: without comments and semicolons at the end', () => {
    const statement = "/* why */ INSERT INTO t -- two\nVALUES (1, '-- ; kept'), (2, NULL);;"
    expect(through('create', { statement })['statement']).toBe("INSERT INTO t VALUES (1, '-- ; kept'), (2, NULL)")
  })

  test.each([
    ['get', 'DELETE FROM t', 'record delete would take it.'],
    ['list', 'INSERT INTO t VALUES (1)', 'record create would take it.'],
    ['create', 'UPDATE t SET a = 1', 'record update would take it.'],
    ['update', 'SELECT 1', 'record get and list would take it.'],
    ['delete', 'DROP TABLE t', 'Send one SELECT for get and list, one INSERT for create, one UPDATE for update, one DELETE for delete.'],
    [
      'list',
      'SELECT 1; DROP TABLE t',
      'Send one SELECT for get and list, one INSERT for create, one UPDATE for update, one DELETE for delete.',
    ],
  ])('of another kind is refused by %s: %s', (action, statement, hint) => {
    expect(refusal(action, { statement })).toMatchObject({
      code: 'statement_not_allowed',
      status: 422,
      hint,
      errors: [{ field: '/params/statement', message: expect.stringMatching(/line 1, column \d+/) }],
    })
  })

  test.each([
    ['SHOW TABLES', 'tables list takes SHOW TABLES, and nothing behind it.'],
    ['show  columns\nIN ACCOUNT;', 'columns list takes SHOW COLUMNS, and nothing behind it.'],
    ['SHOW WAREHOUSES', 'warehouses list takes SHOW WAREHOUSES, and nothing behind it.'],
    ['SHOW USERS', 'Send one SELECT for get and list, one INSERT for create, one UPDATE for update, one DELETE for delete.'],
    [
      'SHOW TABLES ->> DROP TABLE t',
      'Send one SELECT for get and list, one INSERT for create, one UPDATE for update, one DELETE for delete.',
    ],
  ])('that lists names the entity which lists: %j', (statement, hint) => {
    for (const action of ['list', 'create']) expect(refusal(action, { statement })).toMatchObject({ code: 'statement_not_allowed', hint })
  })

  test.each(['list', 'get', 'create'])('that is left out is a missing parameter of %s', (action) => {
    for (const given of [{}, { statement: null }])
      expect(refusal(action, given)).toMatchObject({ code: 'missing_parameter', errors: [{ field: '/params/statement' }] })
    expect(refusal(action, { timeout: -1 }).code).toBe('invalid_parameter')
  })

  test.each(['list', 'get'])('that is empty or no text is refused by %s', (action) => {
    for (const given of [{ statement: '' }, { statement: 7 }, { statement: ['SELECT 1'] }])
      expect(refusal(action, given)).toMatchObject({ code: 'statement_not_allowed', errors: [{ field: '/params/statement' }] })
  })

  test.each(['SHOW TABLES ', '\n SHOW TABLES\r\n\t'])('of a list may have spaces at its ends: %j', (statement) => {
    expect(through('list', { statement }, 'tables')['statement']).toBe('SHOW TABLES')
  })

  test.each(['show databases', 'SHOW  DATABASES', 'SHOW DATABASES;', 'SHOW DATABASES IN ACCOUNT', 'SHOW TABLES', 'SELECT 1'])(
    'of a list is the fixed one, and %j is not',
    (statement) => {
      expect(refusal('list', { statement }, 'databases').errors).toMatchObject([{ field: '/params/statement' }])
    },
  )

  test('has no bindings', () => {
    const bindings = { 1: { type: 'FIXED', value: '1' } }
    expect(refusal('list', { statement: 'SELECT 1', bindings }).errors).toMatchObject([{ field: '/params/bindings' }])
  })
})

describe('session parameters', () => {
  const parametersOf = (parameters?: Params): unknown =>
    through('list', { statement: 'SELECT 1', ...(parameters === undefined ? {} : { parameters }) })['parameters']

  test('say that there is one statement, whatever the caller says', () => {
    for (const given of [undefined, {}, { MULTI_STATEMENT_COUNT: 1 }, { multi_statement_count: '1' }])
      expect(parametersOf(given)).toEqual({ MULTI_STATEMENT_COUNT: '1' })
  })

  test.each([0, '0', 2, '2', -1, '01', ' 1', '1 ', true, null, 1.5, 'all', { valueOf: 0 }, [1], ['1'], [[1]]])(
    'never allow several statements: %j',
    (count) => {
      for (const name of ['MULTI_STATEMENT_COUNT', 'multi_statement_count', 'Multi_Statement_Count', 'MULTı_STATEMENT_COUNT'])
        expect(refusal('list', { statement: 'SELECT 1', parameters: { [name]: count } })).toMatchObject({
          code: 'invalid_parameter',
          errors: [{ field: `/params/parameters/${name}` }],
        })
    },
  )

  test('are named in capitals, with their values as they are', () => {
    const given = { timezone: 'Europe/Oslo', Query_Tag: 'a "b"', ROWS_PER_RESULTSET: 10, use_cached_result: false }
    expect(parametersOf(given)).toEqual({
      TIMEZONE: 'Europe/Oslo',
      QUERY_TAG: 'a "b"',
      ROWS_PER_RESULTSET: 10,
      USE_CACHED_RESULT: false,
      MULTI_STATEMENT_COUNT: '1',
    })
  })

  test.each([
    ['STATEMENT_TIMEOUT_IN_SECONDS', 1],
    ['AUTOCOMMIT', false],
    ['SEARCH_PATH', 'x'],
    ['constructor', 'x'],
    ['', 'x'],
    ['TIMEZONE', { value: 'UTC' }],
    ['TIMEZONE', ['UTC']],
    ['TIMEZONE', null],
  ])('that the vendor does not take, or not so, are refused at their field: %s %j', (name, value) => {
    expect(refusal('list', { statement: 'SELECT 1', parameters: { [name]: value } })).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: `/params/parameters/${name}` }],
    })
  })

  test('with a name of every object are refused too', () => {
    const parameters: Params = JSON.parse('{"__proto__": {"MULTI_STATEMENT_COUNT": 0}}')
    expect(refusal('list', { statement: 'SELECT 1', parameters }).code).toBe('invalid_parameter')
  })

  test('in two spellings are refused: one of them would be lost', () => {
    const parameters = { timezone: 'UTC', TIMEZONE: 'Europe/Oslo' }
    expect(refusal('list', { statement: 'SELECT 1', parameters }).message).toContain('given twice')
  })
})

test.each([1e99, 2 ** 53, 2_147_483_648, -1, 0.5])('a part of a result has a number that can be one, and %d is none', (partition) => {
  const params = { statementHandle: '019c06a4-0000-df4f-0000-00100006589e', partition }
  expect(refusal('get', params, 'result_partitions')).toMatchObject({
    code: 'invalid_parameter',
    errors: [{ field: '/params/partition' }],
  })
})

test('the case of names is kept', () => {
  const context = { database: 'sales', schema: 'Raw', warehouse: 'wh', role: 'Reporter' }
  expect(through('list', { statement: 'SELECT 1', ...context })).toMatchObject(context)
})
