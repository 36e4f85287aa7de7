/**
 * Works on events on each node: numbers them, queues them for endpoints, and sends them. Rows and leases are the only state, so
 * a node that dies loses nothing (docs/decisions/webhooks.md).
 */
import { asFerruleError, Http } from 'ferrule/internal'
import { type DeliveryStatus, mostFollowed } from 'ferrule/wire'
import type { FollowedLog, RecordLogs } from '../copies/changes/record-logs.ts'
import type { EntityRef } from '../copies/entity-ref.ts'
import { type FilledCopyRow, listFilledCopies } from '../copies/sql/sync-copies.ts'
import { readWantedEntities } from '../copies/status/groups.ts'
import type { ChangeCounts } from '../copies/store/types.ts'
import type { Db } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import { deriveId, newId } from '../values/ids.ts'
import type { DeliveryReport } from '../values/metric-types.ts'
import { Ticks, waitForWork } from '../values/ticks.ts'
import { openSecrets } from './endpoint-secrets.ts'
import { type Attempt, type Destination, sendEvent, signEvent, usualAttemptMs } from './send-webhook.ts'
import { type NumberedEventRow, numberEvents, recordsType, storeEvent, testType } from './sql/events.ts'
import * as sql from './sql/record-positions.ts'
import {
  type DeliveryEnd,
  type DeliveryRow,
  deleteDelivery,
  type EndpointRow,
  endDelivery,
  holdEndpoint,
  insertDeliveries,
  leaseDeliveries,
  listDueEndpoints,
  listEndpoints,
  updateEndpoint,
  type WaitingDelivery,
} from './sql/webhooks.ts'

/** Events that one transaction numbers. */
const numberedAtOnce = 200
/** Attempts of this node at a time, and of one endpoint on all nodes. */
const [mostAttempts, attemptsOfEndpoint] = [64, 4]
/** Time after which another node takes an attempt or a look over, in milliseconds: three times the time that an attempt may take. */
const leaseMs = 60_000
const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Waits after failed attempts, in milliseconds, as Standard Webhooks recommend; after the last one the delivery is given up. */
const delaysMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
/** Time of failures only after which an endpoint is disabled, in milliseconds. */
const disabledAfterMs = 5 * 24 * hour
/** Part of a wait that is random, so that what failed together is not repeated together. */
const jitter = 0.1

const readList = (json: string): readonly string[] => JSON.parse(json)

const includes = (json: string | null, id: string | null): boolean => json === null || (id !== null && readList(json).includes(id))

/** Returns whether an endpoint gets an event. It gets its own tests whatever its filters are. */
function wants(
  endpoint: EndpointRow,
  { type, endpoint_id, workspace_id, connector_id }: Pick<NumberedEventRow, 'type' | 'workspace_id' | 'connector_id' | 'endpoint_id'>,
): boolean {
  if (type === testType) return endpoint_id === endpoint.id && endpoint.status !== 'disabled'
  if (endpoint.status !== 'active' && endpoint.status !== 'paused') return false
  const types = readList(endpoint.types)
  const isType = types.includes(type) || (types.length === 0 && type !== recordsType)
  const isReader = type !== recordsType || endpoint_id === endpoint.id
  return isType && isReader && includes(endpoint.workspace_ids, workspace_id) && includes(endpoint.connector_ids, connector_id)
}

/** Services that the worker needs. */
export type EventWorkerParts = Pick<Parts, 'kinds' | 'database' | 'source' | 'settings' | 'masterSeals' | 'events' | 'onBackgroundError'>

/** Options of a worker. */
export interface EventWorkerOptions {
  /** Time for one attempt, in milliseconds; default: 20 seconds. */
  readonly attemptMs?: number
  /** Logs of the copies; default: no endpoint gets `records.changed`. */
  readonly logs?: RecordLogs
  /** Called after every attempt. Must not throw. */
  readonly onAttempt?: (report: DeliveryReport) => void
}

/** Works on the events of all organizations. */
export class EventWorker {
  readonly #parts: EventWorkerParts
  readonly #http: Pick<Http, 'open' | 'close'>
  readonly #attemptMs: number
  readonly #teller: RecordTeller | undefined
  readonly #onAttempt: EventWorkerOptions['onAttempt']
  #telling: Promise<void> | undefined
  readonly #sending = new Set<Promise<void>>()
  readonly #ticks: Ticks<'queued' | 'ended'>

