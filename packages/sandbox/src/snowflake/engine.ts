import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { EngineType } from './cells.ts'
import { literal, quotedName, unmarked } from './lexer.ts'
import { keepStatements, restoreStatements, scratch, worldStatements } from './world.ts'

/** Functions of the vendor that the engine lacks, and the texts of cells; they live in the engine's own database. */
const macros: readonly string[] = [
  // Integers of 64 bits: the same with wider ones takes five times as long.
  `MICROS_TEXT(micros) AS CASE WHEN micros < 0 THEN '-' ELSE '' END || CAST(abs(micros) // 1000000 AS VARCHAR)
     || '.' || lpad(CAST(abs(micros) % 1000000 AS VARCHAR), 6, '0') || '000'`,
  `NANOS_TEXT(nanos) AS CASE WHEN nanos < 0 THEN '-' ELSE '' END || CAST(abs(nanos) // 1000000000 AS VARCHAR)
     || '.' || lpad(CAST(abs(nanos) % 1000000000 AS VARCHAR), 9, '0')`,
  `REAL_TEXT(value) AS CASE WHEN isnan(value) THEN 'NaN' WHEN isinf(value) THEN CASE WHEN value > 0 THEN 'inf' ELSE '-inf' END
     ELSE regexp_replace(CAST(value AS VARCHAR), '\\.0$', '') END`,
  `VARIANT_TEXT(value) AS array_to_string(list_transform(string_split(json_pretty(value), chr(10)),
     lambda line: substr(line, 1 + (length(line) - length(ltrim(line))) // 2)), chr(10))`,
  `ZONE_MINUTES(zone) AS CASE WHEN zone IN ('', 'Z') THEN 0 ELSE CAST(zone[1] || '1' AS INTEGER)
     * (60 * CAST(zone[2:3] AS INTEGER) + CAST(right(zone, 2) AS INTEGER)) END`,
  `ZONED(text, zone) AS {'instant$': make_timestamp_ns(epoch_ns(CAST(left(text, length(text) - length(zone)) AS TIMESTAMP_NS))
     - CAST(ZONE_MINUTES(zone) AS BIGINT) * 60000000000), 'offset$': CAST(ZONE_MINUTES(zone) AS SMALLINT)}`,
  `TO_TIMESTAMP_TZ(value) AS CASE WHEN value IS NULL THEN NULL
     ELSE ZONED(CAST(value AS VARCHAR), regexp_extract(CAST(value AS VARCHAR), '([+-]\\d\\d:?\\d\\d|Z)$')) END`,
  'TO_TIMESTAMP_NTZ(value) AS CAST(value AS TIMESTAMP)',
  'TO_TIMESTAMP_LTZ(value) AS CAST(value AS TIMESTAMPTZ)',
  'TO_DATE(value) AS CAST(value AS DATE)',
  'TO_TIME(value) AS CAST(value AS TIME)',
  'TO_VARCHAR(value) AS CAST(value AS VARCHAR)',
  'TO_CHAR(value) AS CAST(value AS VARCHAR)',
  'TO_NUMBER(value) AS CAST(value AS HUGEINT)',
  'TO_DOUBLE(value) AS CAST(value AS DOUBLE)',
  'TO_BOOLEAN(value) AS CAST(value AS BOOLEAN)',
  'TO_BINARY(value) AS from_hex(value)',
  'TRY_TO_NUMBER(value) AS TRY_CAST(value AS HUGEINT)',
  'TRY_TO_DATE(value) AS TRY_CAST(value AS DATE)',
  'PARSE_JSON(value) AS CAST(value AS JSON)',
  'TRY_PARSE_JSON(value) AS TRY_CAST(value AS JSON)',
  'ARRAY_SIZE(value) AS json_array_length(to_json(value))',
  'IFF(test, yes, no) AS CASE WHEN test THEN yes ELSE no END',
  'NVL(value, other) AS coalesce(value, other)',
  'NVL2(value, yes, no) AS CASE WHEN value IS NOT NULL THEN yes ELSE no END',
  'ZEROIFNULL(value) AS coalesce(value, 0)',
  'NULLIFZERO(value) AS nullif(value, 0)',
  'DIV0(dividend, divisor) AS CASE WHEN divisor = 0 THEN 0 ELSE dividend / divisor END',
  'EQUAL_NULL(one, other) AS one IS NOT DISTINCT FROM other',
  'STARTSWITH(value, start) AS starts_with(value, start)',
  'ENDSWITH(value, ending) AS ends_with(value, ending)',
  'CHARINDEX(part, value) AS strpos(value, part)',
  `DATEADD(part, n, value) AS value + CASE part WHEN 'year' THEN to_years(n) WHEN 'quarter' THEN to_months(3 * n)
     WHEN 'month' THEN to_months(n) WHEN 'week' THEN to_days(7 * n) WHEN 'day' THEN to_days(n) WHEN 'hour' THEN to_hours(n)
     WHEN 'minute' THEN to_minutes(n) WHEN 'second' THEN to_seconds(n) END`,
]

/** SQL that makes the functions which a session finds beside its own schema. */
const macroStatements: readonly string[] = macros.map((macro) => `CREATE MACRO memory.main.${macro}`)

