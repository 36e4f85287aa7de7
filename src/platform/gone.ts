/** Records of which a live read has learned that they are gone, or hidden: they leave the copy at once, with all that hangs on them. */
import type { ContextStore, Gone } from '../context/store/types.ts'
import { removalsOf } from '../context/sync/links.ts'
import { isObject } from '../definition/object.ts'
import { operationOf } from '../engine/operation.ts'
import type { Call, Outcome, RecordKey } from '../engine/outcome.ts'
import { getAt, parsePath } from '../engine/paths.ts'
import { FerruleError } from '../errors.ts'
import type { ConnectorAccess } from './types.ts'

/** What removing needs. */
export interface GoneOptions {
  readonly store: Pick<ContextStore, 'forget'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Told how many records some entities lost. Must not throw. */
  readonly onLost?: (access: ConnectorAccess, lost: ReadonlyMap<string, number>) => Promise<void>
  /** Takes what went wrong. Must not throw. */
  readonly onError?: (error: unknown) => void
  /** Waits so many milliseconds. */
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/** Takes what live reads teach. */
export interface Removing {
  /** Takes what a call answered. Resolves when what it left out as hidden has left the copy, or after a moment: then it goes on alone. */
  answered(access: ConnectorAccess, call: Call, outcome: Outcome): Promise<void>
  /** Takes the error of a call, as `answered`. */
  failed(access: ConnectorAccess, call: Call, thrown: unknown): Promise<void>
  /** Gives up what waits to be tried again, and waits for what runs. */
  close(): Promise<void>
}

/** The longest that a call waits for a removal, in milliseconds. */
const longestWaitMs = 2_000
/** Pauses before the store is asked again, in milliseconds. What fails then is left to the next run that looks for it. */
const pausesMs = [1_000, 5_000, 30_000, 120_000]
/** Removals that may be under way; more are left to the next run that looks for them. */
const mostRemovals = 1_000

/** The record that a `get` asks for by its key alone; undefined where something else can be missing too. */
function askedFor(access: ConnectorAccess, { entity, action, params }: Call): unknown {
  const { template, action: known } = operationOf(access.connection.kind, entity, action)
  const [, slot, , another] = template
  return known === 'get' && slot !== undefined && another === undefined && isObject(params) ? params[slot] : undefined
}

/** The record that the parameters of a call name by its key. */
function namedBy({ params }: Call, key: string): unknown {
  const value = key.startsWith('param.') ? getAt(params, parsePath(key.slice('param.'.length))) : undefined
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** What an error says of a record; undefined when it says nothing of one. */
function learnedOf(access: ConnectorAccess, call: Call, thrown: unknown): RecordKey | undefined {
  if (!(thrown instanceof FerruleError)) return undefined
  const { hidden, entities } = access.connection.kind.definition
  const isHidden = hidden !== undefined && thrown.code === hidden.error
  if (!isHidden && !thrown.gone) return undefined
  const key = entities[call.entity]?.key
  const value = askedFor(access, call) ?? (isHidden && key?.length === 1 ? namedBy(call, key[0] ?? '') : undefined)
  return value === undefined || value === null || key?.length !== 1 ? undefined : { entity: call.entity, value }
}

class StoreRemoving implements Removing {
  readonly #options: GoneOptions
  readonly #running = new Set<Promise<void>>()
  readonly #closing = Promise.withResolvers<void>()
  #isClosed = false

  constructor(options: GoneOptions) {
    this.#options = options
  }

  async answered(access: ConnectorAccess, _call: Call, outcome: Outcome): Promise<void> {
    if (outcome.type === 'list' && outcome.hidden !== undefined) await this.#remove(access, outcome.hidden)
  }

  async failed(access: ConnectorAccess, call: Call, thrown: unknown): Promise<void> {
    const learned = learnedOf(access, call, thrown)
    if (learned !== undefined) await this.#remove(access, [learned])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing.resolve()
    await Promise.all(this.#running)
  }

  async #remove(access: ConnectorAccess, keys: readonly RecordKey[]): Promise<void> {
    if (this.#isClosed || this.#running.size >= mostRemovals) return
    const at = this.#options.clock()
    const { definition } = access.connection.kind
    const place = { connector: access.place.connectorId, kind: definition.kind }
    const done = Promise.all(removalsOf(definition, keys).map((removal) => this.#forget(access, { ...place, ...removal, at }))).then(() => {
      this.#running.delete(done)
    })
    this.#running.add(done)
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, longestWaitMs)
    await Promise.race([done, waited.promise])
    clearTimeout(timer)
  }

  /** Never fails: the store is asked again, some times. */
  async #forget(access: ConnectorAccess, gone: Gone): Promise<void> {
    for (const pause of [...pausesMs, undefined]) {
      try {
        const lost = await this.#options.store.forget(gone)
        if (lost.size > 0) await this.#options.onLost?.(access, lost)
        return
      } catch (error) {
        this.#options.onError?.(error)
      }
      if (pause === undefined || this.#isClosed) return
      await Promise.race([this.#pause(pause), this.#closing.promise])
      if (this.#isClosed) return
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    const { sleep } = this.#options
    if (sleep !== undefined) return sleep(milliseconds)
    await new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
  }
}

/** Builds what removes. */
export const createRemoving = (options: GoneOptions): Removing => new StoreRemoving(options)
