/** Folder of the embedded database: creates databases, and sets damaged ones aside. */
import { fork } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Number of damaged databases to keep for inspection, newest first. */
const kept = 1
const probeBytes = 1_048_576
/** Timeout in milliseconds; creating a database takes 2 to 4 seconds. */
const createMs = 120_000
/** V8 flags of the creating process. Without the optimizing compiler it takes two thirds of the time, and 650 MB instead of 1,090 MB (Node 24). */
const unoptimized = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']
/** Maximum number of chunks to keep of the output of a failed creation. */
const keptChunks = 20

/** Environment variables passed to the creating process: none of this service, none secret. */
const inherited = ['PATH', 'NODE_COMPILE_CACHE', 'TZ', 'LANG', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
/** Sources run uncompiled and the published package compiled, so the program's file has the extension of this one. */
const program = new URL(`./create${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
const names = { database: 'database', fresh: 'database.new', damaged: 'damaged-', probe: 'probe' } as const

/** A damaged database that was set aside. */
export interface SetAsideDatabase {
  /** Timestamp, ISO 8601. */
  readonly at: string
  /** Error that made the database count as damaged. */
  readonly reason: string
  /** Folder of the damaged database. */
  readonly folder: string
}

/** Returns the folder of the database's own files. */
export const databaseFolder = (folder: string): string => join(folder, names.database)

/** Returns whether a database exists. */
export const hasDatabase = (folder: string): boolean => existsSync(databaseFolder(folder))

/** Returns whether the database's folder looks complete. PGlite would create an empty database in an incomplete one. */
export const isComplete = (folder: string): boolean => existsSync(join(databaseFolder(folder), 'PG_VERSION'))

/**
 * Creates an empty database in a process of its own. A complete database is then renamed, so a kill leaves no partial one.
 * @throws an Error with the output of the process
 */
export async function createDatabaseFiles(folder: string): Promise<void> {
  renameSync(await createFreshDatabase(folder), databaseFolder(folder))
}

async function createFreshDatabase(folder: string): Promise<string> {
  const fresh = join(folder, names.fresh)
  rmSync(fresh, { recursive: true, force: true })
  const maker = fork(program, [fresh], {
    env: Object.fromEntries(inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
    execArgv: unoptimized,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: createMs,
  })
  const said: string[] = []
  maker.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < keptChunks) said.push(text)
  })
  const how = await new Promise<number | string | null>((resolve) => {
    maker.once('error', (error) => resolve(error.message))
    maker.once('close', (code, signal) => resolve(code ?? signal))
  })
  if (how !== 0) throw new Error(`the embedded database cannot be made (${how}): ${said.join('')}`)
  return fresh
}

/** Sets the database aside and creates an empty one. If no empty one can be created, the files are not at fault and stay. */
export async function setAside(folder: string, { reason, now }: { reason: string; now: number }): Promise<SetAsideDatabase> {
  const at = new Date(now).toISOString()
  const aside = join(folder, `${names.damaged}${at.replaceAll(':', '-')}`)
  const fresh = await createFreshDatabase(folder)
  renameSync(databaseFolder(folder), aside)
  renameSync(fresh, databaseFolder(folder))
  const old = readdirSync(folder).filter((name) => name.startsWith(names.damaged))
  for (const name of old.sort().slice(0, -kept)) rmSync(join(folder, name), { recursive: true, force: true })
  return { at, reason, folder: aside }
}

/** Throws when the folder is not writable: a full disk is no damage. */
export function assertWritable(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const probe = join(folder, names.probe)
  try {
    writeFileSync(probe, Buffer.alloc(probeBytes), { flush: true })
  } finally {
    rmSync(probe, { force: true })
  }
}
