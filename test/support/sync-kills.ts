import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { SyncRunRecord } from '../../packages/ferrule/src/wire/syncs.ts'
import { type Reply, type Seen, serve, type TestServer } from '../engine/support.ts'
import { type FollowedEntry, Follower } from './follower.ts'
import { openNode, type SyncerOptions, type SyncNode } from './kill-syncs.ts'
import { principalOf } from './kill-writer.ts'
import { sessionsEnded } from './kills.ts'
import { LedgerServer, type Row, toTexts } from './ledger-server.ts'
import { createSearcher } from './searcher.ts'

/** Longer than a lease and the longest backoff, so that everything is due again in the next round. */
const roundMs = 1_200_000
/** Calls of a round that is not killed before, about. */
const mostCalls = 150
const entities = ['accounts', 'lines', 'entries', 'comments'] as const

/** An endpoint for events that can kill the node that sends one, before or after it answers. */
class Receiver {
  /** Bodies by the id of the event. */
  readonly got = new Map<string, Set<string>>()
  #kill: (() => void) | undefined

  /** Calls `kill` at the next event. */
  killAtNext(kill: () => void): void {
    this.#kill = kill
  }

  readonly answer = ({ headers, body }: Seen): Reply => {
    const id = String(headers['webhook-id'])
    this.got.set(id, (this.got.get(id) ?? new Set()).add(body))
    this.#kill?.()
    this.#kill = undefined
    return { status: 204 }
  }
}

/** When a node is killed: while a walk is under way, when an event arrives, and when a run has just been stored as ended. */
export const phases = ['walking', 'delivering', 'ended'] as const
type Phase = (typeof phases)[number]

/** What happened over all kills. */
export interface SyncKillCounts extends Record<Phase, number> {
  kills: number
  comparisons: number
}

/** What is to be compared after kills. */
export interface Comparison {
  /** Records of the copy by entity, and of the vendor. */
  readonly found: Readonly<Record<string, readonly string[]>>
  readonly expected: Readonly<Record<string, readonly string[]>>
  /** Records of a table that follows the changes of the copy. */
  readonly followed: Readonly<Record<string, readonly string[]>>
  readonly runs: readonly SyncRunRecord[]
  /** Ids of all events, and what came at the endpoint: bodies by id. */
  readonly events: readonly string[]
  readonly received: ReadonlyMap<string, ReadonlySet<string>>
}

/** Kills nodes while they sync, lets one finish now and then, and compares the copy with the vendor, record by record. */
export class SyncKills implements AsyncDisposable {
  readonly counts: SyncKillCounts = { kills: 0, walking: 0, delivering: 0, ended: 0, comparisons: 0 }
  readonly #env: Readonly<Record<string, string>>
  readonly #ledger: LedgerServer
  readonly #receiver: Receiver
  readonly #servers: readonly TestServer[]
  readonly #followers = new Map(entities.map((entity) => [entity, { table: new Follower<Row>(), after: undefined as string | undefined }]))
  #round = 0
  #connectorId = ''

  private constructor(
    env: Readonly<Record<string, string>>,
    { ledger, receiver, servers }: { readonly ledger: LedgerServer; readonly receiver: Receiver; readonly servers: readonly TestServer[] },
  ) {
    this.#env = env
    this.#ledger = ledger
    this.#receiver = receiver
    this.#servers = servers
  }

  /** Begins with a copy and a follower that are up to date. @param env settings of the installation; with DATABASE_URL both databases are on PostgreSQL, else both are embedded */
  static async begin(env: Readonly<Record<string, string>>): Promise<SyncKills> {
    const [ledger, receiver] = [new LedgerServer(), new Receiver()]
    const [vendor, endpoint] = await Promise.all([serve(ledger.answer), serve(receiver.answer)])
    const settings = {
      ...env,
      FERRULE_ORIGINS: JSON.stringify({ ledger: vendor.origin }),
      FERRULE_WEBHOOK_HOSTS: '127.0.0.1',
      FERRULE_SEARCH_SECONDS: '600', // the comparison waits for its answer, however busy the machine is
    }
    const kills = new SyncKills(settings, { ledger, receiver, servers: [vendor, endpoint] })
    ledger.change(kills.#now)
    const node = await kills.#node()
    const principal = principalOf(node.platform)
    await node.platform.webhooks.create(principal, { name: 'Endpoint', url: endpoint.origin })
    await node.events.run()
    const body = { workspace_name: 'default', name: 'Ledger', connector_type: 'ledger', credentials: { token: 'token' } }
    kills.#connectorId = (await node.platform.connectors.create(principal, body)).id
    await kills.#settle(node)
    await node.close()
    return kills
  }

  get #now(): number {
    return Date.now() + this.#round * roundMs
  }

