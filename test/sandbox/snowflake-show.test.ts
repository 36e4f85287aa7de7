import { describe, expect, test } from 'vitest'
import type { Answered } from './client.ts'
import { ask, get } from './client.ts'
import { codeOf, dataOf, namesOf, openDepot, typesOf } from './snowflake-client.ts'

const { snowflake, origin, submit } = await openDepot()
const account = { body: { database: undefined } }

/** Cells of some columns of a listing. */
function cells(answer: Answered, ...columns: readonly string[]): unknown {
  const names = namesOf(answer)
  const found = dataOf(answer).map((row) => columns.map((column) => get(row, names.indexOf(column))))
  return columns.length === 1 ? found.flat() : found
}

describe('SHOW', () => {
  test.each([
    [
      'SHOW DATABASES',
      'created_on name is_default is_current origin owner comment options retention_time kind owner_role_type object_visibility data_quality_monitoring_settings',
    ],
    [
      'SHOW SCHEMAS',
      'created_on name is_default is_current database_name owner comment options retention_time owner_role_type object_visibility is_nested',
    ],
    [
      'SHOW TABLES',
      `created_on name database_name schema_name kind comment cluster_by rows bytes owner retention_time automatic_clustering change_tracking
       search_optimization search_optimization_progress search_optimization_bytes is_external enable_schema_evolution owner_role_type is_event
       budget is_hybrid is_iceberg is_dynamic is_immutable`,
    ],
    [
      'SHOW VIEWS',
      'created_on name reserved database_name schema_name owner comment text is_secure is_materialized owner_role_type change_tracking',
    ],
    [
      'SHOW WAREHOUSES',
      `name state type size min_cluster_count max_cluster_count started_clusters running queued is_default is_current is_interactive
       auto_suspend auto_resume available provisioning quiescing other created_on resumed_on updated_on owner comment
       enable_query_acceleration query_acceleration_max_scale_factor resource_monitor actives pendings failed suspended uuid
       scaling_policy budget owner_role_type resource_constraint generation`,
    ],
    [
      'SHOW COLUMNS',
      'table_name schema_name column_name data_type null? default kind expression comment database_name autoincrement schema_evolution_record',
    ],
  ])('%s has the columns of the vendor', async (statement, columns) => {
    const answer = await submit(statement)
    expect(namesOf(answer)).toEqual(columns.split(/\s+/))
    expect(typesOf(answer).every((type) => ['text', 'fixed', 'timestamp_ltz'].includes(String(type)))).toBe(true)
    expect(dataOf(answer).length).toBeGreaterThan(1)
  })

  test('lists the database in use, objects of the same name once', async () => {
    expect(cells(await submit('SHOW SCHEMAS'), 'name', 'is_current')).toEqual([
      ['INFORMATION_SCHEMA', 'N'],
      ['Mixed Case', 'N'],
      ['PUBLIC', 'Y'],
      ['SALES', 'N'],
      ['SCRATCH', 'N'],
    ])
    expect(cells(await submit('SHOW TABLES'), 'schema_name', 'name', 'rows')).toEqual([
      ['Mixed Case', 'Orders 2024', '100'],
      ['PUBLIC', 'CUSTOMERS', '40000'],
      ['PUBLIC', 'EVERY_TYPE', '4'],
      ['PUBLIC', 'ORDERS', '300000'],
      ['PUBLIC', 'ORDER_LINES', '600000'],
      ['PUBLIC', 'Order Notes', '3'],
      ['SCRATCH', 'COUNTERS', '0'],
      ['SCRATCH', 'EVENTS', '0'],
    ])
    expect(cells(await submit('SHOW VIEWS'), 'name')).toEqual(['ORDER_TOTALS', 'Large Orders'])
  })

  test('lists the account when no database is in use', async () => {
    expect(cells(await submit('SHOW DATABASES', account), 'name', 'is_current')).toEqual([
      ['ARCHIVE', 'N'],
      ['SANDBOX', 'N'],
    ])
    const tables = await submit('SHOW TABLES', account)
    const orders = dataOf(tables).filter((row) => get(row, 1) === 'ORDERS')
    expect(orders.map((row) => [get(row, 2), get(row, 3)])).toEqual([
      ['ARCHIVE', 'PUBLIC'],
      ['SANDBOX', 'PUBLIC'],
      ['SANDBOX', 'SALES'],
    ])
    expect(cells(await submit('SHOW WAREHOUSES', account), 'name')).toEqual(['REPORTING_WH', 'SANDBOX_WH'])
  })

  test.each([
    ['SHOW TABLES IN ACCOUNT', 10],
    ['SHOW TABLES IN DATABASE ARCHIVE', 1],
    ['SHOW TABLES IN SCHEMA SALES', 1],
    ['SHOW TABLES IN ARCHIVE.PUBLIC', 1],
    ['SHOW TABLES IN SCHEMA "Mixed Case"', 1],
    ["SHOW TABLES LIKE 'order%'", 4],
    ["SHOW TABLES STARTS WITH 'Ord'", 2],
    ['SHOW TERSE TABLES LIMIT 2', 2],
    ["SHOW TABLES LIMIT 10 FROM 'Order'", 2],
    ['SHOW SCHEMAS IN ARCHIVE', 2],
    ['SHOW COLUMNS IN TABLE ORDERS', 8],
    ['SHOW COLUMNS IN SALES.ORDERS', 2],
  ])('%s', async (statement, count) => {
    expect([(await submit(statement)).status, dataOf(await submit(statement)).length]).toEqual([200, count])
  })

  test('columns tell their type as JSON', async () => {
    const answer = await submit('SHOW COLUMNS IN TABLE EVERY_TYPE')
    const types = new Map(dataOf(answer).map((row) => [get(row, 2), JSON.parse(String(get(row, 3)))]))
    expect(types.get('ID')).toEqual({ type: 'FIXED', precision: 38, scale: 0, nullable: false })
    expect(types.get('MONEY')).toEqual({ type: 'FIXED', precision: 12, scale: 2, nullable: true })
    expect(types.get('WORDS')).toEqual({ type: 'TEXT', length: 16_777_216, byteLength: 16_777_216, nullable: true, fixed: false })
    expect(types.get('NTZ')).toEqual({ type: 'TIMESTAMP_NTZ', precision: 0, scale: 9, nullable: true })
    expect(types.get('BYTES')).toEqual({ type: 'BINARY', length: 8_388_608, byteLength: 8_388_608, nullable: true, fixed: true })
    const kinds = [...types.values()].map((type) => get(type, 'type')).slice(-7)
    expect(kinds).toEqual(['TIME', 'TIMESTAMP_NTZ', 'TIMESTAMP_LTZ', 'TIMESTAMP_TZ', 'VARIANT', 'OBJECT', 'ARRAY'])
  })

  test('too many objects are refused without LIMIT; columns and warehouses are cut', async () => {
    snowflake.switches.set({ showLimit: 1 })
    for (const statement of ['SHOW TABLES', 'SHOW SCHEMAS', 'SHOW VIEWS', 'SHOW DATABASES']) {
      expect(codeOf(await submit(statement))).toEqual([422, '090153', '22000'])
      expect((await submit(`${statement} LIMIT 1`)).status).toBe(200)
    }
    for (const statement of ['SHOW COLUMNS', 'SHOW WAREHOUSES']) expect(dataOf(await submit(statement))).toHaveLength(1)
  })

  test('what is not there', async () => {
    expect(codeOf(await submit('SHOW TABLES IN SCHEMA NOPE'))).toEqual([422, '002003', '02000'])
    expect(codeOf(await submit('SHOW COLUMNS IN TABLE NOPE'))).toEqual([422, '002003', '42S02'])
    expect(codeOf(await submit('SHOW SECRETS'))).toEqual([422, '001003', '42000'])
  })

  test('comes in partitions too, and shows what was made', async () => {
    snowflake.switches.set({ partitionRows: 3 })
    await submit('CREATE TABLE SCRATCH.MADE (A INT)')
    await submit('INSERT INTO SCRATCH.MADE VALUES (1), (2)')
    expect(cells(await submit("SHOW TABLES LIKE 'made'"), 'name', 'rows')).toEqual([['MADE', '2']])
  })
})

