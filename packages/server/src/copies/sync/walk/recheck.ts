/**
 * Looks up stored records again, because vendors hide or delete records later without a trace. The definition sets the time for one round
 * over all records. Each run looks up a share, so no run takes long.
 */
import { FerruleError } from 'ferrule'
import type { Hidden, Lookup } from 'ferrule/definition'
import type { RecordKey } from 'ferrule/engine'
import { errorConsequences, getAt, parsePath, setAt } from 'ferrule/internal'
import type { EntityRef } from '../../entity-ref.ts'
import { parseKeyValue } from '../../search/keys.ts'
import { buildKey } from '../../store/forget.ts'
import type { ContextStore } from '../../store/store.ts'
import { buildRemovals } from './records.ts'
import { readCheckpoint, readState, toEntityRef, writeCheckpoint } from './state.ts'
import type { SyncTask } from './types.ts'

/** Input of a recheck. */
export interface RecheckTask
  extends Pick<SyncTask, 'kind' | 'own' | 'connector' | 'configuration' | 'ask' | 'clock' | 'signal' | 'onLost'> {
  readonly store: Pick<
    ContextStore,
    'getTable' | 'countRecords' | 'readCheckpoints' | 'saveCheckpoints' | 'readKeys' | 'findKnownKeys' | 'forgetRecords'
  >
  /** Entities of the run; records of others are not looked up. */
  readonly covered: readonly string[]
}

/** Progress of a round over all records. */
interface Round {
  /** When the last share was looked up, in milliseconds since 1970. */
  readonly at?: number
  /** Entity of the next keys, and the last key that was looked up. */
  readonly entity?: string
  readonly after?: string
  /** The credentials do not offer the lookup; complete passes replace it. */
  readonly denied?: boolean
}

type RecheckRule = NonNullable<Hidden['recheck']>
const part = 'recheck'
/** Share of its time that a round takes: runs take some time themselves. */
const margin = 0.95
/** Smallest share of a round that is worth a call. */
const leastShare = 0.01
/** Keys per read where most of them were looked up before. */
const manyKeys = 1_000

/** Lists the entities that are looked up together, beginning with the one of the rule. */
export function listRecheckedEntities({ kind, configuration }: Pick<RecheckTask, 'kind' | 'configuration'>): readonly string[] {
  const { hidden, entities } = kind.definition
  if (hidden?.recheck === undefined || configuration[hidden.unless.field] === hidden.unless.is) return []
  const { entity } = hidden.recheck
  const parts = Object.keys(entities).filter((name) => entities[name]?.of === entity)
  return [entity, ...parts].filter((name) => entities[name]?.context_store_search !== undefined)
}

const readRound = async ({ store }: Pick<RecheckTask, 'store'>, ref: EntityRef): Promise<Round> =>
  (await readCheckpoint(store, ref, part)) ?? {}

/** Returns whether the credentials do not offer the lookup, so complete passes must replace it. */
export async function isLookupDenied(task: RecheckTask): Promise<boolean> {
  const [holder] = listRecheckedEntities(task).filter((entity) => task.covered.includes(entity))
  return holder !== undefined && (await readRound(task, toEntityRef(task, { entity: holder }))).denied === true
}

/** A round, or a share of it. */
class Recheck {
  readonly #task: RecheckTask
  readonly #rule: RecheckRule
  readonly #lookup: Lookup
  readonly #entities: readonly string[]
  #round: Round
  #left: number

  constructor(task: RecheckTask, given: { rule: RecheckRule; lookup: Lookup; entities: readonly string[]; round: Round; share: number }) {
    this.#task = task
    this.#rule = given.rule
    this.#lookup = given.lookup
    this.#entities = given.entities
    this.#round = given.round
    this.#left = given.share
  }

