import { zonedType } from './calls.ts'
import { informationSchema, literal, marked, quotedName, unmarkedSql } from './lexer.ts'

/** The databases of the account with their schemas; the first one is the one to configure. */
export const databases: Readonly<Record<string, readonly string[]>> = {
  SANDBOX: [informationSchema, 'PUBLIC', 'SALES', 'SCRATCH', 'Mixed Case'],
  ARCHIVE: [informationSchema, 'PUBLIC'],
}

/** The schema to write in, and how its tables become empty again. */
export const scratch = {
  database: 'SANDBOX',
  schema: 'SCRATCH',
  clear: ['DELETE FROM SANDBOX.SCRATCH.EVENTS', 'DELETE FROM SANDBOX.SCRATCH.COUNTERS'],
} as const

/** How many rows the tables have, by their full name. */
export const rowCounts = {
  'SANDBOX.PUBLIC.ORDERS': 300_000,
  'SANDBOX.PUBLIC.ORDER_LINES': 600_000,
  'SANDBOX.PUBLIC.CUSTOMERS': 40_000,
  'SANDBOX.PUBLIC.EVERY_TYPE': 4,
  'SANDBOX.PUBLIC."Order Notes"': 3,
  'SANDBOX.SALES.ORDERS': 1000,
  'SANDBOX."Mixed Case"."Orders 2024"': 100,
  'SANDBOX.SCRATCH.EVENTS': 0,
  'SANDBOX.SCRATCH.COUNTERS': 0,
  'ARCHIVE.PUBLIC.ORDERS': 5000,
} as const

/** Returns a pseudo-random integer below `below` that follows from a row number, the seed and a salt. */
const drawn = (row: string, below: number, salt: number): string => `DRAWN(${row}, ${below}, ${salt})`

const pick = (row: string, values: readonly string[], salt: number): string =>
  `([${values.map(literal).join(', ')}])[CAST(${drawn(row, values.length, salt)} AS INTEGER) + 1]`

const statuses = ['NEW', 'PAID', 'SHIPPED', 'DELIVERED', 'RETURNED', 'CANCELED']
const countries = ['DE', 'FR', 'ES', 'IT', 'PL', 'SE', 'US', 'JP']
const firstNames = ['Ada', 'Björn', 'Chloé', 'Diego', 'Eva', 'Farid', 'Grace', 'Hiro', 'Ines', 'Jürgen']
const lastNames = ['Meyer', 'Okafor', 'Silva', "O'Neil", 'Tanaka', 'Novák', 'García', 'Rossi', 'Lindqvist']

const lines = `CREATE TABLE SANDBOX.PUBLIC.ORDER_LINES AS SELECT o + 1 AS ORDER_ID, n + 1 AS LINE_NUMBER,
  1 + ${drawn('(o * 3 + n)', 500, 1)} AS PRODUCT_ID, 1 + ${drawn('(o * 3 + n)', 4, 2)} AS QUANTITY,
  CAST((199 + ${drawn('(o * 3 + n)', 24000, 3)}) / 100.0 AS DECIMAL(10, 2)) AS UNIT_PRICE
  FROM range(300000) orders(o), range(3) lines(n) WHERE n <= o % 3`

const orders = `CREATE TABLE SANDBOX.PUBLIC.ORDERS AS
  WITH totals AS (SELECT ORDER_ID, sum(QUANTITY * UNIT_PRICE) AS AMOUNT FROM SANDBOX.PUBLIC.ORDER_LINES GROUP BY ORDER_ID)
  SELECT i + 1 AS ORDER_ID, 1 + ${drawn('i', 40_000, 4)} AS CUSTOMER_ID, ${pick('i', statuses, 5)} AS STATUS,
  CAST(t.AMOUNT AS DECIMAL(12, 2)) AS AMOUNT, CAST(TIMESTAMP '2023-01-01' + to_seconds(i * 300) AS DATE) AS ORDER_DATE,
  TIMESTAMP '2023-01-01' + to_seconds(i * 300) AS CREATED_AT,
  CASE WHEN i % 5 = 0 THEN NULL ELSE TIMESTAMPTZ '2023-01-02 06:00:00+00' + to_seconds(i * 300) END AS SHIPPED_AT,
  CASE WHEN i % 7 = 0 THEN NULL ELSE 'Leave it "at the door", number ' || i END AS NOTE
  FROM range(300000) orders(i) JOIN totals t ON t.ORDER_ID = i + 1 ORDER BY i`

