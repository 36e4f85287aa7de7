import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { SyncRunRecord } from '../../packages/ferrule/src/wire/syncs.ts'
import { type Reply, type Seen, serve, type TestServer } from '../engine/support.ts'
import { openNode, type SyncerOptions, type SyncNode } from './kill-syncs.ts'
import { principalOf } from './kill-writer.ts'
import { sessionsEnded } from './kills.ts'
import { createSearcher } from './searcher.ts'

/** Longer than a lease and the longest backoff, so that everything is due again in the next round. */
const roundMs = 1_200_000
const pageSize = 10
/** Calls of a round that is not killed before, about. */
const mostCalls = 150
const entities = ['accounts', 'lines', 'entries', 'comments'] as const

interface Row {
  readonly id: string
  readonly name: string
  readonly changed_at: string
}

/** The ledger over HTTP, with records that change. */
class LedgerServer {
  readonly records: { readonly accounts: Map<string, Row>; readonly entries: Map<string, Row> } = {
    accounts: new Map(),
    entries: new Map(),
  }
  #made = 0
  #kill: { calls: number; kill(): void } | undefined

  /** Calls `kill` with the call of this number from now on. */
  killAfter(calls: number, kill: () => void): void {
    this.#kill = { calls, kill }
  }

  /** Changes some records: new ones, other names, and deleted ones. */
  change(now: number): void {
    for (const records of Object.values(this.records)) {
      for (let index = records.size === 0 ? -60 : 0; index < 6; index += 1) {
        this.#made += 1
        const id = String(this.#made).padStart(6, '0')
        records.set(id, { id, name: `made ${this.#made}`, changed_at: new Date(now).toISOString() })
      }
      const ids = [...records.keys()]
      for (const id of ids.filter(() => randomInt(10) === 0))
        records.set(id, { id, name: `changed ${now}`, changed_at: new Date(now).toISOString() })
      for (const id of ids.filter(() => randomInt(20) === 0)) records.delete(id)
    }
  }

  /** Returns what a copy must hold, by entity. */
  expected(): Readonly<Record<string, readonly string[]>> {
    const names = (records: ReadonlyMap<string, Row>) => [...records.values()].map(({ id, name }) => `${id} ${name}`).toSorted()
    const hanging = (records: ReadonlyMap<string, Row>) => [...records.values()].map(({ id, name }) => `${id}.1 of ${name}`).toSorted()
    const { accounts, entries } = this.records
    return { accounts: names(accounts), lines: hanging(accounts), entries: names(entries), comments: hanging(entries) }
  }

  readonly answer = ({ url }: Seen): Reply => {
    if (this.#kill !== undefined) this.#kill.calls -= 1
    if (this.#kill?.calls === 0) this.#kill.kill()
    const { pathname, searchParams } = new URL(url, 'http://vendor')
    const [, name, id] = pathname.split('/')
    const records = name === 'entries' ? this.records.entries : this.records.accounts
    if (id !== undefined) {
      const parent = records.get(id)
      return { body: { data: parent === undefined ? [] : [{ id: `${id}.1`, name: `of ${parent.name}` }] } }
    }
    const since = Date.parse(searchParams.get('since') ?? '1970-01-01')
    const after = searchParams.get('cursor') ?? ''
    const rows = [...records.values()]
      .filter((row) => row.id > after && Date.parse(row.changed_at) >= since)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const page = rows.slice(0, pageSize)
    return { body: { data: page, next: rows.length > pageSize ? page.at(-1)?.id : null } }
  }
}

/** What happened over all kills. */
export interface SyncKillCounts {
  kills: number
  /** Kills while a walk was under way; the others came after its end. */
  walking: number
  comparisons: number
}

/** Kills nodes while they sync, lets one finish now and then, and compares the copy with the vendor, record by record. */
export class SyncKills implements AsyncDisposable {
  readonly counts: SyncKillCounts = { kills: 0, walking: 0, comparisons: 0 }
  readonly #env: Readonly<Record<string, string>>
  readonly #ledger: LedgerServer
  readonly #vendor: TestServer
  #round = 0
  #connectorId = ''

  private constructor(env: Readonly<Record<string, string>>, ledger: LedgerServer, vendor: TestServer) {
    this.#env = { ...env, FERRULE_ORIGINS: JSON.stringify({ ledger: vendor.origin }) }
    this.#ledger = ledger
    this.#vendor = vendor
  }

  /** @param env settings of the installation; with DATABASE_URL both databases are on PostgreSQL, else both are embedded */
  static async begin(env: Readonly<Record<string, string>>): Promise<SyncKills> {
    const ledger = new LedgerServer()
    const kills = new SyncKills(env, ledger, await serve(ledger.answer))
    ledger.change(kills.#now)
    const node = await kills.#node()
    const body = { workspace_name: 'default', name: 'Ledger', connector_type: 'ledger', credentials: { token: 'token' } }
    kills.#connectorId = (await node.platform.connectors.create(principalOf(node.platform), body)).id
    await node.close()
    return kills
  }

  get #now(): number {
    return Date.now() + this.#round * roundMs
  }

  #node(): Promise<SyncNode> {
    return openNode(this.#env, () => this.#now)
  }

  /** Starts a node, kills it at a random time while it syncs, and changes the vendor's records. */
  async kill(): Promise<void> {
    this.#round += 1
    const mode = randomInt(3) === 0 ? 'full' : 'incremental'
    const options: SyncerOptions = { env: this.#env, connectorId: this.#connectorId, mode, clockOffset: this.#round * roundMs }
    const script = fileURLToPath(new URL('./kill-syncs.ts', import.meta.url))
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let walking = false
    // A few milliseconds later the call is answered, and what it brought may be on its way into the store.
    this.#ledger.killAfter(randomInt(1, mostCalls), () => {
      walking = true
      setTimeout(() => child.kill('SIGKILL'), randomInt(40))
    })
    for await (const _line of createInterface({ input: child.stdout })) child.kill('SIGKILL')
    if (child.signalCode === null && child.exitCode === null) await once(child, 'exit')
    if (child.signalCode !== 'SIGKILL') throw new Error(`the node ended by itself with ${child.exitCode}`)
    if (this.#env['DATABASE_URL'] !== undefined) await sessionsEnded(this.#env['DATABASE_URL'])
    this.counts.kills += 1
    if (walking) this.counts.walking += 1
    this.#ledger.change(this.#now)
  }

  /** Lets a node bring everything up to date. @returns the copy and the vendor's records by entity, and the runs */
  async compare(): Promise<{
    found: Record<string, readonly string[]>
    expected: Readonly<Record<string, readonly string[]>>
    runs: readonly SyncRunRecord[]
  }> {
    this.#round += 1
    const node = await this.#node()
    try {
      const principal = principalOf(node.platform)
      const { id } = await node.platform.syncs.request(principal, this.#connectorId, { mode: 'full' })
      for (let run = await node.platform.syncs.get(principal, this.#connectorId, id); run.finished_at === null; ) {
        await node.worker.tick()
        await node.worker.idle()
        run = await node.platform.syncs.get(principal, this.#connectorId, id)
      }
      this.counts.comparisons += 1
      const found = Object.fromEntries(await Promise.all(entities.map(async (entity) => [entity, await this.#copy(node, entity)])))
      const runs = (await node.platform.syncs.list(principal, this.#connectorId, { limit: 100 })).data
      if (node.errors.length > 0) throw node.errors[0]
      return { found, expected: this.#ledger.expected(), runs }
    } finally {
      await node.close()
    }
  }

  async #copy({ store }: SyncNode, entity: string): Promise<readonly string[]> {
    const place = { connector: this.#connectorId, kind: 'ledger', entity }
    const params = { query: {}, limit: 10_000 }
    const answer = await createSearcher(store).search({ ref: place, params, key: Buffer.alloc(32), now: this.#now })
    const rows: readonly { readonly id: string; readonly name: string }[] = JSON.parse(answer?.json ?? '[]')
    return rows.map(({ id, name }) => `${id} ${name}`).toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#vendor[Symbol.asyncDispose]()
  }
}