  #node(): Promise<SyncNode> {
    return openNode(this.#env, () => this.#now)
  }

  /** Starts a node, kills it while it syncs or sends an event, and changes the vendor's records. */
  async kill(phase: Phase): Promise<void> {
    this.#round += 1
    const mode = randomInt(3) === 0 ? 'full' : 'incremental'
    const options: SyncerOptions = { env: this.#env, connectorId: this.#connectorId, mode, clockOffset: this.#round * roundMs }
    const script = fileURLToPath(new URL('./kill-syncs.ts', import.meta.url))
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let killed = false
    const kill = (delayMs: number) => {
      killed = true
      setTimeout(() => child.kill('SIGKILL'), delayMs)
    }
    // A few milliseconds later the call is answered, and what it brought may be on its way into the store. So it is with an event.
    if (phase === 'walking') this.#ledger.killAfter(randomInt(1, mostCalls), () => kill(randomInt(40)))
    if (phase === 'delivering') this.#receiver.killAtNext(() => kill(randomInt(10)))
    for await (const _line of createInterface({ input: child.stdout })) if (phase !== 'delivering') child.kill('SIGKILL')
    if (child.signalCode === null && child.exitCode === null) await once(child, 'exit')
    if (child.signalCode !== 'SIGKILL') throw new Error(`the node ended by itself with ${child.exitCode}`)
    if (this.#env['DATABASE_URL'] !== undefined) await sessionsEnded(this.#env['DATABASE_URL'])
    this.counts.kills += 1
    this.counts[killed ? phase : 'ended'] += 1
    this.#ledger.change(this.#now)
  }

  /** Lets a node bring everything up to date, and follow what the killed ones changed. */
  async compare(): Promise<Comparison> {
    this.#round += 1
    const node = await this.#node()
    try {
      await this.#follow(node)
      await this.#settle(node)
      this.counts.comparisons += 1
      const found = Object.fromEntries(await Promise.all(entities.map(async (entity) => [entity, await this.#copy(node, entity)])))
      const followed = Object.fromEntries([...this.#followers].map(([entity, { table }]) => [entity, toTexts([...table.table.values()])]))
      const runs = (await node.platform.syncs.list(principalOf(node.platform), this.#connectorId, { limit: 100 })).data
      const events = await this.#listEvents(node)
      if (node.errors.length > 0) throw node.errors[0]
      return { found, followed, expected: this.#ledger.expected(), runs, events, received: this.#receiver.got }
    } finally {
      await node.close()
    }
  }

  /** Syncs everything, follows it, and sends the events. */
  async #settle(node: SyncNode): Promise<void> {
    const [{ syncs }, principal] = [node.platform, principalOf(node.platform)]
    const { id } = await syncs.request(principal, this.#connectorId, { mode: 'full' })
    for (let run = await syncs.get(principal, this.#connectorId, id); run.finished_at === null; ) {
      await node.worker.tick()
      await node.worker.idle()
      run = await syncs.get(principal, this.#connectorId, id)
    }
    await this.#follow(node)
    await node.events.run()
  }

  async #copy({ store }: SyncNode, entity: string): Promise<readonly string[]> {
    const ref = { connector: this.#connectorId, kind: 'ledger', entity }
    const params = { query: {}, limit: 10_000 }
    const answer = await createSearcher(store).search({ ref, params, key: Buffer.alloc(32), now: this.#now })
    return toTexts(JSON.parse(answer?.json ?? '[]'))
  }

  /** Reads the changes of all entities to their ends. */
  async #follow({ platform, copies }: SyncNode): Promise<void> {
    const access = await platform.connectors.readAccess(principalOf(platform), this.#connectorId)
    for (const [entity, follower] of this.#followers) {
      for (let isMore = true; isMore; ) {
        const page = await copies.changes.read(access, { entity, after: follower.after, limit: 50 })
        const entries: readonly FollowedEntry<Row>[] = JSON.parse(page.data.text)
        follower.table.take(entries)
        follower.after = page.next
        isMore = page.has_more
      }
    }
  }

  async #listEvents({ platform }: SyncNode): Promise<readonly string[]> {
    const ids: string[] = []
    let after: string | undefined
    for (let isMore = true; isMore; ) {
      const page = await platform.webhooks.listEvents(principalOf(platform), { limit: 100, ...(after === undefined ? {} : { after }) })
      ids.push(...page.data.map((event) => event.id))
      after = page.after ?? undefined
      isMore = page.has_more
    }
    return ids
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()))
  }
}
