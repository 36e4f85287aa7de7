/** Deletes records from the copy at once, with their dependents, when a live read learns of a deletion or of hidden records. */
import { FerruleError } from 'ferrule'
import { type Call, findOperation, type Outcome, type RecordKey } from 'ferrule/engine'
import { getAt, isObject, parsePath } from 'ferrule/internal'
import type { ConnectorAccess } from '../values/access.ts'
import { tryAgain } from '../values/try-again.ts'
import { within } from '../values/within.ts'
import type { ContextStore } from './store/store.ts'
import type { Removal } from './store/types.ts'
import { buildRemovals } from './sync/walk/records.ts'

/** Options of `LostRecords`. */
export interface LostRecordsOptions {
  readonly store: Pick<ContextStore, 'forgetRecords'>
  readonly clock: () => number
  /** Called with the number of deleted records by entity. Must not throw. */
  readonly onLost?: (access: ConnectorAccess, lost: ReadonlyMap<string, number>) => Promise<void>
  /** Called with errors of the store. Must not throw. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Resolves after this many milliseconds. */
  readonly sleep?: (milliseconds: number) => Promise<void>
}

/** Longest wait of a call for a deletion, in milliseconds. */
const longestWaitMs = 2_000
/** Pauses before retries, in milliseconds. After the last retry the next recheck of a sync deletes the record. */
const pausesMs = [1_000, 5_000, 30_000, 120_000]
/** Maximum number of concurrent deletions; the next recheck of a sync finds the others. */
const mostRemovals = 1_000

/** Returns the key of a `get` whose only path parameter is the key; undefined where another resource can be missing too. */
function findAskedKey(access: ConnectorAccess, { entity, action, params }: Call): unknown {
  const { template, action: known } = findOperation(access.connection.kind, entity, action)
  const [, slot, , another] = template
  return known === 'get' && slot !== undefined && another === undefined && isObject(params) ? params[slot] : undefined
}

function findNamedKey({ params }: Call, key: string): unknown {
  const value = key.startsWith('param.') ? getAt(params, parsePath(key.slice('param.'.length))) : undefined
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** Returns the record that an error reports as lost, or undefined. */
function findLostRecord(access: ConnectorAccess, call: Call, thrown: unknown): RecordKey | undefined {
  if (!(thrown instanceof FerruleError)) return undefined
  const { hidden, entities } = access.connection.kind.definition
  const isHidden = hidden !== undefined && thrown.code === hidden.error
  if (!isHidden && !thrown.gone) return undefined
  const key = entities[call.entity]?.key
  const value = findAskedKey(access, call) ?? (isHidden && key?.length === 1 ? findNamedKey(call, key[0] ?? '') : undefined)
  return value === undefined || value === null || key?.length !== 1 ? undefined : { entity: call.entity, value }
}

/** Deletes records that live reads report as deleted or hidden. */
export class LostRecords {
  readonly #options: LostRecordsOptions
  readonly #running = new Set<Promise<void>>()
  readonly #closing = Promise.withResolvers<void>()
  #isClosed = false

  constructor(options: LostRecordsOptions) {
    this.#options = options
  }

  /** Deletes the records that an answer left out as hidden. Resolves after the deletion or after 2 seconds; the deletion then continues. */
  async answered(access: ConnectorAccess, _call: Call, outcome: Outcome): Promise<void> {
    if (outcome.type === 'list' && outcome.hidden !== undefined) await this.#remove(access, outcome.hidden)
  }

  /** Deletes the record that an error of a call names, like `answered`. */
  async failed(access: ConnectorAccess, call: Call, thrown: unknown): Promise<void> {
    const learned = findLostRecord(access, call, thrown)
    if (learned !== undefined) await this.#remove(access, [learned])
  }

  /** Cancels retries and waits for deletions in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing.resolve()
    await Promise.all(this.#running)
  }

  async #remove(access: ConnectorAccess, keys: readonly RecordKey[]): Promise<void> {
    if (this.#isClosed || this.#running.size >= mostRemovals) return
    const at = this.#options.clock()
    const { definition } = access.connection.kind
    const of = { connector: access.ref.connectorId, kind: definition.kind, own: access.own }
    const done = Promise.all(buildRemovals(definition, keys).map((removal) => this.#forget(access, { ...of, ...removal, at }))).then(() => {
      this.#running.delete(done)
    })
    this.#running.add(done)
    await within(longestWaitMs, done, () => undefined)
  }

  /** Retries a few times and never throws. */
  async #forget(access: ConnectorAccess, removal: Removal): Promise<void> {
    const work = async () => {
      const lost = await this.#options.store.forgetRecords(removal)
      if (lost.size > 0) await this.#options.onLost?.(access, lost)
    }
    const sleep = async (pause: number) => {
      await Promise.race([this.#pause(pause), this.#closing.promise])
      if (this.#isClosed) throw new Error('no retry after the end')
    }
    const failed = (error: unknown) => this.#options.onError?.(error)
    await tryAgain(work, { pausesMs, sleep, failed }).catch(() => undefined)
  }

  async #pause(milliseconds: number): Promise<void> {
    const { sleep } = this.#options
    if (sleep !== undefined) return sleep(milliseconds)
    await new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
  }
}
