/** Does what an event of a vendor asks for: reads the records that it names, and writes what the vendor answers into the copy. */
import { FerruleError } from 'ferrule'
import { type BodyMemory, type Call, type Engine, type Outcome, RawJson, RawRows, type RecordKey, readJson } from 'ferrule/engine'
import { asFerruleError, errorConsequences, getAt, isObject, parsePath, readBatches, setAt, type WebhookEvent } from 'ferrule/internal'
import { type CallServices, runMarked } from '../../connectors/access.ts'
import { toEntityRef } from '../../copies/entity-ref.ts'
import type { Folds } from '../../copies/folds.ts'
import type { Searcher } from '../../copies/searcher.ts'
import type { ContextStore } from '../../copies/store/store.ts'
import { buildGone, buildGoneByKey, buildRecordKey, buildRemovals, findLinks, type Gone, type Met } from '../../copies/sync/walk/records.ts'
import type { ConnectorAccess, ConnectorRef } from '../../values/access.ts'
import { isAsNew } from './versions.ts'

/** Services that the work on an event needs. */
export interface ApplyServices extends Omit<CallServices, 'usage'> {
  readonly engine: Pick<Engine, 'run' | 'check'>
  readonly store: Pick<ContextStore, 'readChanges' | 'readKeys' | 'forgetRecords'>
  readonly searcher: Pick<Searcher, 'readRecords'>
  readonly folds: Pick<Folds, 'takes' | 'fold'>
  readonly memory: BodyMemory
  readonly clock: () => number
  /** Counts records that left a copy. */
  readonly addRecords: (ref: ConnectorRef, change: ReadonlyMap<string, number>) => Promise<void>
  /** Deletes all that is stored of a connector's records, and of its events. */
  readonly forgetAll: (ref: ConnectorRef) => Promise<void>
  /** Deletes events that wait for a connector and name what must be forgotten. */
  readonly forgetEvents: (ref: ConnectorRef, isMeant: (event: WebhookEvent) => boolean) => Promise<void>
}

/**
 * What is left to do after an event: nothing, a sync of its entity, because no call reads its records alone, or the same again, because
 * records were deleted each time between reading and writing.
 */
export type Applied = 'done' | 'sync' | 'again'

/** Time for one call, in milliseconds. Calls of clients go before it. */
const deadlineMs = 30_000
/** Pages of a list that are read for one event; a sync reads longer lists. */
const mostPages = 10
/** Times that a page is read in a row, while other records are deleted between reading and writing. */
const mostReadings = 5

interface Work {
  readonly services: ApplyServices
  readonly access: ConnectorAccess
  readonly event: WebhookEvent
  readonly signal: AbortSignal
}

/** Runs a call behind those of clients, and stores what it says of the credentials. */
async function run({ services, access, signal }: Work, call: Pick<Call, 'entity' | 'action' | 'params'>): Promise<Outcome> {
  const lease = services.memory.open(access.ref.organizationId)
  const asked: Call = { ...call, deadlineMs, background: true, unfiltered: true, signal, memory: lease }
  try {
    return await keepRows(await runMarked(services, { access, call: asked }, () => services.engine.run(access.connection, asked)))
  } finally {
    lease.close()
  }
}

/** Reads the rows of an answer before its memory is freed. */
async function keepRows(outcome: Outcome): Promise<Outcome> {
  if (outcome.type === 'record') return { ...outcome, data: outcome.data instanceof RawJson ? outcome.data.toJSON() : outcome.data }
  if (outcome.type === 'file' || !(outcome.data instanceof RawRows)) return outcome
  const data: unknown[] = []
  for await (const batch of readBatches(outcome.data)) data.push(...batch)
  return { ...outcome, data }
}

const listRecords = (outcome: Outcome): readonly unknown[] =>
  outcome.type === 'record' ? [outcome.data] : outcome.type === 'list' && !(outcome.data instanceof RawRows) ? outcome.data : []

/** Deletes records with what belongs to them. */
async function forget({ services, access }: Work, entity: string, gone: Gone, { at, redacts }: { at: number; redacts: boolean }) {
  const lost = await services.store.forgetRecords({ ...toEntityRef(access, entity), ...gone, at, cause: 'webhook', redacts })
  if (lost.size > 0) await services.addRecords(access.ref, new Map([...lost].map(([name, by]) => [name, -by])))
}

function buildNamed({ access, event: { entity = '', key = [] } }: Pick<Work, 'access' | 'event'>): Met {
  const record: Record<string, unknown> = {}
  const params: Record<string, unknown> = {}
  for (const [index, path] of (access.connection.kind.definition.entities[entity]?.key ?? []).entries()) {
    const isParam = path.startsWith('param.')
    setAt(isParam ? params : record, parsePath(isParam ? path.slice('param.'.length) : path), key[index])
  }
  return { record, params }
}

