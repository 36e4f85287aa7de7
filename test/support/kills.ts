import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { openPostgres } from '../../packages/server/src/db/postgres.ts'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { notes } from '../platform/kinds.ts'
import { createStubEngine } from './engines.ts'
import { type Line, principalOf, type Write, type WriterOptions } from './kill-writer.ts'

/** What happened over all kills. */
export interface KillCounts {
  kills: number
  /** Kills before the writer had opened the platform. */
  early: number
  acknowledged: number
  /** Writes that were on their way when the writer was killed, and those of them that were kept. */
  interrupted: number
  interruptedKept: number
  /** Of these, new credentials of a connector that had others: verified to be the old ones or the new ones. */
  changed: number
  changedKept: number
  rotations: number
}

/** Counts before the first kill. */
export const noKills: Readonly<KillCounts> = {
  ...{ kills: 0, early: 0, acknowledged: 0, interrupted: 0, interruptedKept: 0 },
  ...{ changed: 0, changedKept: 0, rotations: 0 },
}

/** A writer that is to be killed amid a change lives for this long at most, in milliseconds. */
const longestLifeMs = 5_000

/** Kills writers and compares what they acknowledged with what the database holds. */
export class Kills {
  readonly counts: KillCounts = { ...noKills }
  readonly #env: Readonly<Record<string, string>>
  /** Name → token that was acknowledged; null after a removal. */
  readonly #expected = new Map<string, string | null>()
  #generation = 0
  /** Every other writer is killed as soon as it begins to change credentials. */
  readonly #kills = { amid: false }

  /** @param env settings of the installation; with DATABASE_URL over PostgreSQL, else embedded */
  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env
  }

  /** Starts a writer, kills it at a random time, and checks the database. Throws when an acknowledged write is lost. */
  async kill(): Promise<void> {
    const begun = new Map<string, Write>()
    const early = await this.#writeAndKill(begun)
    this.counts.kills += 1
    if (early) this.counts.early += 1
    if (this.#env['DATABASE_URL'] !== undefined) await sessionsEnded(this.#env['DATABASE_URL'])
    await this.#compare(begun)
  }

  async #writeAndKill(begun: Map<string, Write>): Promise<boolean> {
    this.#generation += 1
    const lanes = this.#env['DATABASE_URL'] === undefined ? 1 : 3
    const options: WriterOptions = { env: this.#env, lanes, clockOffset: this.#generation * 100_000 }
    const script = fileURLToPath(new URL('./kill-writer.ts', import.meta.url))
    const writer = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const errors: string[] = []
    writer.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
    let ready = false
    this.#kills.amid = !this.#kills.amid
    const early = !this.#kills.amid && randomInt(10) === 0
    if (early) killAfter(writer, randomInt(400))
    for await (const line of createInterface({ input: writer.stdout })) {
      const said = parsed(line)
      if (said === undefined) continue
      if ('ready' in said && !early) killAfter(writer, this.#kills.amid ? longestLifeMs : randomInt(120))
      if (this.#kills.amid && this.#isChange(said)) killAfter(writer, randomInt(3))
      ready ||= 'ready' in said
      this.#note(said, begun)
    }
    if (writer.signalCode === null && writer.exitCode === null) await once(writer, 'exit')
    if (writer.signalCode !== 'SIGKILL') throw new Error(`the writer ended by itself: ${errors.join('')}`)
    return !ready
  }

  /** Returns whether a writer begins to give a connector other credentials than the expected ones. */
  #isChange(line: Line): boolean {
    return 'begin' in line && line.begin.token !== null && typeof this.#expected.get(line.begin.name) === 'string'
  }

  #note(line: Line, begun: Map<string, Write>): void {
    if ('begin' in line) begun.set(line.begin.name, line.begin)
    if ('rotated' in line) this.counts.rotations += 1
    if (!('done' in line)) return
    begun.delete(line.done.name)
    this.#expected.set(line.done.name, line.done.token)
    this.counts.acknowledged += 1
  }

  /** Writes that were not acknowledged may be there or not; all others must be exactly as they were acknowledged. */
  async #compare(begun: ReadonlyMap<string, Write>): Promise<void> {
    const found = await this.#found()
    this.counts.interrupted += begun.size
    for (const [name, { token }] of begun) {
      const before = this.#expected.get(name) ?? null
      const now = found.get(name) ?? null
      if (now !== before && now !== token) throw new Error(`connector ${name} holds neither its old nor its new credentials`)
      if (now === token) this.counts.interruptedKept += 1
      if (before !== null && token !== null) {
        this.counts.changed += 1
        if (now === token) this.counts.changedKept += 1
      }
      this.#expected.set(name, now)
    }
    for (const [name, token] of this.#expected) {
      if ((found.get(name) ?? null) !== token) throw new Error(`connector ${name}: an acknowledged write is lost`)
      if (token === null) this.#expected.delete(name)
    }
    for (const name of found.keys()) if (!this.#expected.has(name)) throw new Error(`connector ${name} was never written`)
  }

  /** Every connector with its token, all opened. */
  async #found(): Promise<ReadonlyMap<string, string | undefined>> {
    const settings = readSettings(this.#env, { kinds: ['notes'] })
    const platform = await openPlatform({
      settings,
      kinds: [notes],
      engine: () => createStubEngine(),
      clock: () => Date.now() + this.#generation * 100_000,
    })
    try {
      return await tokens(platform)
    } finally {
      await platform.close()
    }
  }
}

async function tokens(platform: Platform): Promise<ReadonlyMap<string, string | undefined>> {
  const principal = principalOf(platform)
  const found = new Map<string, string | undefined>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await platform.connectors.list(principal, { limit: 100, cursor: cursor ?? null })
    for (const { id, name } of page.data) {
      const { connection } = await platform.connectors.readAccess(principal, id)
      found.set(name, (await connection.credentials.open()).values.reveal()['refresh_token'])
    }
    cursor = page.next
  }
  return found
}

function killAfter(child: ChildProcess, milliseconds: number): void {
  setTimeout(() => child.kill('SIGKILL'), milliseconds)
}

/** The last line of a killed process may be cut. */
function parsed(line: string): Line | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A session of a killed client can still finish the statement that it was given. */
export async function sessionsEnded(url: string): Promise<void> {
  const watcher = new URL(url)
  watcher.searchParams.set('application_name', 'watcher')
  const { db, close } = openPostgres({ url: new Secret(watcher.href) })
  try {
    for (let left = 1; left > 0; ) {
      const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and application_name = 'ferrule'`.execute(db)
      left = Number(rows[0]?.count)
    }
  } finally {
    await close()
  }
}
