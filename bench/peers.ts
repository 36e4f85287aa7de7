/** Databases beside the context store that answer the same questions over the same records, each in the way that suits it. */
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { Client } from 'pg'
import { type Question, records } from './peer-questions.ts'
import { callOf, table } from './store-records.ts'

/** A database that answers questions. */
export interface Peer {
  readonly name: string
  /** Returns the statement of a question; undefined where the peer has none. */
  statementOf(question: Question): string | undefined
  /** Runs a statement, and returns the number of records. */
  ask(statement: string, value: string | undefined): Promise<number> | number
  /** CPU milliseconds so far of the processes that answer. */
  readCpuMs(): number
  close(): Promise<void> | void
}

/** CPU milliseconds of this process. */
export const readOwnCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of a tick of `/proc`. */
const tickMs = 10

/** Reads the numbers of a process from its parent on; none when it has ended, or where the system has no `/proc`. */
function readProcess(pid: number | string): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) \S /s, '')
      .split(' ')
      .map(Number)
  } catch {
    return []
  }
}

/** CPU milliseconds of a server's processes, ended ones too. @param backend one of its processes */
export function readServerCpuMs(backend: number): number {
  const [server] = readProcess(backend)
  if (server === undefined) return 0
  const spent = ([, , , , , , , , , , user = 0, system = 0]: readonly number[]): number => user + system
  const ended = readProcess(server).slice(12, 14)
  const living = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readProcess)
  const all = [...living.filter(([parent]) => parent === server).map(spent), ...ended]
  return all.reduce((sum, ticks) => sum + ticks, 0) * tickMs
}

const columnsOf = (text: string): string =>
  table.columns.map(({ name, type }) => `"${name}" ${{ integer: 'bigint', boolean: 'boolean' }[String(type)] ?? text}`).join(', ')
const create = (text: string): string => `create table plain (${columnsOf(text)}, primary key (id))`

/** A plain table of the same columns in the same server, with the indexes that like and words need there. */
export async function openPlain(url: string): Promise<Peer & { readonly backend: number }> {
  const client = new Client({ connectionString: url, options: '-c jit=off -c random_page_cost=1.1 -c work_mem=32MB' })
  await client.connect()
  await client.query(create('text'))
  await client.query(`insert into plain select ${table.columns.map(({ name }) => `"${name}"`).join()} from "${table.name}"`)
  await client.query('create index on plain using gin (title gin_trgm_ops)')
  await client.query(`create index on plain using gin (to_tsvector('simple', title))`)
  await client.query('vacuum (analyze)')
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const backend = Number(rows[0]?.pid)
  return {
    name: 'plain-sql',
    backend,
    statementOf: ({ postgres }) => postgres,
    ask: async (text, value) => (await client.query({ text, values: value === undefined ? [] : [value] })).rows.length,
    readCpuMs: () => readServerCpuMs(backend) + readOwnCpuMs(),
    close: () => client.end(),
  }
}

/** SQLite in memory, with the words of titles and their parts in indexes of FTS5. */
export function openSqlite(): Peer {
  const database = new DatabaseSync(':memory:')
  database.exec(create('text'))
  database.exec('create virtual table words using fts5(title, content=plain)')
  database.exec(`create virtual table parts using fts5(title, content=plain, tokenize='trigram case_sensitive 1')`)
  const insert = database.prepare(`insert into plain values (${table.columns.map(() => '?').join()})`)
  database.exec('begin')
  for (let index = 0; index < records; index++) {
    const call = callOf(index)
    insert.run(...table.columns.map(({ name, type }) => (type === 'text' ? String(call[name]) : Number(call[name]))))
  }
  database.exec('commit')
  for (const name of ['words', 'parts']) database.exec(`insert into ${name}(${name}) values ('rebuild')`)
  return {
    name: 'sqlite',
    statementOf: ({ sqlite }) => sqlite,
    // A phrase of FTS5 is quoted.
    ask: (text, value) => {
      const given = value === undefined ? [] : [text.includes(' match ') ? `"${value}"` : value]
      return database.prepare(text).all(...given).length
    },
    readCpuMs: readOwnCpuMs,
    close: () => database.close(),
  }
}

/** DuckDB in memory. */
export async function openDuckDb(): Promise<Peer> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(create('varchar'))
  const appender = await connection.createAppender('plain')
  for (let index = 0; index < records; index++) {
    const call = callOf(index)
    for (const { name, type } of table.columns) {
      if (type === 'integer') appender.appendBigInt(BigInt(Number(call[name])))
      else if (type === 'boolean') appender.appendBoolean(call[name] === true)
      else appender.appendVarchar(String(call[name]))
    }
    appender.endRow()
  }
  appender.closeSync()
  return {
    name: 'duckdb',
    statementOf: ({ duckdb }) => duckdb,
    ask: async (text, value) => (await connection.runAndReadAll(text, value === undefined ? [] : [value])).getRows().length,
    readCpuMs: readOwnCpuMs,
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
