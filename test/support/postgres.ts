import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { Client } from 'pg'
import { inject, vi } from 'vitest'
import { choose } from './draws.ts'
import { keepCompiled } from './embedded-code.ts'

/** A database that belongs to one test file. */
export interface TestDatabase {
  /** Connection URL, `postgresql://…`. */
  readonly url: string
  /** Removes the database; open connections are closed by the server. */
  drop(): Promise<void>
}

/** Sorts by bytes and folds case in all scripts: what the context store demands. macOS has the same rules under another name. */
const CTYPE = process.platform === 'darwin' ? 'UTF-8' : 'C.UTF-8'

/** PostgreSQL cuts longer names. */
const MAX_NAME = 63

/**
 * Makes a fresh database on the run's PostgreSQL server; the first call of a run starts the server.
 * @param name what it is for; part of the database's name, for readers of the server's log
 * @param template URL of a test database to copy, which nobody is connected to; left out: the new one is empty
 * @throws when there is no PostgreSQL 15 or later to use
 */
export async function createTestDatabase(name: string, template?: string): Promise<TestDatabase> {
  const { prefix } = inject('postgres')
  const admin = await askSetup('/')
  const unique = `_${randomBytes(4).toString('hex')}`
  const readable = name.toLowerCase().replace(/[^a-z0-9]+/g, '_')
  const database = `${prefix}_${readable}`.slice(0, MAX_NAME - unique.length) + unique
  // The log of each page that is copied, which is the default, takes twice the CPU time.
  const source = template === undefined ? 'template0' : new URL(template).pathname.slice(1)
  await runSql(
    admin,
    `create database "${database}" template "${source}" encoding 'UTF8' lc_collate 'C' lc_ctype '${CTYPE}' strategy file_copy`,
  )
  const url = new URL(admin)
  url.pathname = `/${database}`
  // On a starved machine the handshake can take longer than the service usually waits.
  url.searchParams.set('connect_timeout', '60')
  return { url: url.href, drop: async () => void (await runSql(admin, `drop database if exists "${database}" with (force)`)) }
}

/** Waits until what uses a database is ready: one look has two seconds, which a starved machine can exceed. */
export const untilReady = (user: { ready(): Promise<void> }): Promise<void> => vi.waitFor(() => user.ready(), { timeout: 240_000 })

/**
 * Copies an embedded database without records into a folder, which is then as if a store had been opened there and closed. Creating one
 * takes seconds of a core; a suite about creation leaves the folder empty.
 * @param folder of the context store; created if missing
 */
export async function copyEmbeddedDatabase(folder: string): Promise<void> {
  keepCompiled()
  cpSync(await askSetup('/embedded'), folder, { recursive: true })
}

/** Asks the setup of the run. @throws its error */
async function askSetup(path: string): Promise<string> {
  const answer = await fetch(new URL(path, inject('postgres').door))
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

/** Runs statements one after the other over a connection of their own. @returns the rows of the last one */
export async function runSql(url: string, ...statements: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined) // a server that ends: the statement fails too
  await client.connect()
  try {
    let rows: readonly Readonly<Record<string, unknown>>[] = []
    for (const text of statements) ({ rows } = await client.query<Record<string, unknown>>(text))
    return rows
  } finally {
    await client.end()
  }
}

/**
 * The databases that a suite runs over. On a further version of PostgreSQL it is that server alone: the others come to the same as in
 * the run on the first one.
 */
export const databasesUnderTest = <const Name extends string>(all: readonly Name[]): readonly Name[] =>
  inject('isFurtherVersion') ? all.filter((name) => name === 'postgres') : all

/** The databases of a suite that looks at statements only: `npm test` asks the server alone, `npm run soak` the embedded ones too. */
export const databasesOfStatements = <const Name extends string>(all: readonly Name[]): readonly Name[] =>
  choose(
    all.filter((name) => name === 'postgres'),
    databasesUnderTest(all),
  )
