/** The embedded database's folder: how a database comes into being there, and where a damaged one goes. */
import { fork } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Damaged databases that are kept, the newest ones, for whoever wants to look. */
const kept = 1
const probeBytes = 1_048_576
/** It takes 2 to 4 seconds. Milliseconds. */
const createMs = 120_000
/** Pieces of what a failed creation says. */
const keptChunks = 20

/** What that process may know of our environment: nothing that is ours or secret. */
const inherited = ['PATH', 'NODE_COMPILE_CACHE', 'TZ', 'LANG', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/** Sources run as they are and the published program is compiled: its file has the extension of this one. */
const program = new URL(`./embedded-create${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
const names = { database: 'database', fresh: 'database.new', damaged: 'damaged-', probe: 'probe' } as const

/** A database that was put away. */
export interface SetAside {
  /** When, ISO 8601. */
  readonly at: string
  /** What was wrong with it. */
  readonly reason: string
  /** Where it lies now. */
  readonly folder: string
}

/** Folder of the database's own files. */
export const databaseFolder = (folder: string): string => join(folder, names.database)

/** Whether there is a database. */
export const hasDatabase = (folder: string): boolean => existsSync(databaseFolder(folder))

/** Whether the database's folder looks like one; PGlite would make an empty database where it does not. */
export const isWhole = (folder: string): boolean => existsSync(join(databaseFolder(folder), 'PG_VERSION'))

/**
 * Makes an empty database, in a process of its own. It gets its name when it is whole, so a kill leaves no half of one.
 * @throws an Error with what that process said
 */
export async function createDatabase(folder: string): Promise<void> {
  renameSync(await freshDatabase(folder), databaseFolder(folder))
}

async function freshDatabase(folder: string): Promise<string> {
  const fresh = join(folder, names.fresh)
  rmSync(fresh, { recursive: true, force: true })
  const maker = fork(program, [fresh], { env: environment(), execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'], timeout: createMs })
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

/**
 * Puts the database away and makes an empty one. Nothing is put away when no empty one can be made: then the fault is not in the files.
 * @param now milliseconds since 1970
 */
export async function setAside(folder: string, { reason, now }: { reason: string; now: number }): Promise<SetAside> {
  const at = new Date(now).toISOString()
  const aside = join(folder, `${names.damaged}${at.replaceAll(':', '-')}`)
  const fresh = await freshDatabase(folder)
  renameSync(databaseFolder(folder), aside)
  renameSync(fresh, databaseFolder(folder))
  const old = readdirSync(folder).filter((name) => name.startsWith(names.damaged))
  for (const name of old.sort().slice(0, -kept)) rmSync(join(folder, name), { recursive: true, force: true })
  return { at, reason, folder: aside }
}

/** Throws when the folder takes no writes: a full disk is no damage. */
export function assertWritable(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const probe = join(folder, names.probe)
  try {
    writeFileSync(probe, Buffer.alloc(probeBytes), { flush: true })
  } finally {
    rmSync(probe, { force: true })
  }
}
