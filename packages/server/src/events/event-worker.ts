/**
 * Works on events on each node: gives them their places, queues them for endpoints, and sends them. Rows and leases are the only state, so
 * a node that dies loses nothing (docs/decisions/webhooks.md).
 */
import { asFerruleError, Http } from 'ferrule/internal'
import type { DeliveryStatus } from 'ferrule/wire'
import type { RecordLogs } from '../copies/changes/record-logs.ts'
import type { Db } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import { newId } from '../values/ids.ts'
import type { DeliveryReport } from '../values/metric-types.ts'
import { Ticks, waitForWork } from '../values/ticks.ts'
import { openSecrets } from './endpoint-secrets.ts'
import { RecordTeller } from './record-news.ts'
import { type Attempt, type Destination, sendEvent, signEvent, usualAttemptMs } from './send-webhook.ts'
import { type PlacedEventRow, placeEvents, recordsType, storeEvent, testType } from './sql/events.ts'
import { findWork } from './sql/record-positions.ts'
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

/** Events that one transaction places. */
const placedAtOnce = 200
/** Attempts of this node at a time, and of one endpoint on all nodes. */
const [mostAttempts, attemptsOfEndpoint] = [64, 4]
/** Time after which another node takes an attempt over, in milliseconds: three times the time that an attempt may take. */
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
  { type, endpoint_id, workspace_id, connector_id }: Pick<PlacedEventRow, 'type' | 'workspace_id' | 'connector_id' | 'endpoint_id'>,
): boolean {
  if (type === testType) return endpoint_id === endpoint.id && endpoint.status !== 'disabled'
  if (endpoint.status !== 'active' && endpoint.status !== 'paused') return false
  const types = readList(endpoint.types)
  const isType = types.includes(type) || (types.length === 0 && type !== recordsType)
  const isReader = type !== recordsType || endpoint_id === endpoint.id
  return isType && isReader && includes(endpoint.workspace_ids, workspace_id) && includes(endpoint.connector_ids, connector_id)
}

/** Services that the worker needs. */
export type EventWorkerParts = Pick<
  Parts,
  'kinds' | 'database' | 'source' | 'settings' | 'applicationSeals' | 'events' | 'onBackgroundError'
>

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
export interface EventWorker {
  /** Begins to look for events. */
  start(): void
  /** Places and sends what is due, until nothing is. */
  run(): Promise<void>
  /** Ends. Attempts that run get a few seconds; another node takes over what is left. */
  stop(): Promise<void>
}

class Worker implements EventWorker {
  readonly #parts: EventWorkerParts
  readonly #http: Pick<Http, 'open' | 'close'>
  readonly #attemptMs: number
  readonly #teller: RecordTeller | undefined
  readonly #onAttempt: EventWorkerOptions['onAttempt']
  #telling: Promise<void> | undefined
  readonly #sending = new Set<Promise<void>>()
  readonly #ticks: Ticks<'queued' | 'ended'>

  constructor(parts: EventWorkerParts, { attemptMs = usualAttemptMs, logs, onAttempt }: EventWorkerOptions) {
    this.#parts = parts
    this.#http = new Http(parts.settings.proxies)
    this.#attemptMs = attemptMs
    this.#onAttempt = onAttempt
    this.#teller = logs === undefined ? undefined : new RecordTeller(parts, logs)
    const { events, onBackgroundError: onError } = parts
    this.#ticks = new Ticks<'queued' | 'ended'>({ events, names: ['queued', 'ended'], work: () => this.#work(), onError })
  }

  start(): void {
    this.#ticks.start()
  }

  async run(): Promise<void> {
    for (;;) {
      await this.#ticks.tick()
      if (this.#sending.size === 0 && this.#telling === undefined) return
      await Promise.all([...this.#sending, this.#telling])
    }
  }

  async stop(): Promise<void> {
    await this.#ticks.stop()
    await waitForWork(Promise.all([...this.#sending, this.#telling]))
    await this.#http.close()
  }

  async #work(): Promise<void> {
    await this.#place()
    await this.#claim()
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

  /** Gives events their places and queues them for their endpoints, in one transaction: each event is queued once. */
  async #place(): Promise<void> {
    const { database, source } = this.#parts
    while (!this.#ticks.isStopped) {
      const work = await findWork(database.db, source.clock())
      if (work.isDue && this.#teller !== undefined) this.#tell(this.#teller)
      if (!work.isUnplaced) return
      await database.transaction(async (db) => {
        const placed = await placeEvents(db, placedAtOnce)
        if (placed.length === 0) return
        const endpoints = await listEndpoints(db, [...new Set(placed.map((event) => event.organization_id))])
        await insertDeliveries(
          db,
          placed.flatMap((event) =>
            endpoints
              .filter((each) => each.organization_id === event.organization_id && wants(each, event))
              .map((each) => this.#buildDelivery(event, each)),
          ),
        )
      })
    }
  }

  #buildDelivery(event: PlacedEventRow, endpoint: EndpointRow): DeliveryRow {
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

/** Builds the worker of a node; `start` begins its work. */
export const createEventWorker = (parts: EventWorkerParts, options: EventWorkerOptions = {}): EventWorker => new Worker(parts, options)