  /** Looks up records until the share is done. */
  async run(begun: number): Promise<void> {
    const [holder = ''] = this.#entities
    const { entity: known = holder } = this.#round
    // An entity of an earlier version, or one that is no longer kept, has no keys to look up.
    let { entity = holder, after }: Round = this.#entities.includes(known) ? this.#round : {}
    for (let ends = 0; this.#left > 0 && ends <= this.#entities.length; ) {
      this.#task.signal.throwIfAborted()
      const ref = toEntityRef(this.#task, { entity })
      const limit = entity === holder ? Math.min(this.#lookup.batch, this.#left) : manyKeys
      const keys = await this.#task.store.readKeys(ref, { after, limit })
      await this.#lookUpKeys(ref, keys, entity === holder)
      after = keys.at(-1)
      if (keys.length < limit) {
        ends += 1
        entity = this.#entities[(this.#entities.indexOf(entity) + 1) % this.#entities.length] ?? holder
        after = undefined
      }
      await this.#saveRound({ ...this.#round, entity, ...(after === undefined ? { after: undefined } : { after }) })
    }
    await this.#saveRound({ ...this.#round, at: begun })
  }

  async #saveRound({ after, ...round }: Omit<Round, 'after'> & { readonly after?: string | undefined }): Promise<void> {
    this.#round = after === undefined ? round : { ...round, after }
    const [holder = ''] = this.#entities
    await this.#task.store.saveCheckpoints(toEntityRef(this.#task, { entity: holder }), [
      { name: part, value: writeCheckpoint(this.#round) },
    ])
  }

  /** Looks up some keys of an entity. For other entities than the first, only keys that the first entity lacks. */
  async #lookUpKeys(ref: EntityRef, keys: readonly string[], isFirst: boolean): Promise<void> {
    const { key } = this.#task.store.getTable(ref.kind, ref.entity, ref.own)
    const values = keys.flatMap((pk) => parseKeyValue(key, pk) ?? [])
    const own = isFirst ? values : await this.#filterUnknown(values)
    this.#left -= isFirst ? keys.length : own.length
    for (let from = 0; from < own.length; from += this.#lookup.batch) {
      const missing = await this.#findMissing(own.slice(from, from + this.#lookup.batch))
      if (missing.length > 0) await this.#forget(missing)
    }
  }

  /** Filters the values without a record of the first entity. */
  async #filterUnknown(values: readonly string[]): Promise<readonly string[]> {
    const [holder = ''] = this.#entities
    const ref = toEntityRef(this.#task, { entity: holder })
    const table = this.#task.store.getTable(ref.kind, holder, ref.own)
    const keyed = values.map((value) => [value, buildKey(table, value)] as const)
    const known = await this.#task.store.findKnownKeys(
      ref,
      keyed.flatMap(([, pk]) => pk ?? []),
    )
    return keyed.flatMap(([value, pk]) => (pk !== undefined && known.has(pk) ? [] : [value]))
  }

  /** Finds the records that the vendor marks as hidden or reports as missing. */
  async #findMissing(values: readonly string[]): Promise<readonly RecordKey[]> {
    const { found, hidden } = await this.#lookUp(values)
    const left = values.filter((value) => !found.has(value) && !hidden.some((each) => String(each.value) === value))
    const gone: RecordKey[] = []
    for (const value of left) if (await this.#isGone(value)) gone.push({ entity: this.#rule.entity, value })
    return [...hidden, ...gone]
  }

  /** Looks up which of some records the vendor shows and hides. Splits a refused batch in halves. */
  async #lookUp(values: readonly string[]): Promise<{ readonly found: ReadonlySet<string>; readonly hidden: readonly RecordKey[] }> {
    const { entity, action, ids, key } = this.#lookup
    const found = new Set<string>()
    const hidden: RecordKey[] = []
    let params: Record<string, unknown> | undefined = {}
    setAt(params, parsePath(ids), [...values])
    try {
      while (params !== undefined) {
        const answered = await this.#task.ask({ entity, action, params })
        for (const row of answered.rows) found.add(String(getAt(row, parsePath(key))))
        hidden.push(...(answered.hidden ?? []))
        params = answered.next === null ? undefined : { ...params, ...answered.next }
      }
    } catch (error) {
      if (!(error instanceof FerruleError) || errorConsequences[error.code].halves !== 'any') throw error
      if (values.length === 1) return { found, hidden }
      const middle = Math.ceil(values.length / 2)
      const halves = [await this.#lookUp(values.slice(0, middle)), await this.#lookUp(values.slice(middle))]
      return { found: new Set(halves.flatMap((half) => [...half.found])), hidden: halves.flatMap((half) => half.hidden) }
    }
    return { found, hidden }
  }

  /** Returns whether a `get` reports a record as hidden or missing. A record that only a list omits stays. */
  async #isGone(value: string): Promise<boolean> {
    const { kind, ask } = this.#task
    const get = kind.definition.entities[this.#rule.entity]?.get
    const [, slot] = get?.call.split(/[{}]/) ?? []
    if (slot === undefined) return false
    try {
      await ask({ entity: this.#rule.entity, action: 'get', params: { [slot]: value } })
      return false
    } catch (error) {
      if (!(error instanceof FerruleError)) throw error
      if (error.gone || error.code === kind.definition.hidden?.error) return true
      if (error.code === 'record_not_found' || error.code === 'upstream_invalid_request') return false
      throw error
    }
  }

  async #forget(missing: readonly RecordKey[]): Promise<void> {
    const { store, connector, clock, kind, own } = this.#task
    const at = clock()
    for (const removal of buildRemovals(kind.definition, missing)) {
      const lost = await store.forgetRecords({ connector, kind: kind.definition.kind, own, ...removal, at, cause: 'sync' })
      if (lost.size > 0) await this.#task.onLost?.(lost)
    }
  }

  /** Records that the credentials do not offer the lookup. */
  async markDenied(): Promise<void> {
    await this.#saveRound({ ...this.#round, denied: true })
  }
}