const customers = `CREATE TABLE SANDBOX.PUBLIC.CUSTOMERS AS SELECT i + 1 AS CUSTOMER_ID,
  ${pick('i', firstNames, 6)} || ' ' || ${pick('i', lastNames, 7)} AS NAME,
  CASE WHEN i % 11 = 0 THEN NULL ELSE 'customer' || (i + 1) || '@example.com' END AS EMAIL,
  ${pick('i', countries, 8)} AS COUNTRY, i % 13 <> 0 AS NEWSLETTER,
  json_object('tier', ${pick('i', ['gold', 'silver', 'none'], 9)}, 'visits', i % 50) AS PROFILE FROM range(40000) customers(i)`

const zoned = (text: string) => `memory.main.TO_TIMESTAMP_TZ('${text}')`

const everyType = [
  `CREATE TABLE SANDBOX.PUBLIC.EVERY_TYPE (ID HUGEINT NOT NULL, EXACT HUGEINT, MONEY DECIMAL(12, 2), APPROXIMATE DOUBLE, WORDS VARCHAR,
    FLAG BOOLEAN, BYTES BLOB, DAY DATE, CLOCK TIME, NTZ TIMESTAMP_NS, LTZ TIMESTAMPTZ, TZ ${zonedType}, ANYTHING JSON,
    KEYED MAP(VARCHAR, JSON), LISTED JSON[])`,
  `INSERT INTO SANDBOX.PUBLIC.EVERY_TYPE VALUES
    (1, 2, 12.50, 1.5, 'HELP', TRUE, 'HELP'::BLOB, '2019-03-27', '23:01:59', '2021-01-28 22:09:37.123456789',
     '2021-01-28 22:09:37.123456+00', ${zoned('2021-03-19 21:06:59+01:00')}, '{"a":1,"b":["x",null]}', MAP {'k': '"v"'::JSON},
     ['1'::JSON, '"two"'::JSON]),
    (2, -99999999999999999999999999999999999999, -0.01, -1e100, '', FALSE, ''::BLOB, '1969-12-30', '00:00:00',
     '1969-12-31 23:59:59.5', '1969-12-31 23:59:58.25+00', ${zoned('1969-12-31 12:00:00.5-05:30')}, 'null', MAP {}, []),
    (3, 99999999999999999999999999999999999999, 9999999999.99, 'nan', 'quote " backslash \\ newline ' || chr(10) || ' emoji 🏬', NULL,
     '\\x00\\xFF'::BLOB, '9999-12-31', '23:59:59.999999', '2200-02-28 00:00:00.000000001', '9999-12-31 23:59:59+00',
     ${zoned('2200-01-01 00:00:00.000000001Z')}, '"text"', MAP {'': 'null'::JSON}, ['{}'::JSON]),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
]

function namedTables(): readonly string[] {
  const notes = `SANDBOX.PUBLIC.${quotedName('Order Notes')}`
  const mixed = `SANDBOX.${quotedName('Mixed Case')}.${quotedName('Orders 2024')}`
  return [
    `CREATE TABLE ${notes} (${quotedName('id')} HUGEINT, ID HUGEINT, ${quotedName('Full Text')} VARCHAR)`,
    `INSERT INTO ${notes} VALUES (1, 10, 'first'), (2, 20, NULL), (3, 30, 'a "quoted" note')`,
    `CREATE TABLE ${mixed} AS SELECT i + 1 AS ${quotedName('orderId')}, 'note ' || i AS ${quotedName('Note')} FROM range(100) t(i)`,
  ]
}

const others: readonly string[] = [
  `CREATE TABLE SANDBOX.SALES.ORDERS AS SELECT i + 1 AS ORDER_ID, CAST(i AS DECIMAL(12, 2)) AS AMOUNT FROM range(1000) t(i)`,
  `CREATE TABLE ARCHIVE.PUBLIC.ORDERS AS SELECT i + 1 AS ORDER_ID, DATE '2022-01-01' + CAST(i // 20 AS INTEGER) AS ORDER_DATE
    FROM range(5000) t(i)`,
  `CREATE TABLE SANDBOX.SCRATCH.EVENTS (EVENT_ID VARCHAR NOT NULL, NAME VARCHAR, AMOUNT HUGEINT, PAYLOAD JSON, CREATED_AT TIMESTAMP)`,
  'CREATE TABLE SANDBOX.SCRATCH.COUNTERS (N HUGEINT, NOTE VARCHAR)',
  `CREATE VIEW SANDBOX.PUBLIC.ORDER_TOTALS AS SELECT STATUS, count(*) AS ORDERS, sum(AMOUNT) AS AMOUNT
    FROM SANDBOX.PUBLIC.ORDERS GROUP BY STATUS`,
  `CREATE VIEW SANDBOX.SALES.${quotedName('Large Orders')} AS SELECT * FROM SANDBOX.SALES.ORDERS WHERE AMOUNT > 900`,
]

/** Views of the vendor's INFORMATION_SCHEMA: the columns that are asked for most. */
function informationViews(database: string): readonly string[] {
  const own = `database_name = ${literal(database)} AND schema_name <> ${literal(marked(informationSchema))}`
  const columns = (name: string) => `database_name AS TABLE_CATALOG, ${unmarkedSql('schema_name')} AS TABLE_SCHEMA, ${unmarkedSql(name)}`
  const views: Readonly<Record<string, string>> = {
    SCHEMATA: `SELECT database_name AS CATALOG_NAME, ${unmarkedSql('schema_name')} AS SCHEMA_NAME FROM duckdb_schemas()
      WHERE database_name = ${literal(database)} AND NOT internal`,
    TABLES: `SELECT ${columns('table_name')} AS TABLE_NAME, 'BASE TABLE' AS TABLE_TYPE, estimated_size AS ROW_COUNT FROM duckdb_tables()
      WHERE ${own} UNION ALL SELECT ${columns('view_name')}, 'VIEW', NULL FROM duckdb_views() WHERE ${own} AND NOT internal`,
    COLUMNS: `SELECT ${columns('table_name')} AS TABLE_NAME, ${unmarkedSql('column_name')} AS COLUMN_NAME, column_index AS ORDINAL_POSITION,
      CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS IS_NULLABLE, data_type AS DATA_TYPE FROM duckdb_columns() WHERE ${own}`,
    VIEWS: `SELECT ${columns('view_name')} AS TABLE_NAME, ${unmarkedSql('sql')} AS VIEW_DEFINITION FROM duckdb_views()
      WHERE ${own} AND NOT internal`,
  }
  return Object.entries(views).map(([name, query]) => `CREATE VIEW ${database}.${quotedName(informationSchema)}.${name} AS ${query}`)
}

/** Large tables and their order: later ones are made of earlier ones. */
const largeTables: Readonly<Record<string, string>> = { ORDER_LINES: lines, ORDERS: orders, CUSTOMERS: customers }

/** Where copies of the large tables are kept once something else than the schema to write in changes. */
const kept = '"KEPT$"'

function schemasWith(tables: readonly string[]): readonly string[] {
  const schemas = Object.entries(databases).flatMap(([database, schemas]) => [
    `ATTACH ':memory:' AS ${quotedName(database)}`,
    ...schemas.map((schema) => `CREATE SCHEMA ${quotedName(database)}.${quotedName(schema)}`),
    ...informationViews(database),
  ])
  return [...schemas, ...tables, ...everyType, ...namedTables(), ...others]
}

/** Returns SQL of the engine that builds every database with its rows. */
export function worldStatements(seed: number): readonly string[] {
  const draw = `CREATE MACRO memory.main.DRAWN(row_number, below, salt) AS
    ((CAST(row_number AS BIGINT) + 1) * 2654435761 + CAST(salt AS BIGINT) * 1442695041 + ${Math.trunc(seed)} * 97) % 4294967291 % below`
  return [draw, ...schemasWith(Object.values(largeTables))]
}

/** SQL of the engine that keeps copies of the large tables, which take longest to build. */
export const keepStatements: readonly string[] = [
  `ATTACH IF NOT EXISTS ':memory:' AS ${kept}`,
  ...Object.keys(largeTables).map((name) => `CREATE TABLE IF NOT EXISTS ${kept}.main.${name} AS FROM SANDBOX.PUBLIC.${name}`),
]

/** SQL of the engine that builds every database again, with the copies that were kept. */
export const restoreStatements: readonly string[] = [
  ...Object.keys(databases).map((database) => `DETACH ${quotedName(database)}`),
  ...schemasWith(Object.keys(largeTables).map((name) => `CREATE TABLE SANDBOX.PUBLIC.${name} AS FROM ${kept}.main.${name}`)),
]