  constructor(parts: EventWorkerParts, { attemptMs = usualAttemptMs, logs, onAttempt }: EventWorkerOptions = {}) {
    this.#parts = parts
    this.#http = new Http(parts.settings.proxies)
    this.#attemptMs = attemptMs
    this.#onAttempt = onAttempt
    this.#teller = logs === undefined ? undefined : new RecordTeller(parts, logs)
    const { events, onBackgroundError: onError } = parts
    this.#ticks = new Ticks<'queued' | 'ended'>({
      events,
      names: ['queued', 'ended'],
      work: () => this.#number().then(() => this.#claim()),
      onError,
    })
  }

  /** Begins to look for events. */
  start(): void {
    this.#ticks.start()
  }

  /** Numbers and sends what is due, until nothing is. */
  async run(): Promise<void> {
    for (;;) {
      await this.#ticks.tick()
      if (this.#sending.size === 0 && this.#telling === undefined) return
      await Promise.all([...this.#sending, this.#telling])
    }
  }

  /** Ends. Attempts that run get a few seconds; another node takes over what is left. */
  async stop(): Promise<void> {
    await this.#ticks.stop()
    await waitForWork(Promise.all([...this.#sending, this.#telling]))
    await this.#http.close()
  }

  /** Reports changes of copies to endpoints, beside other work: it waits for another database. */
  #tell(teller: RecordTeller): void {
    this.#telling ??= teller
      .tell(() => this.#ticks.isStopped)
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#telling = undefined
        this.#ticks.look()
      })
  }

  /** Numbers events and queues them for their endpoints, in one transaction: each event is queued once. */
  async #number(): Promise<void> {
    const { database, source } = this.#parts
    while (!this.#ticks.isStopped) {
      const work = await sql.findWork(database.db, source.clock())
      if (work.isDue && this.#teller !== undefined) this.#tell(this.#teller)
      if (!work.isUnnumbered) return
      await database.transaction(async (db) => {
        const numbered = await numberEvents(db, numberedAtOnce)
        if (numbered.length === 0) return
        const endpoints = await listEndpoints(db, [...new Set(numbered.map((event) => event.organization_id))])
        await insertDeliveries(
          db,
          numbered.flatMap((event) =>
            endpoints
              .filter((each) => each.organization_id === event.organization_id && wants(each, event))
              .map((each) => this.#buildDelivery(event, each)),
          ),
        )
      })
    }
  }

  #buildDelivery(event: NumberedEventRow, endpoint: EndpointRow): DeliveryRow {
    const now = this.#parts.source.clock()
    return {
      id: newId(this.#parts.source),
      organization_id: event.organization_id,
      endpoint_id: endpoint.id,
      event_id: event.id,
      status: 'waiting',
      attempts: 0,
      next_at: now,
      lease_owner: null,
      last_status: null,
      last_error: null,
      last_answer: null,
      last_ms: null,
      last_at: null,
      created_at: now,
    }
  }

  /** Leases what is due and sends it. Each endpoint has its own share, so a slow one does not delay others. */
  async #claim(): Promise<void> {
    const { database, source } = this.#parts
    for (const endpointId of await listDueEndpoints(database.db, source.clock(), mostAttempts)) {
      const limit = mostAttempts - this.#sending.size
      if (limit <= 0 || this.#ticks.isStopped) return
      const now = source.clock()
      const lease = { owner: newId(source), now, until: now + leaseMs, atOnce: attemptsOfEndpoint, limit }
      const leased = await database.transaction((db) => leaseDeliveries(db, endpointId, lease))
      for (const delivery of leased?.deliveries ?? []) if (leased !== undefined) this.#begin(leased.endpoint, delivery)
    }
  }

  #begin(endpoint: EndpointRow, delivery: WaitingDelivery): void {
    const work = this.#deliver(endpoint, delivery)
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#sending.delete(work)
        this.#ticks.look()
      })
    this.#sending.add(work)
  }

  async #deliver(endpoint: EndpointRow, delivery: WaitingDelivery): Promise<void> {
    const { database, source, settings } = this.#parts
    if (delivery.type !== testType && !wants(endpoint, { ...delivery, endpoint_id: endpoint.id }))
      return deleteDelivery(database.db, delivery)
    const now = source.clock()
    const { event_id: id, type, data, happened_at: created_at } = delivery
    const secrets = await this.#openSecrets(endpoint, delivery, now)
    if (secrets === undefined) return
    const signed = await signEvent({ id, type, data, created_at }, secrets, now)
    const to: Destination = {
      url: endpoint.url,
      isNamed: settings.webhookHosts.includes(new URL(endpoint.url).hostname),
      attemptMs: this.#attemptMs,
    }
    const attempt = await sendEvent(this.#http, to, { ...signed, now })
    const outcome = await database.transaction((db) => this.#end(db, delivery, attempt))
    if (outcome !== undefined) this.#onAttempt?.({ outcome, seconds: attempt.milliseconds / 1_000 })
  }

  /** Opens the secrets of an endpoint. One without a readable secret is paused, since no attempt can be signed. */
  async #openSecrets(endpoint: EndpointRow, delivery: WaitingDelivery, now: number): Promise<readonly string[] | undefined> {
    const { database, onBackgroundError } = this.#parts
    try {
      return openSecrets(this.#parts, endpoint, now)
    } catch (thrown) {
      if (asFerruleError(thrown).code !== 'credentials_unreadable') throw thrown
      onBackgroundError(thrown)
      await database.transaction((db) => pauseUnreadable(db, { endpoint, delivery, now }))
      return undefined
    }
  }

  /** Stores what became of an attempt, and what follows for its endpoint. @returns what the attempt leaves; undefined when it no longer has the delivery */
  async #end(db: Db, delivery: WaitingDelivery, attempt: Attempt): Promise<DeliveryStatus | undefined> {
    const now = this.#parts.source.clock()
    const endpoint = await holdEndpoint(db, delivery.organization_id, delivery.endpoint_id)
    if (endpoint === undefined) return undefined
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
    const end = buildEnd(delivery, { attempt, isDelivered, now })
    if (!(await endDelivery(db, delivery, end))) return undefined
    await (isDelivered ? this.#noteSuccess(db, endpoint, delivery) : this.#noteFailure(db, endpoint, attempt))
    return end.status
  }

  async #noteSuccess(db: Db, endpoint: EndpointRow, { type }: WaitingDelivery): Promise<void> {
    const isVerified = endpoint.status === 'unverified' && type === testType
    if (!isVerified && endpoint.failing_since === null) return
    await updateEndpoint(db, endpoint, { failing_since: null, ...(isVerified ? { status: 'active' } : {}) })
  }

  async #noteFailure(db: Db, endpoint: EndpointRow, attempt: Attempt): Promise<void> {
    const now = this.#parts.source.clock()
    const failingSince = endpoint.failing_since ?? now
    const reason = findEnd(endpoint, { attempt, failingSince, now })
    if (reason === undefined) return updateEndpoint(db, endpoint, { failing_since: failingSince })
    await updateEndpoint(db, endpoint, { status: 'disabled', status_reason: reason, failing_since: failingSince, updated_at: now })
    await storeEvent(db, this.#parts.source, {
      type: 'webhook.endpoint.disabled',
      organizationId: endpoint.organization_id,
      endpointId: endpoint.id,
      data: { reason },
    })
  }
}

