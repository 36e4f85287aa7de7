import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { EngineType } from './cells.ts'
import { macroStatements } from './macros.ts'
import { literal, quotedName, unmarked } from './names.ts'
import { keepStatements, restoreStatements, scratch, worldStatements } from './world.ts'

/** The package that holds the engine; it is an optional peer. */
export const enginePackage = '@duckdb/node-api'

/** A statement after it was checked and before it runs. */
export interface Compiled {
  readonly names: readonly string[]
  readonly types: readonly EngineType[]
}

/** One session of the engine: no state of it outlives it. Everything that runs throws what the engine throws. */
export interface EngineSession {
  /** Database and schema that names without them belong to. */
  use(place: { readonly database?: string | undefined; readonly schema?: string | undefined }): Promise<void>
  /** Checks a statement without running it. */
  compile(sql: string): Promise<Compiled>
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

function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

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

/** How each kind of change is undone; building everything anew takes five times as long. */
const undoing = { scratch: scratch.clear, anything: restoreStatements } as const

/**
 * Keeps one engine, which is not opened before it is asked for.
 *
 * @param seed - of its rows
 */
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