/** Finds when the records were last checked: by a share of a round, or by a complete pass over all of them. */
async function findLastLook(task: RecheckTask, entities: readonly string[], { at }: Round): Promise<number | undefined> {
  const states = await Promise.all(entities.map((entity) => readState(task.store, toEntityRef(task, { entity }))))
  const passes = states.flatMap(({ fullAt }) => fullAt ?? [])
  const passed = passes.length === entities.length ? Math.min(...passes) : undefined
  return passed === undefined ? at : Math.max(passed, at ?? 0)
}

/** Computes the share of all records that is due. If runs keep their interval, every record is checked within the time of the rule. */
function computeShare({ seconds }: RecheckRule, since: number): number {
  const whole = seconds * 1_000
  if (since >= 0 && since < whole * leastShare) return 0
  return since < 0 ? 1 : 1 / Math.max(1, Math.floor((whole * margin) / since))
}

/**
 * Looks up the records that are due, and deletes those that the vendor now hides or reports as missing.
 * @throws FerruleError of the vendor or the store, after which a later run resumes; the signal's reason
 */
export async function recheck(task: RecheckTask): Promise<void> {
  const { definition } = task.kind
  const rule = definition.hidden?.recheck
  const lookup = definition.lookups?.[rule?.lookup ?? '']
  const counts = await task.store.countRecords(task.connector)
  const kept = listRecheckedEntities(task).filter((entity) => task.covered.includes(entity) && (counts.get(entity) ?? 0) > 0)
  const [holder] = kept
  if (rule === undefined || lookup === undefined || holder === undefined) return
  const round = await readRound(task, toEntityRef(task, { entity: holder }))
  const begun = task.clock()
  const last = await findLastLook(task, kept, round)
  const share = last === undefined ? 0 : Math.ceil((counts.get(holder) ?? 0) * computeShare(rule, begun - last))
  if (share === 0) return
  const { denied: _denied, ...open } = round
  const work = new Recheck(task, { rule, lookup, entities: kept, round: open, share })
  try {
    await work.run(begun)
  } catch (error) {
    if (!(error instanceof FerruleError) || errorConsequences[error.code].leavesOut !== 'entity') throw error
    await work.markDenied()
  }
}