const unreadable =
  'Its secret cannot be opened: restore the master key, or change the secret. Then set the status to active. Events wait until then.'

/** Pauses an endpoint unless it was changed meanwhile, and returns its delivery to the queue. A test of one that no test has reached is given up. */
async function pauseUnreadable(
  db: Db,
  { endpoint, delivery, now }: { readonly endpoint: EndpointRow; readonly delivery: WaitingDelivery; readonly now: number },
): Promise<void> {
  const held = await holdEndpoint(db, endpoint.organization_id, endpoint.id)
  const { attempts, last_status, last_answer, last_ms, last_at } = delivery
  const isUnverified = endpoint.status === 'unverified'
  const end = { attempts, last_status, last_answer, last_ms, last_at, next_at: now }
  await endDelivery(db, delivery, { ...end, status: isUnverified ? 'failed' : 'waiting', last_error: 'the secret cannot be opened' })
  if (held?.updated_at !== endpoint.updated_at || held.status !== endpoint.status) return
  await updateEndpoint(db, held, { ...(isUnverified ? {} : { status: 'paused' }), status_reason: unreadable, updated_at: now })
}

/** Returns why an endpoint gets nothing any more; undefined while it does. */
function findEnd(
  { status }: EndpointRow,
  { attempt, failingSince, now }: { readonly attempt: Attempt; readonly failingSince: number; readonly now: number },
): string | undefined {
  if (status === 'disabled') return undefined
  if (attempt.status === 410) return 'It answered with 410: it does not want events any more.'
  return now - failingSince >= disabledAfterMs ? 'Every attempt of the last five days failed.' : undefined
}

