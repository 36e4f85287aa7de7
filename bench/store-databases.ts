/** Databases for benchmarks of the context store, each with a bare COPY of the same fields as its baseline. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import { Secret } from '../packages/ferrule/src/engine/credentials/source.ts'
import type { ContextStoreSettings } from '../packages/server/src/copies/store/database/settings.ts'
import { type ServerOptions, startCluster } from '../test/support/postgres-cluster.ts'
import { callOf, table } from './store-records.ts'

const names = table.columns.map(({ name }) => `"${name}"`).join(', ')
const columns = table.columns.map(({ name, type }) => `"${name}" ${type === 'integer' ? 'int8' : type === 'boolean' ? 'boolean' : 'text'}`)
const plain = `create table plain (${columns.join(', ')}, primary key (id))`

const csvOf = (size: number): string =>
  Array.from({ length: size }, (_, index) => {
    const call = callOf(index)
    return table.columns.map(({ name }) => `"${String(call[name] ?? '')}"`).join(',')
  }).join('\n')

/** A database for a store, and a bare COPY of so many calls into a table with a key, which is made for it. */
export interface StoreDatabase {
  readonly settings: ContextStoreSettings
  readonly copy: () => Promise<void>
}

const common = { waiting: 10, searchSeconds: 60 }

/** Works over PGlite. @param size calls of the bare COPY */
export async function withEmbedded<T>(size: number, work: (database: StoreDatabase) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
  const bare = await PGlite.create(join(folder, 'bare'))
  const blob = new Blob([csvOf(size)])
  const copy = async (): Promise<void> => {
    await bare.exec(`drop table if exists plain; ${plain}`)
    await bare.query(`copy plain (${names}) from '/dev/blob' (format csv)`, [], { blob })
  }
  const settings = { engine: 'embedded' as const, folder: join(folder, 'context'), memoryMb: 32, ...common }
  const result = await work({ settings, copy })
  await bare.close()
  rmSync(folder, { recursive: true, force: true })
  return result
}

/** A server for many records: the usual settings would measure how blocks are read. PostgreSQL's manual advises a quarter of the memory. */
export const forManyRecords: ServerOptions = {
  settings: ['shared_buffers=4GB', 'maintenance_work_mem=256MB', 'max_wal_size=8GB'],
  onDisk: true,
}

/** Starts a server with an empty database for copies. */
export async function startDatabase(options?: ServerOptions): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const cluster = await startCluster(undefined, options)
  await run(cluster.url, `create database context template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`)
  const url = new URL(cluster.url)
  url.pathname = '/context'
  return { url: url.href, stop: cluster.stop }
}

/** Works over a PostgreSQL server that is started for it. @param size calls of the bare COPY */
export async function withPostgres<T>(size: number, work: (database: StoreDatabase) => Promise<T>): Promise<T> {
  const { url, stop } = await startDatabase()
  const folder = mkdtempSync('/tmp/ferrule-bench-')
  chmodSync(folder, 0o755) // the server may run under another account
  const file = join(folder, 'calls.csv')
  writeFileSync(file, csvOf(size))
  const copy = (): Promise<void> => run(url, 'drop table if exists plain', plain, `copy plain (${names}) from '${file}' (format csv)`)
  const settings = { engine: 'postgres' as const, url: new Secret(url), searches: 2, writers: 2, ...common }
  const result = await work({ settings, copy })
  await stop()
  rmSync(folder, { recursive: true, force: true })
  return result
}

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