const forgetNamed = (work: Work, entity: string, how: { readonly at: number; readonly redacts: boolean }) =>
  forget(work, entity, buildGone(work.access.connection.kind.definition, entity, [buildNamed(work)]), how)

const keysAtOnce = 1_000

/** Lists the keys of the records in the copy that have the value which an event names. */
async function* listUnder(
  { services, access, event: { under, does } }: Omit<Work, 'signal'>,
  entity: string,
): AsyncGenerator<readonly string[]> {
  const ref = toEntityRef(access, entity)
  if (under === undefined) return
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = { after, limit: keysAtOnce, under: { ...under, anyCase: does === 'redact' } }
    const keys: readonly string[] = await services.store.readKeys(ref, page)
    if (keys.length > 0) yield keys
    after = keys.length === keysAtOnce ? keys.at(-1) : undefined
  }
}

/** Deletes what an event names, but for the records that the vendor listed: of those below a parent, the ones with its value. */
async function forgetUnmet(work: Work, entity: string, met: ReadonlySet<string>, at: number): Promise<void> {
  const { definition } = work.access.connection.kind
  if (work.event.under === undefined) return forgetNamed(work, entity, { at, redacts: false })
  for await (const keys of listUnder(work, entity)) {
    const unmet = keys.filter((key) => !met.has(key))
    if (unmet.length > 0) await forget(work, entity, buildGoneByKey(definition, entity, unmet), { at, redacts: false })
  }
}

/**
 * Deletes the waiting events of the records that events redact. One order that is redacted is one event, so the events of a batch share one
 * look at all that wait.
 * @param redacting events that redact
 * @throws FerruleError of the vault or the store
 */
export async function forgetWaiting(work: Pick<Work, 'services' | 'access'>, redacting: readonly WebhookEvent[]): Promise<void> {
  const named = new Map<string, Set<string>>()
  for (const event of redacting) {
    if (event.entity === undefined) continue
    const keys = named.get(event.entity) ?? new Set()
    named.set(event.entity, keys)
    const key = findNamedKey({ ...work, event }, event.entity)
    if (key !== undefined) keys.add(key)
    for await (const found of listUnder({ ...work, event }, event.entity)) for (const each of found) keys.add(each)
  }
  const isMeant = (event: WebhookEvent): boolean => {
    const { entity = '' } = event
    return named.get(entity)?.has(findNamedKey({ ...work, event }, entity) ?? '') === true
  }
  if (named.size > 0) await work.services.forgetEvents(work.access.ref, isMeant)
}

/** Deletes what an event names from the copy and from the log of its changes. `forgetWaiting` has deleted the events that wait. */
async function redact(work: Work, entity: string): Promise<void> {
  const how = { at: work.services.clock(), redacts: true }
  const { under } = work.event
  if (under === undefined) return forgetNamed(work, entity, how)
  const gone = { entity, values: [], under: { field: under.field, text: String(under.value) } }
  await forget(work, entity, { ...gone, below: findLinks(work.access.connection.kind.definition, entity) }, how)
}

async function forgetHidden(work: Work, hidden: readonly RecordKey[], at: number): Promise<void> {
  for (const gone of buildRemovals(work.access.connection.kind.definition, hidden))
    await forget(work, gone.entity, gone, { at, redacts: false })
}

/** Returns whether an error of a `get` says that the record no longer exists. A record that only cannot be found stays, unless the event says so too. */
function isLost({ access, event }: Work, thrown: unknown): boolean {
  if (!(thrown instanceof FerruleError)) return false
  const isHidden = thrown.code === access.connection.kind.definition.hidden?.error
  return thrown.gone || isHidden || (event.does === 'removed' && thrown.code === 'record_not_found')
}

interface PagesReading {
  /** Keys of the records of the answers. */
  readonly met: Set<string>
  /** All pages were read. */
  isWhole: boolean
  /** New records were left out, because others were deleted meanwhile. */
  isLate: boolean
}

/** Reads a page, and writes its records. A new record that was requested before a deletion is not written, so it is read again. */
async function readPage(
  work: Work,
  call: Pick<Call, 'entity' | 'action' | 'params'>,
): Promise<{ outcome: Outcome; asked: number; isLate: boolean }> {
  const { services, access } = work
  for (let reading = 1; ; reading += 1) {
    const asked = services.clock()
    const outcome = await run(work, call)
    const late = await services.folds.fold(access, call, { outcome, asked, cause: 'webhook' })
    if (late === 0 || reading === mostReadings) return { outcome, asked, isLate: late > 0 }
  }
}