function buildEnd(
  delivery: WaitingDelivery,
  { attempt, isDelivered, now }: { readonly attempt: Attempt; readonly isDelivered: boolean; readonly now: number },
): DeliveryEnd {
  const attempts = delivery.attempts + 1
  const delay = delaysMs[attempts - 1]
  const isOver = delay === undefined || attempt.status === 410
  const wait = Math.max((delay ?? 0) * (1 + Math.random() * jitter), attempt.retryAfterMs ?? 0)
  return {
    status: isDelivered ? 'delivered' : isOver ? 'failed' : 'waiting',
    attempts,
    next_at: isDelivered || isOver ? now : now + Math.round(wait),
    last_status: attempt.status,
    last_error: attempt.error,
    last_answer: attempt.answer,
    last_ms: attempt.milliseconds,
    last_at: now,
  }
}

/** Says that an endpoint has more copies than it gets changes of. */
const tooManyFollowed = `It gets the changes of ${mostFollowed} entities, the most: limit it to some connectors or workspaces.`

const organizationIsFull =
  'It gets the changes of some entities only: the organization follows as many as it may (FERRULE_CHANGES_ENTITIES).'

interface Followed {
  readonly copy: FilledCopyRow
  readonly ref: EntityRef
  readonly known: sql.KnownPosition | undefined
}

/** What an endpoint gets about a copy now. */
interface RecordsNews {
  readonly followed: Followed
  readonly log: FollowedLog
  /** Position before the changes; null: it is not known what has changed. */
  readonly since: bigint | null
}

const nameCopy = ({ connector_id, entity }: Pick<sql.PositionRow, 'connector_id' | 'entity'>): string => `${connector_id} ${entity}`

/** Returns the position up to which the endpoint has what was told; null: it has to take a snapshot. */
const findDelivered = ({ status, position, since }: sql.KnownPosition): string | null => (status === 'delivered' ? position : since)

/** Finds what an endpoint is not told yet. One message of a copy waits at a time, so that an endpoint that is away finds one. */
function findNews(followed: Followed, log: FollowedLog | undefined): readonly RecordsNews[] {
  const { known } = followed
  if (log === undefined) return []
  if (known === undefined) return [{ followed, log, since: null }]
  if (known.status === 'waiting' || known.unnumbered !== null) return []
  if (known.generation !== log.generation || log.position < BigInt(known.position)) return [{ followed, log, since: null }]
  if (log.position === BigInt(known.position)) return []
  const delivered = findDelivered(known)
  const isKept = delivered !== null && BigInt(delivered) >= log.keptAfter
  return [{ followed, log, since: isKept ? BigInt(delivered) : null }]
}

const nothing: ChangeCounts = { added: 0, changed: 0, removed: 0 }

/**
 * Reports to endpoints, one after the other, that records of copies have changed (`records.changed`). A message has no row of its cause: the copy
 * is another database. Each endpoint has a position in the log of each copy, and a look compares both (docs/decisions/webhooks.md).
 */
class RecordTeller {
  readonly #parts: Pick<Parts, 'database' | 'source' | 'settings' | 'kinds'>
  readonly #logs: RecordLogs

  constructor(parts: Pick<Parts, 'database' | 'source' | 'settings' | 'kinds'>, logs: RecordLogs) {
    this.#parts = parts
    this.#logs = logs
  }

  /** Looks at the copies of all endpoints that are due. A node that dies leaves its endpoint to another one. */
  async tell(isStopped: () => boolean): Promise<void> {
    const { database, source } = this.#parts
    while (!isStopped()) {
      const now = source.clock()
      const endpoint = await database.transaction((db) => sql.takeEndpoint(db, now, now + leaseMs))
      if (endpoint === undefined) return
      await this.#tell(endpoint)
    }
  }

