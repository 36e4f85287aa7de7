/** A scripted vendor of the ledger kind, which replaces the engine. */

import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Call, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'

/** A record of the ledger. */
export interface LedgerRecord {
  readonly id: string
  readonly name: string
  readonly changed_at?: string
}

type Gate = ReturnType<typeof Promise.withResolvers<void>>
type Trouble = (call: Call) => unknown

/** A scripted vendor. */
export class Vendor implements Pick<Engine, 'run'> {
  /** Records by entity; each account and entry has lines and comments. */
  readonly records: Record<string, LedgerRecord[]> = { accounts: [], entries: [] }
  /** Calls in order: entity and parameters. */
  readonly calls: { readonly entity: string; readonly params: Readonly<Record<string, unknown>>; readonly token: string }[] = []
  /** Records per page. */
  pageSize = 2
  /** Runs before each answer; a thrown error becomes the answer. */
  trouble: Trouble = () => undefined
  #gate: Gate | undefined
  #after: ((call: Call) => boolean) | undefined
  #arrived: Gate = Promise.withResolvers()

  constructor(accounts = 3, entries = 3) {
    this.fill(accounts, entries)
  }

  /** Creates records from 1 to a count, with one name. */
  fill(accounts: number, entries: number, name = 'first'): void {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))
    this.records['accounts'] = ids(accounts).map((id) => ({ id, name: `${name} account ${id}` }))
    this.records['entries'] = ids(entries).map((id) => ({ id, name: `${name} entry ${id}`, changed_at: '2026-03-01T10:00:00Z' }))
  }

  /** Holds calls until `open`, from now on or after the first call that matches `after`. */
  hold(after?: (call: Call) => boolean): void {
    if (this.#after === undefined) this.#arrived = Promise.withResolvers()
    this.#after = after
    this.#gate = after === undefined ? Promise.withResolvers() : undefined
  }

  /** Resolves when a call waits. */
  get arrived(): Promise<void> {
    return this.#arrived.promise
  }

  open(): void {
    this.#gate?.resolve()
    this.#gate = undefined
    this.#after = undefined
  }

  /** Keeps the waiting calls waiting, and lets all others pass. @returns a function that lets the waiting calls pass too */
  detach(): () => void {
    const gate = this.#gate
    this.#gate = undefined
    return () => gate?.resolve()
  }

  /** Counts the calls of an entity. */
  count(entity: string): number {
    return this.calls.filter((call) => call.entity === entity).length
  }

  readonly run = async (connection: Connection, call: Call): Promise<Outcome> => {
    call.signal?.throwIfAborted()
    const { values } = await connection.credentials.open()
    const params = (call.params ?? {}) as Readonly<Record<string, unknown>> // walks send objects
    this.calls.push({ entity: call.entity, params, token: values.reveal()['token'] ?? '' })
    await this.#pass(call.signal)
    await this.trouble(call)
    if (this.#after?.(call)) this.hold()
    return this.#answer(call.entity, params)
  }

  async #pass(signal: AbortSignal | undefined): Promise<void> {
    const gate = this.#gate
    if (gate === undefined) return
    this.#arrived.resolve()
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    await Promise.race([gate.promise, aborted.promise]).finally(() => signal?.removeEventListener('abort', abort))
  }

  #answer(entity: string, params: Readonly<Record<string, unknown>>): Outcome {
    const parent = params['account'] ?? params['entry']
    if (parent !== undefined) return list([{ id: `${parent}.1`, name: `${entity} of ${parent}` }], null)
    const since = typeof params['since'] === 'string' ? params['since'] : ''
    const all = (this.records[entity] ?? []).filter(
      ({ changed_at }) => changed_at === undefined || Date.parse(changed_at) >= Date.parse(since || '1970-01-01'),
    )
    const from = Number(params['cursor'] ?? 0)
    const next = from + this.pageSize
    return list(all.slice(from, next), next < all.length ? { cursor: String(next) } : null)
  }
}

const list = (data: readonly unknown[], next_params: Readonly<Record<string, unknown>> | null): Outcome => ({
  type: 'list',
  data,
  meta: { next_params },
})
