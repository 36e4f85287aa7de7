/**
 * Records that the vendor hides, or forgets, long after they were copied and without a trace: each that is stored is looked up again
 * within the time that the definition names. A run looks up its share, so that none of them is held up for long.
 */
import type { Hidden, Kind, Lookup } from '../../definition/connector.ts'
import { isObject } from '../../definition/object.ts'
import { parseJson, writeJson } from '../../engine/json.ts'
import type { RecordKey } from '../../engine/outcome.ts'
import { getAt, parsePath, setAt } from '../../engine/paths.ts'
import { FerruleError } from '../../errors.ts'
import { keyValueOf } from '../query/keys.ts'
import { keyOf } from '../store/forget.ts'
import type { ContextStore, EntityPlace } from '../store/types.ts'
import { removalsOf } from './links.ts'
import { readState } from './state.ts'
import type { Ask } from './types.ts'

/** What looking again needs. */
export interface RecheckTask {
  readonly kind: Kind
  /** The connector's UUID. */
  readonly connector: string
  readonly configuration: Readonly<Record<string, unknown>>
  readonly store: Pick<ContextStore, 'tableOf' | 'counts' | 'checkpoints' | 'keep' | 'keys' | 'known' | 'forget'>
  readonly ask: Ask
  /** Whether an entity is kept. */
  readonly wanted: (entity: string) => boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly signal: AbortSignal
  /** Told how many records each entity lost. */
  readonly onLost?: (lost: ReadonlyMap<string, number>) => Promise<void>
}

/** How far the round over all records has come. */
interface Round {
  /** When a share was looked up last, in milliseconds since 1970. */
  readonly at?: number
  /** The entity whose keys come next, and the last of them that was looked up. */
  readonly entity?: string
  readonly after?: string
  /** The credentials do not offer the lookup: complete passes stand in for it. */
  readonly denied?: boolean
}

type Rule = NonNullable<Hidden['recheck']>
const part = 'recheck'
/** A round ends a little before its time is over: runs take a while themselves. */
const margin = 0.95
/** Less than this part of the time is not worth a call. */
const leastShare = 0.01
/** Keys that are read at one time where most of them were looked up before. */
const manyKeys = 1_000

/** Entities that are looked up together, the one that the rule names first. */
export function recheckedEntities({ definition }: Kind, configuration: Readonly<Record<string, unknown>>): readonly string[] {
  const { hidden, entities } = definition
  if (hidden?.recheck === undefined || configuration[hidden.unless.field] === hidden.unless.is) return []
  const { entity } = hidden.recheck
  const parts = Object.keys(entities).filter((name) => entities[name]?.of === entity)
  return [entity, ...parts].filter((name) => entities[name]?.context_store_search !== undefined)
}

const placeOf = ({ connector, kind }: RecheckTask, entity: string): EntityPlace => ({ connector, kind: kind.definition.kind, entity })

async function readRound({ store }: Pick<RecheckTask, 'store'>, place: EntityPlace): Promise<Round> {
  const text = (await store.checkpoints(place)).get(part)
  const value = text === undefined ? undefined : parseJson(text)
  return isObject(value) ? value : {}
}

/** Whether complete passes have to stand in: the credentials do not offer the lookup. */
export async function isLookupDenied(
  task: Pick<RecheckTask, 'kind' | 'connector' | 'configuration' | 'store' | 'wanted'>,
): Promise<boolean> {
  const [holder] = recheckedEntities(task.kind, task.configuration).filter(task.wanted)
  if (holder === undefined) return false
  return (await readRound(task, { connector: task.connector, kind: task.kind.definition.kind, entity: holder })).denied === true
}

/** One round, or a share of it. */
class Recheck {
  readonly #task: RecheckTask
  readonly #rule: Rule
  readonly #lookup: Lookup
  readonly #entities: readonly string[]
  #round: Round
  #left: number

  constructor(task: RecheckTask, given: { rule: Rule; lookup: Lookup; entities: readonly string[]; round: Round; share: number }) {
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
    let { entity = holder, after } = this.#round
    for (let ends = 0; this.#left > 0 && ends <= this.#entities.length; ) {
      this.#task.signal.throwIfAborted()
      const place = placeOf(this.#task, entity)
      const limit = entity === holder ? Math.min(this.#lookup.batch, this.#left) : manyKeys
      const keys = await this.#task.store.keys(place, { after, limit })
      await this.#look(place, keys, entity === holder)
      after = keys.at(-1)
      if (keys.length < limit) {
        ends += 1
        entity = this.#entities[(this.#entities.indexOf(entity) + 1) % this.#entities.length] ?? holder
        after = undefined
      }
      await this.#keep({ ...this.#round, entity, ...(after === undefined ? { after: undefined } : { after }) })
    }
    await this.#keep({ ...this.#round, at: begun })
  }

  async #keep({ after, ...round }: Omit<Round, 'after'> & { readonly after?: string | undefined }): Promise<void> {
    this.#round = after === undefined ? round : { ...round, after }
    const [holder = ''] = this.#entities
    await this.#task.store.keep(placeOf(this.#task, holder), [{ part, value: writeJson(this.#round) }])
  }

  /** Looks up some keys of an entity; of others than the first only those that it lacks. */
  async #look(place: EntityPlace, keys: readonly string[], isFirst: boolean): Promise<void> {
    const { key } = this.#task.store.tableOf(place.kind, place.entity)
    const values = keys.flatMap((pk) => keyValueOf(key, pk) ?? [])
    const own = isFirst ? values : await this.#unknown(values)
    this.#left -= isFirst ? keys.length : own.length
    for (let from = 0; from < own.length; from += this.#lookup.batch) {
      const missing = await this.#missing(own.slice(from, from + this.#lookup.batch))
      if (missing.length > 0) await this.#forget(missing)
    }
  }