  async #tell(endpoint: EndpointRow): Promise<void> {
    const { database, source, settings } = this.#parts
    const positions = await sql.listPositions(database.db, endpoint)
    const copies = await this.#listCopies(endpoint, positions)
    const shown = copies.slice(0, mostFollowed)
    const { logs, isFull } = await this.#logs.follow(
      endpoint.organization_id,
      shown.map(({ ref }) => ref),
    )
    const news = shown.flatMap((followed, index) => findNews(followed, logs[index]))
    const told = await this.#describe(news)
    const kept = new Set(shown.map(({ copy }) => nameCopy(copy)))
    const reason = copies.length > mostFollowed ? tooManyFollowed : isFull ? organizationIsFull : null
    await database.transaction(async (db) => {
      const held = await holdEndpoint(db, endpoint.organization_id, endpoint.id)
      if (held === undefined || held.records_at !== endpoint.records_at) return // it was changed, or another node took over
      for (const row of positions) await this.#keepPosition(db, row, kept.has(nameCopy(row)))
      for (const each of told) await this.#store(db, endpoint, each)
      await updateEndpoint(db, endpoint, {
        records_at: source.clock() + settings.recordsChangedSeconds * 1_000,
        ...(held.status === 'disabled' ? {} : { status_reason: reason }),
      })
    })
  }

  /** Lists the copies that can be read and whose changes an endpoint gets, one more than the most. */
  async #listCopies(endpoint: EndpointRow, positions: readonly sql.KnownPosition[]): Promise<readonly Followed[]> {
    const { database, kinds } = this.#parts
    const parse = (ids: string | null): readonly string[] | null => (ids === null ? null : JSON.parse(ids))
    const view = {
      organizationId: endpoint.organization_id,
      workspaceIds: parse(endpoint.workspace_ids),
      connectorIds: parse(endpoint.connector_ids),
    }
    const rows = await listFilledCopies(database.db, view, mostFollowed + 1)
    const kindOf = await kinds.findAll(rows)
    const known = new Map(positions.map((row) => [nameCopy(row), row]))
    return rows.flatMap((copy): readonly Followed[] => {
      const kind = kindOf(copy)
      if (kind === undefined || !readWantedEntities(kind, copy).includes(copy.entity)) return []
      const ref = { connector: copy.connector_id, kind: kind.definition.kind, entity: copy.entity, own: kind.own }
      return [{ copy, ref, known: known.get(nameCopy(copy)) }]
    })
  }

  async #describe(news: readonly RecordsNews[]): Promise<readonly (RecordsNews & { readonly data: Readonly<Record<string, unknown>> })[]> {
    const told = []
    for (const each of news) {
      const { log, since } = each
      const { ref } = each.followed
      const counts = since === null ? nothing : await this.#logs.count(ref, since, log.position)
      const cursor = since === null ? undefined : this.#logs.writeCursor(ref, log.generation, since)
      told.push({ ...each, data: { entity: ref.entity, snapshot: since === null, ...counts, cursor } })
    }
    return told
  }

  /** Notes what was delivered; forgets copies that the endpoint does not follow any more. */
  async #keepPosition(db: Db, row: sql.KnownPosition, isKept: boolean): Promise<void> {
    if (!isKept) return sql.forgetPosition(db, row)
    const since = findDelivered(row)
    if (since !== row.since) await sql.savePosition(db, { ...row, since })
  }

  /** Stores a message instead of the last one. Its id comes from what it says, so a message that is made again is the same one. */
  async #store(
    db: Db,
    endpoint: EndpointRow,
    { followed: { copy, known }, log, since, data }: RecordsNews & { readonly data: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const { connector_id, entity, workspace_id: workspaceId } = copy
    const position = String(log.position)
    const id = deriveId(endpoint.id, connector_id, entity, log.generation, position)
    if (known !== undefined) await sql.deleteMessage(db, known)
    await storeEvent(db, this.#parts.source, {
      type: recordsType,
      id,
      organizationId: endpoint.organization_id,
      workspaceId,
      connectorId: connector_id,
      endpointId: endpoint.id,
      data,
    })
    const row = { organization_id: endpoint.organization_id, endpoint_id: endpoint.id, connector_id, entity }
    await sql.savePosition(db, { ...row, generation: log.generation, position, since: since === null ? null : String(since), event_id: id })
  }
}
