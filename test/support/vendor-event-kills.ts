import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serve, type TestServer } from '../engine/support.ts'
import { openNode, type SyncNode } from './kill-syncs.ts'
import { hookedLedger, hookSecret, type LedgerEvent, type TakerOptions, tellEvent } from './kill-vendor-events.ts'
import { principalOf } from './kill-writer.ts'
import { sessionsEnded } from './kills.ts'
import { LedgerServer, toTexts } from './ledger-server.ts'
import { createSearcher } from './searcher.ts'

/** Longer than a lease, so that everything is due again in the next round. */
const roundMs = 600_000

/** Kills nodes that take events of a vendor, between storing and working too, and compares the copy with the vendor. No sync helps. */
export class VendorEventKills implements AsyncDisposable {
  /** Kills, and those of them while events were stored whose records had not been read. */
  readonly counts = { kills: 0, waiting: 0 }
  readonly #env: Readonly<Record<string, string>>
  readonly #ledger: LedgerServer
  readonly #server: TestServer
  /** Events that no node has taken yet. The vendor sends them again. */
  readonly #unsent = new Map<number, LedgerEvent>()
  #round = 0
  #sent = 0
  #connectorId = ''
  #address = ''

  private constructor(env: Readonly<Record<string, string>>, ledger: LedgerServer, server: TestServer) {
    this.#env = env
    this.#ledger = ledger
    this.#server = server
  }

  /** Begins with a copy that is up to date. @param env settings of the installation; with DATABASE_URL both databases are on PostgreSQL */
  static async begin(env: Readonly<Record<string, string>>): Promise<VendorEventKills> {
    const ledger = new LedgerServer()
    const server = await serve(ledger.answer)
    // The comparison waits for its answer, however busy the machine is.
    const settings = { ...env, FERRULE_ORIGINS: JSON.stringify({ ledger: server.origin }), FERRULE_SEARCH_SECONDS: '600' }
    const kills = new VendorEventKills(settings, ledger, server)
    ledger.change(kills.#now)
    const node = await kills.#node()
    const { platform, worker } = node
    const principal = principalOf(platform)
    const body = { workspace_name: 'default', name: 'Ledger', connector_type: 'ledger', credentials: { token: 'token' } }
    kills.#connectorId = (await platform.connectors.create(principal, body)).id
    const { address } = await platform.connectorWebhooks.set(principal, kills.#connectorId, { secret: hookSecret })
    kills.#address = String(address).split('/').at(-1) ?? ''
    const { id } = await platform.syncs.request(principal, kills.#connectorId, { mode: 'full' })
    while ((await platform.syncs.get(principal, kills.#connectorId, id)).finished_at === null) {
      await worker.tick()
      await worker.idle()
    }
    await node.close()
    return kills
  }

  get #now(): number {
    return Date.now() + this.#round * roundMs
  }

  #node(): Promise<SyncNode> {
    return openNode(this.#env, () => this.#now, { kind: hookedLedger })
  }

  /** Changes the vendor's entries, and notes an event for each. */
  #change(): void {
    const { entries } = this.#ledger.records
    const before = new Map(entries)
    this.#ledger.change(this.#now)
    const changed = [...new Set([...before.keys(), ...entries.keys()])].filter((id) => before.get(id) !== entries.get(id))
    for (const entry of changed) {
      this.#sent += 1
      this.#unsent.set(this.#sent, { number: this.#sent, topic: entries.has(entry) ? 'changed' : 'removed', entry })
    }
  }

  /** Changes the vendor's records, sends the events to a node, and kills it. */
  async kill(): Promise<void> {
    this.#round += 1
    this.#change()
    const events = [...this.#unsent.values()]
    const options: TakerOptions = { env: this.#env, address: this.#address, events, clockOffset: this.#round * roundMs }
    const script = fileURLToPath(new URL('./kill-vendor-events.ts', import.meta.url))
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let read = 0
    this.#ledger.onCall = () => {
      read += 1
    }
    let taken = 0
    const last = randomInt(1, events.length + 1)
    for await (const line of createInterface({ input: child.stdout })) {
      this.#unsent.delete(Number(line))
      taken += 1
      if (taken === last) setTimeout(() => child.kill('SIGKILL'), randomInt(20))
    }
    if (child.signalCode === null && child.exitCode === null) await once(child, 'exit')
    if (child.signalCode !== 'SIGKILL') throw new Error(`the node ended by itself with ${child.exitCode}`)
    if (this.#env['DATABASE_URL'] !== undefined) await sessionsEnded(this.#env['DATABASE_URL'])
    this.counts.kills += 1
    if (read < taken) this.counts.waiting += 1
  }

  /** Lets a node work on what was stored, and sends what was not taken. @returns the entries of the copy and of the vendor */
  async compare(): Promise<{ readonly found: readonly string[]; readonly expected: readonly string[]; readonly lost: readonly string[] }> {
    this.#round += 1
    const node = await this.#node()
    try {
      await node.vendorEvents.run()
      const pending = new Set([...this.#unsent.values()].map(({ entry }) => entry))
      const isTold = (text: string) => !pending.has(text.slice(0, text.indexOf(' ')))
      const expected = toTexts([...this.#ledger.records.entries.values()])
      const stored = new Set(await this.#copy(node))
      const lost = expected.filter((text) => isTold(text) && !stored.has(text))
      for (const event of this.#unsent.values()) await tellEvent(node.platform, this.#address, event)
      this.#unsent.clear()
      await node.vendorEvents.run()
      if (node.errors.length > 0) throw node.errors[0]
      return { found: await this.#copy(node), expected, lost }
    } finally {
      await node.close()
    }
  }

  async #copy({ store }: SyncNode): Promise<readonly string[]> {
    const ref = { connector: this.#connectorId, kind: 'ledger', entity: 'entries' }
    const params = { query: {}, limit: 10_000 }
    const answer = await createSearcher(store).search({ ref, params, key: Buffer.alloc(32), now: this.#now })
    return toTexts(JSON.parse(answer?.json ?? '[]'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }
}