  /** Values of which the first entity has no record. */
  async #unknown(values: readonly string[]): Promise<readonly string[]> {
    const [holder = ''] = this.#entities
    const place = placeOf(this.#task, holder)
    const table = this.#task.store.tableOf(place.kind, holder)
    const keyed = values.map((value) => [value, keyOf(table, value)] as const)
    const known = await this.#task.store.known(
      place,
      keyed.flatMap(([, pk]) => pk ?? []),
    )
    return keyed.flatMap(([value, pk]) => (pk !== undefined && known.has(pk) ? [] : [value]))
  }

  /** Records that the vendor flags as hidden, and those that it says do not exist. */
  async #missing(values: readonly string[]): Promise<readonly RecordKey[]> {
    const { found, hidden } = await this.#lookedUp(values)
    const left = values.filter((value) => !found.has(value) && !hidden.some((each) => String(each.value) === value))
    const gone: RecordKey[] = []
    for (const value of left) if (await this.#isGone(value)) gone.push({ entity: this.#rule.entity, value })
    return [...hidden, ...gone]
  }

  /** What the vendor shows and hides of some records. A batch that it refuses is asked for in halves. */
  async #lookedUp(values: readonly string[]): Promise<{ readonly found: ReadonlySet<string>; readonly hidden: readonly RecordKey[] }> {
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
      if (!(error instanceof FerruleError) || error.code !== 'upstream_invalid_request') throw error
      if (values.length === 1) return { found, hidden }
      const middle = Math.ceil(values.length / 2)
      const halves = [await this.#lookedUp(values.slice(0, middle)), await this.#lookedUp(values.slice(middle))]
      return { found: new Set(halves.flatMap((half) => [...half.found])), hidden: halves.flatMap((half) => half.hidden) }
    }
    return { found, hidden }
  }

  /** Whether a `get` says of one record that it is hidden or does not exist; what only a list leaves out stays. */
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
    const { store, connector, clock, kind } = this.#task
    const at = clock()
    for (const removal of removalsOf(kind.definition, missing)) {
      const lost = await store.forget({ connector, kind: kind.definition.kind, ...removal, at })
      if (lost.size > 0) await this.#task.onLost?.(lost)
    }
  }

  /** Notes that the credentials do not offer the lookup. */
  async denied(): Promise<void> {
    await this.#keep({ ...this.#round, denied: true })
  }
}

/** When the records were looked at last: by a share of a round, or by a complete pass over all of them. */
async function lastLook(task: RecheckTask, entities: readonly string[], { at }: Round): Promise<number | undefined> {
  const states = await Promise.all(entities.map((entity) => readState(task.store, placeOf(task, entity))))
  const passes = states.flatMap(({ fullAt }) => fullAt ?? [])
  const passed = passes.length === entities.length ? Math.min(...passes) : undefined
  return passed === undefined ? at : Math.max(passed, at ?? 0)
}

/** The part of all records that is due: none is looked up later than the rule says, as long as runs come as they did. */
function shareOf({ seconds }: Rule, since: number): number {
  const whole = seconds * 1_000
  if (since >= 0 && since < whole * leastShare) return 0
  return since < 0 ? 1 : 1 / Math.max(1, Math.floor((whole * margin) / since))
}

/**
 * Looks up the share of records that is due, and removes from the copy what the vendor hides by now, or says does not exist.
 * @throws FerruleError of the vendor or the store, when it has to go on later; the signal's reason
 */
export async function recheck(task: RecheckTask): Promise<void> {
  const { definition } = task.kind
  const rule = definition.hidden?.recheck
  const lookup = definition.lookups?.[rule?.lookup ?? '']
  const counts = await task.store.counts(task.connector)
  const kept = recheckedEntities(task.kind, task.configuration).filter((entity) => task.wanted(entity) && (counts.get(entity) ?? 0) > 0)
  const [holder] = kept
  if (rule === undefined || lookup === undefined || holder === undefined) return
  const round = await readRound(task, placeOf(task, holder))
  const begun = task.clock()
  const last = await lastLook(task, kept, round)
  const share = last === undefined ? 0 : Math.ceil((counts.get(holder) ?? 0) * shareOf(rule, begun - last))
  if (share === 0) return
  const { denied: _denied, ...open } = round
  const work = new Recheck(task, { rule, lookup, entities: kept, round: open, share })
  try {
    await work.run(begun)
  } catch (error) {
    if (!(error instanceof FerruleError) || !['upstream_permission_denied', 'upstream_unsupported'].includes(error.code)) throw error
    await work.denied()
  }
}