/** Reads the records of an event page by page, and writes what the vendor answers. */
async function readPages(work: Work, entity: string, { action, params: first }: NonNullable<WebhookEvent['read']>): Promise<PagesReading> {
  const { access } = work
  const definition = access.connection.kind.definition.entities[entity]
  const reading: PagesReading = { met: new Set(), isWhole: false, isLate: false }
  let params = first
  for (let page = 0; page < mostPages; page += 1) {
    const call = { entity, action, params }
    const { outcome, asked, isLate } = await readPage(work, call)
    reading.isLate ||= isLate
    for (const record of listRecords(outcome)) {
      const key = definition === undefined ? undefined : buildRecordKey(definition, { record, params })
      if (key !== undefined) reading.met.add(key)
    }
    if (outcome.type === 'list' && outcome.hidden !== undefined) await forgetHidden(work, outcome.hidden, asked)
    const next = outcome.type === 'list' ? outcome.meta['next_params'] : undefined
    if (!isObject(next)) return { ...reading, isWhole: outcome.type !== 'list' || outcome.doubt === undefined }
    params = { ...params, ...next }
  }
  return reading
}

/** Returns the key of the record that an event names. */
function findNamedKey(work: Pick<Work, 'access' | 'event'>, entity: string): string | undefined {
  const definition = work.access.connection.kind.definition.entities[entity]
  return definition === undefined || work.event.key === undefined ? undefined : buildRecordKey(definition, buildNamed(work))
}

/** Reads the records of an event again. One that the vendor no longer has is deleted. */
async function readAgain(work: Work, entity: string, read: NonNullable<WebhookEvent['read']>): Promise<Applied> {
  const { services, event } = work
  const begun = services.clock()
  try {
    const { met, isWhole, isLate } = await readPages(work, entity, read)
    if (isLate) return 'again'
    if (!isWhole) return 'sync'
    const isListed = event.under === undefined && (event.does !== 'removed' || met.has(findNamedKey(work, entity) ?? ''))
    if (read.action === 'list' && !isListed) await forgetUnmet(work, entity, met, begun)
  } catch (thrown) {
    if ((read.action === 'get' || event.under !== undefined) && isLost(work, thrown)) await forgetUnmet(work, entity, new Set(), begun)
    // A record that was changed and cannot be found now may be deleted: a sync decides.
    else if (event.does !== 'changed' || asFerruleError(thrown).code !== 'record_not_found') throw thrown
  }
  return 'done'
}

/** Time for the look at the copy, in milliseconds. */
const lookMs = 10_000

/** Returns whether the copy has the record as the event says, or a newer one: then there is nothing to read. */
async function isKnown(work: Work, entity: string): Promise<boolean> {
  const { services, access, event, signal } = work
  const named = findNamedKey(work, entity)
  if (event.version === undefined || named === undefined) return false
  const page = await services.searcher.readRecords(toEntityRef(access, entity), { keys: [named], limit: 1 }, { signal, timeoutMs: lookMs })
  const json = page?.records.get(named)
  return json !== undefined && isAsNew(getAt(readJson(json), parsePath(event.version.field)), event.version.value)
}

async function applyToRecords(work: Work, entity: string): Promise<Applied> {
  const { services, access, event } = work
  if (event.does === 'redact') {
    await redact(work, entity)
    return 'done'
  }
  const definition = access.connection.kind.definition.entities[entity]
  const isCopied = definition?.context_store_search !== undefined && definition.sync !== undefined
  if (!isCopied || (await services.store.readChanges(toEntityRef(access, entity))) === undefined) return 'done'
  const { read } = event
  if (event.does === 'changed' && (await isKnown(work, entity))) return 'done'
  return read !== undefined && services.folds.takes(access, { ...read, entity }) ? readAgain(work, entity, read) : 'sync'
}

/** Asks the vendor whether it still accepts the credentials: a refusal marks the connector. */
async function proveCredentials({ services, access, signal }: Work): Promise<void> {
  const { entity, action } = access.connection.kind.definition.check
  const check = () => services.engine.check(access.connection, { deadlineMs, signal })
  try {
    await runMarked(services, { access, call: { entity, action, signal } }, check)
  } catch (thrown) {
    if (errorConsequences[asFerruleError(thrown).code].credentials !== 'refused') throw thrown
  }
}

/**
 * Does what an event asks for. Whatever the event says, the vendor's own answer decides, so that a repeat, an old and a forged event do no
 * harm.
 * @throws FerruleError of the vendor or the store
 */
export async function applyVendorEvent(work: Work): Promise<Applied> {
  const { services, access, event } = work
  if (event.does === 'uninstalled') await proveCredentials(work)
  else if (event.entity !== undefined) return applyToRecords(work, event.entity)
  else if (event.does === 'redact') await services.forgetAll(access.ref)
  else return 'sync'
  return 'done'
}