describe('control from outside', () => {
  const control = (path: string, body?: unknown, method = 'POST') =>
    ask(`${origin}/_sandbox${path}`, { method, ...(body === undefined ? {} : { body }) })

  test('the world, what ran, and questions beside the API', async () => {
    expect((await control('/world', undefined, 'GET')).body).toMatchObject({ world: { account: 'sandbox-account', database: 'SANDBOX' } })
    expect(snowflake.world.rowCounts['SANDBOX.PUBLIC.ORDERS']).toBe(300_000)
    for (const [table, count] of Object.entries(snowflake.world.rowCounts))
      expect([table, await snowflake.rowCount(table)]).toEqual([table, count])
    await submit('SELECT 1')
    expect(get((await control('/executed', undefined, 'GET')).body, 'executed', 0, 'statement')).toBe('SELECT 1')
    expect((await control('/executed', undefined, 'DELETE')).status).toBe(204)
    expect((await control('/query', { statement: "SELECT 1, NULL, 'a'" })).body).toEqual({ rows: [['1', null, 'a']] })
    expect(get((await control('/query', { statement: 'SELECT NOPE' })).body, 'error')).toContain('NOPE')
    expect(snowflake.executed()).toEqual([])
  })

  test('holds are set, listed and released', async () => {
    expect(await control('/holds', { contains: 'COUNTERS', moment: 'before' })).toMatchObject({
      status: 201,
      body: { id: expect.any(Number) },
    })
    const answer = await submit('SELECT COUNT(*) FROM SCRATCH.COUNTERS')
    expect(answer.status).toBe(202)
    expect((await control('/holds', undefined, 'GET')).body).toMatchObject({ holds: [{ contains: 'COUNTERS', waiting: 1 }] })
    expect((await control('/releases', { id: 9999 })).status).toBe(404)
    expect((await control('/releases', {})).body).toEqual({ holds: [] })
    expect((await control('/holds', { moment: 'later' })).status).toBe(400)
    expect((await control('/releases', { failure: 'x' })).status).toBe(400)
  })

  test('switches are checked', async () => {
    expect((await control('/switches', { linkForm: 'folded' })).body).toEqual({
      error: 'linkForm must be one of normal, inside, fetch, shuffled, none',
    })
    expect((await control('/switches', { windowMs: 5 })).body).toMatchObject({ switches: { windowMs: 5 } })
    expect((await control('/switches', { windowMs: -5 })).status).toBe(400)
  })
})