/** The package that holds the engine; it is an optional peer. */
export const enginePackage = '@duckdb/node-api'

/** One session of the engine: no state of it outlives it. Everything that runs throws what the engine throws. */
export interface EngineSession {
  /** Database and schema that names without them belong to. */
  use(scope: { readonly database?: string | undefined; readonly schema?: string | undefined }): Promise<void>
  /** Checks a statement without running it. */
  compile(sql: string): Promise<{ readonly names: readonly string[]; readonly types: readonly EngineType[] }>
  /** Runs a statement. @returns how many rows it changed */
  run(sql: string): Promise<number>
  /** Runs a query. @returns texts of its first column, some thousand at a time */
  texts(sql: string): AsyncIterable<readonly string[]>
  /** Runs a query. @returns its rows as texts */
  rows(sql: string): Promise<readonly (readonly (string | null)[])[]>
  /** Ends what runs; it throws. */
  interrupt(): void
  close(): void
}

/** The engine with the world in it. */
export interface Engine {
  session(): Promise<EngineSession>
  /** Runs statements one after the other. */
  runAll(statements: readonly string[]): Promise<void>
  close(): void
}

/** Opens the engine when it is first needed. */
export interface EngineHouse {
  /** @throws Error when the package of the engine is not installed */
  open(): Promise<Engine>
  /** Has to be awaited before something changes: rows of the schema to write in, or anything. */
  touch(what: 'scratch' | 'anything'): Promise<void>
  /** Everything as at the start. @param settled - when no statement runs any more */
  reset(settled: Promise<unknown>): void
  close(): void
}

const settings: Readonly<Record<string, string>> = {
  threads: '2',
  memory_limit: '1GB',
  enable_external_access: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
}

const text = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

async function* textsOf(connection: DuckDBConnection, sql: string): AsyncIterable<readonly string[]> {
  const result = await connection.stream(sql)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) return
    yield chunk.getColumnValues(0).map(String)
  }
}

function sessionOn(connection: DuckDBConnection): EngineSession {
  return {
    async use({ database, schema }) {
      const own = database === undefined ? '' : `${quotedName(database)}.${quotedName(schema ?? 'PUBLIC')},`
      await connection.run(`SET search_path = ${literal(`${own}memory.main`)}`)
    },
    async compile(sql) {
      const prepared = await connection.prepare(sql)
      try {
        const columns = Array.from({ length: prepared.columnCount }, (_none, index) => index)
        const typed = columns.map((index) => prepared.columnType(index))
        const types = typed.map((type) => ({ text: String(type), alias: type.alias }))
        return { names: columns.map((index) => unmarked(prepared.columnName(index))), types }
      } finally {
        prepared.destroySync()
      }
    },
    run: async (sql) => (await connection.run(sql)).rowsChanged,
    texts: (sql) => textsOf(connection, sql),
    rows: async (sql) => (await (await connection.run(sql)).getRows()).map((row) => row.map(text)),
    interrupt: () => connection.interrupt(),
    close: () => connection.closeSync(),
  }
}

async function instance(): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((cause: unknown) => {
    throw new Error(`The stand-in of the warehouse needs the package ${enginePackage}: npm install ${enginePackage}`, { cause })
  })
  return DuckDBInstance.create(':memory:', { ...settings })
}

async function build(seed: number): Promise<Engine> {
  const database = await instance()
  const runAll = async (statements: readonly string[]) => {
    const connection = await database.connect()
    try {
      for (const statement of statements) await connection.run(statement)
    } finally {
      connection.closeSync()
    }
  }
  await runAll(["SET TimeZone = 'UTC'", ...macroStatements, ...worldStatements(seed), 'SET lock_configuration = true'])
  return { session: async () => sessionOn(await database.connect()), runAll, close: () => database.closeSync() }
}

/** How each kind of change is undone; building everything again takes five times as long. */
const undoing = { scratch: scratch.clear, anything: restoreStatements } as const

/** Keeps one engine, which is not opened before it is asked for. */
export function createEngineHouse(seed: number): EngineHouse {
  let engine: Promise<Engine> | undefined
  let touched: keyof typeof undoing | undefined
  let keeping: Promise<void> | undefined
  const keep = (opening: Promise<Engine>) => {
    engine = opening
    // What could not be opened is tried again the next time.
    opening.catch(() => {
      if (engine === opening) engine = undefined
    })
    return opening
  }
  const open = () => engine ?? keep(build(seed))
  return {
    open,
    async touch(what) {
      if (what === 'anything') keeping ??= open().then((opened) => opened.runAll(keepStatements))
      touched = touched === 'anything' ? touched : what
      await keeping
    },
    reset(settled) {
      const [old, changed] = [engine, touched]
      touched = undefined
      keeping = undefined
      if (!old || !changed) return
      const undo = async () => {
        await settled
        const opened = await old
        await opened.runAll(undoing[changed])
        return opened
      }
      void keep(undo())
    },
    close() {
      const old = engine
      engine = undefined
      void old?.then((opened) => opened.close()).catch(() => undefined)
    },
  }
}
