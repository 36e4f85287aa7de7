/** Reads the events of an organization, and keeps the endpoints that they are sent to (docs/decisions/webhooks.md). */
import { fail, isPublicUrl } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import type { Db } from '../db/database.ts'
import { deleteEnded } from '../db/delete-ended.ts'
import type { Parts } from '../main/parts.ts'
import { type Principal, requireWholeScope } from '../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../values/cursor.ts'
import { asId, iso, isoOrNull, newId } from '../values/ids.ts'
import { failField, readBody, readQuery } from '../values/read.ts'
import { makeSecret, replaceSecret } from './endpoint-secrets.ts'
import { writeEvent } from './send-webhook.ts'
import { deleteSurplusEvents, findPosition, listEvents, recordsType, storeEvent, testType } from './sql/events.ts'
import { forgetPosition, listPositions } from './sql/record-positions.ts'
import * as sql from './sql/webhooks.ts'

/** Events, endpoints and deliveries of the principal's organization. All refuse tokens of a workspace. */
export interface Webhooks {
  /** Reads events in their order. Scope webhooks:read. @throws FerruleError `invalid_cursor` when the event to continue after is not kept */
  listEvents(principal: Principal, query: unknown): Promise<wire.EventPage>
  /** Lists the endpoints. Scope webhooks:read. */
  list(principal: Principal): Promise<wire.WebhookEndpointList>
  /** Reads an endpoint. Scope webhooks:read. @throws FerruleError `webhook_endpoint_not_found`, as all methods with an id */
  get(principal: Principal, id: string): Promise<wire.WebhookEndpoint>
  /** Creates an endpoint and tests it. Scope webhooks:write. */
  create(principal: Principal, body: unknown): Promise<wire.WebhookEndpointSecret>
  /** Changes an endpoint. Another address is tested first. Scope webhooks:write. */
  update(principal: Principal, id: string, body: unknown): Promise<wire.WebhookEndpoint>
  /** Deletes an endpoint with its deliveries. Scope webhooks:write. */
  remove(principal: Principal, id: string): Promise<wire.WebhookEndpointRemoval>
  /** Makes a new secret. The old one signs too for a while. Scope webhooks:write. */
  rotateSecret(principal: Principal, id: string, body: unknown): Promise<wire.WebhookEndpointSecret>
  /** Sends a test. Scope webhooks:write. @throws FerruleError `rate_limited` above five in a minute */
  test(principal: Principal, id: string): Promise<wire.WebhookEndpoint>
  /** Lists deliveries, the newest first. Scope webhooks:read; the answers of the endpoint need webhooks:write. */
  listDeliveries(principal: Principal, id: string, query: unknown): Promise<wire.Page<wire.WebhookDelivery>>
  /** Sends an event again. Scope webhooks:write. @throws FerruleError `webhook_delivery_not_found` */
  retryDelivery(principal: Principal, id: string, deliveryId: string): Promise<wire.WebhookDelivery>
  /** Sends again what was given up. Scope webhooks:write. */
  retryDeliveries(principal: Principal, id: string, body: unknown): Promise<wire.WebhookRedeliveryResult>
  /** Deletes events, with their deliveries, that are older than 30 days or too many. @returns the number */
  purgeExpired(now: number): Promise<number>
}

type WebhookParts = Pick<Parts, 'database' | 'source' | 'settings' | 'masterSeals' | 'events' | 'masterKeys'>

const dayMs = 86_400_000
const testsInMinute = 5

const readList = <T>(json: string): readonly T[] => JSON.parse(json) // JSON that this service wrote

const toEndpoint = (row: sql.EndpointRow): wire.WebhookEndpoint => ({
  id: row.id,
  name: row.name,
  url: row.url,
  types: readList(row.types),
  workspace_ids: row.workspace_ids === null ? null : readList(row.workspace_ids),
  connector_ids: row.connector_ids === null ? null : readList(row.connector_ids),
  ordered: Boolean(row.ordered),
  status: row.status,
  status_reason: row.status_reason,
  failing_since: isoOrNull(row.failing_since),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
})

function toDelivery(row: sql.WaitingDelivery, isWriter: boolean): wire.WebhookDelivery {
  const { id, endpoint_id, event_id, status } = row
  return {
    id,
    endpoint_id,
    event_id,
    type: row.type,
    status,
    attempts: row.attempts,
    next_attempt_at: status === 'waiting' ? iso(row.next_at) : null,
    last_attempt_at: isoOrNull(row.last_at),
    last_status: row.last_status,
    last_error: row.last_error,
    last_answer: isWriter ? row.last_answer : null,
    last_duration_ms: row.last_ms,
    created_at: iso(row.created_at),
  }
}

/** Checks an address. A host inside of the network has to be named by the operator. @throws FerruleError `validation_failed` */
function checkUrl({ settings }: Pick<WebhookParts, 'settings'>, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const problem = (message: string) => failField('/url', message, 'url')
  if (url === undefined || url.username !== '' || url.password !== '')
    throw problem('must be an address without a user name and a password')
  if (settings.webhookHosts.includes(url.hostname) || isPublicUrl(url)) return text
  throw problem('must be a public https address; the operator can name hosts of the own network in FERRULE_WEBHOOK_HOSTS')
}

const writeFilters = ({
  types,
  workspace_ids,
  connector_ids,
  ordered,
}: wire.WebhookEndpointInput | wire.WebhookEndpointPatch): sql.EndpointChange => ({
  ...(types === undefined ? {} : { types: JSON.stringify(types) }),
  ...(workspace_ids === undefined ? {} : { workspace_ids: writeIds(workspace_ids) }),
  ...(connector_ids === undefined ? {} : { connector_ids: writeIds(connector_ids) }),
  ...(ordered === undefined ? {} : { ordered }),
})

/** Returns the columns of an endpoint that gets the changes of copies, or no longer does: the next look begins at once. */
const planLook = (types: readonly string[], now: number): Pick<sql.EndpointRow, 'records_at'> => ({
  records_at: types.includes(recordsType) ? now : null,
})

const writeIds = (ids: readonly string[] | null): string | null => (ids === null ? null : JSON.stringify(ids.map((id) => id.toLowerCase())))

async function requireEndpoint(db: Db, { organizationId }: Principal, given: string, find = sql.findEndpoint): Promise<sql.EndpointRow> {
  const id = asId(given)
  const row = id === undefined ? undefined : await find(db, organizationId, id)
  if (row === undefined) throw fail('webhook_endpoint_not_found', {})
  return row
}

const storeTest = ({ source }: WebhookParts, db: Db, { organization_id: organizationId, id: endpointId }: sql.EndpointRow) =>
  storeEvent(db, source, { type: testType, organizationId, endpointId })

async function create(parts: WebhookParts, principal: Principal, given: unknown): Promise<wire.WebhookEndpointSecret> {
  const body = readBody(wire.webhookEndpointInput, given)
  const url = checkUrl(parts, body.url)
  const now = parts.source.clock()
  const { organizationId } = principal
  const id = newId(parts.source)
  return parts.database.transaction(async (db) => {
    if ((await sql.listEndpoints(db, [organizationId])).length >= wire.mostEndpoints)
      throw failField('', `cannot be done: the organization has ${wire.mostEndpoints} endpoints, the most; delete some`, 'limit')
    const { secret, columns } = makeSecret(parts, { organization_id: organizationId, id })
    const row: sql.EndpointRow = {
      id,
      organization_id: organizationId,
      name: body.name,
      url,
      types: JSON.stringify(body.types ?? []),
      workspace_ids: writeIds(body.workspace_ids ?? null),
      connector_ids: writeIds(body.connector_ids ?? null),
      ordered: body.ordered ?? false,
      status: 'unverified',
      status_reason: null,
      failing_since: null,
      ...columns,
      ...planLook(body.types ?? [], now),
      created_at: now,
      updated_at: now,
    }
    await sql.insertEndpoint(db, row)
    await storeTest(parts, db, row)
    return { ...toEndpoint(row), secret }
  })
}

/** Returns what a wished status means. @throws FerruleError `validation_failed` for an endpoint that no test has reached */
function buildStatusChange(row: sql.EndpointRow, wanted: wire.WebhookEndpointPatch['status']): sql.EndpointChange {
  if (wanted === undefined || wanted === row.status) return {}
  if (row.status === 'unverified') {
    const message = 'cannot be set: the endpoint has not answered a test with 2xx yet'
    throw failField('/status', message, 'status')
  }
  return { status: wanted, status_reason: null, failing_since: null }
}

async function update(parts: WebhookParts, requested: { principal: Principal; id: string }, given: unknown): Promise<wire.WebhookEndpoint> {
  const { name, url, status, ...filters } = readBody(wire.webhookEndpointPatch, given)
  const checked = url === undefined ? undefined : checkUrl(parts, url)
  return parts.database.transaction(async (db) => {
    const row = await requireEndpoint(db, requested.principal, requested.id, sql.holdEndpoint)
    const isElsewhere = checked !== undefined && checked !== row.url
    const look = planLook(filters.types ?? readList(row.types), parts.source.clock())
    if (look.records_at === null) for (const each of await listPositions(db, row)) await forgetPosition(db, each)
    await sql.updateEndpoint(db, row, {
      ...writeFilters(filters),
      ...look,
      ...(name === undefined ? {} : { name }),
      ...(isElsewhere ? { url: checked, status: 'unverified', status_reason: null, failing_since: null } : buildStatusChange(row, status)),
      updated_at: parts.source.clock(),
    })
    if (isElsewhere) await storeTest(parts, db, row)
    return toEndpoint(await requireEndpoint(db, requested.principal, row.id))
  })
}

async function rotateSecret(
  parts: WebhookParts,
  requested: { principal: Principal; id: string },
  given: unknown,
): Promise<wire.WebhookEndpointSecret> {
  const { overlap_seconds: seconds = wire.secretOverlap.usual } = readBody(wire.webhookRotation, given ?? {})
  const now = parts.source.clock()
  return parts.database.transaction(async (db) => {
    const row = await requireEndpoint(db, requested.principal, requested.id, sql.holdEndpoint)
    const { secret, columns } = replaceSecret(parts, row, now + seconds * 1_000)
    await sql.updateEndpoint(db, row, { ...columns, updated_at: now })
    return { ...toEndpoint(await requireEndpoint(db, requested.principal, row.id)), secret }
  })
}

async function sendTest(parts: WebhookParts, requested: { principal: Principal; id: string }): Promise<wire.WebhookEndpoint> {
  const now = parts.source.clock()
  return parts.database.transaction(async (db) => {
    const row = await requireEndpoint(db, requested.principal, requested.id, sql.holdEndpoint)
    if (row.status === 'disabled') throw failField('', 'cannot be done: the endpoint is disabled; set its status to active', 'status')
    const count = await sql.countTests(db, row, now - 60_000)
    if (count >= testsInMinute) throw fail('rate_limited', { limit: testsInMinute }, { retryAfterMs: 60_000 })
    await storeTest(parts, db, row)
    return toEndpoint(row)
  })
}

const isWriter = ({ scopes }: Principal): boolean => scopes.has('webhooks:write')

const createReading = (parts: WebhookParts): Pick<Webhooks, 'listEvents' | 'list' | 'get' | 'listDeliveries'> => {
  const { db } = parts.database
  return {
    listEvents: async (principal, given) => {
      requireWholeScope(principal, 'webhooks:read')
      const { after: id, type, limit = defaultLimit } = readQuery(wire.eventQuery, given)
      const { organizationId } = principal
      const after = id === undefined ? 0 : await findPosition(db, organizationId, id.toLowerCase())
      if (after === undefined) throw fail('invalid_cursor', { reason: `the event is not kept; events are kept for ${wire.eventDays} days` })
      const rows = await listEvents(db, organizationId, { after, type, limit: limit + 1 })
      const data = rows.slice(0, limit).map((row): wire.PlatformEvent => JSON.parse(writeEvent(row)))
      return { data, after: data.at(-1)?.id ?? id ?? null, has_more: rows.length > limit }
    },
    list: async (principal) => {
      requireWholeScope(principal, 'webhooks:read')
      return { data: (await sql.listEndpoints(db, [principal.organizationId])).map(toEndpoint) }
    },
    get: async (principal, id) => {
      requireWholeScope(principal, 'webhooks:read')
      return toEndpoint(await requireEndpoint(db, principal, id))
    },
    listDeliveries: async (principal, id, given) => {
      requireWholeScope(principal, 'webhooks:read')
      const query = readQuery(wire.webhookDeliveryQuery, given)
      const endpoint = await requireEndpoint(db, principal, id)
      const scope = { list: `deliveries of ${endpoint.id}`, view: principal, query }
      const limit = (query.limit ?? defaultLimit) + 1
      const rows = await sql.listDeliveries(db, endpoint, { status: query.status, after: readPosition(parts, scope), limit })
      return buildPage(parts, { ...scope, rows }, (row) => toDelivery(row, isWriter(principal)))
    },
  }
}

/** Builds the service. */
export function createWebhooks(parts: WebhookParts): Webhooks {
  const { db } = parts.database
  /** Newest position when surplus events were looked for. */
  let looked = 0
  /** Runs a change, and wakes the worker after it. */
  const write = async <T>(principal: Principal, work: () => Promise<T>): Promise<T> => {
    requireWholeScope(principal, 'webhooks:write')
    const done = await work()
    parts.events.emit('queued')
    return done
  }
  return {
    ...createReading(parts),
    create: (principal, body) => write(principal, () => create(parts, principal, body)),
    update: (principal, id, body) => write(principal, () => update(parts, { principal, id }, body)),
    remove: (principal, id) =>
      write(principal, async () => {
        const row = await requireEndpoint(db, principal, id)
        if (!(await sql.deleteEndpoint(db, principal.organizationId, row.id))) throw fail('webhook_endpoint_not_found', {})
        return { id: row.id, deleted_at: iso(parts.source.clock()) }
      }),
    rotateSecret: (principal, id, body) => write(principal, () => rotateSecret(parts, { principal, id }, body)),
    test: (principal, id) => write(principal, () => sendTest(parts, { principal, id })),
    retryDelivery: (principal, id, deliveryId) =>
      write(principal, async () => {
        const endpoint = await requireEndpoint(db, principal, id)
        const asked = asId(deliveryId)
        if (asked === undefined || (await sql.findDelivery(db, endpoint, asked)) === undefined) throw fail('webhook_delivery_not_found', {})
        await sql.requeueDeliveries(db, endpoint, { now: parts.source.clock(), deliveryId: asked })
        const row = await sql.findDelivery(db, endpoint, asked)
        if (row === undefined) throw fail('webhook_delivery_not_found', {})
        return toDelivery(row, true)
      }),
    retryDeliveries: (principal, id, body) =>
      write(principal, async () => {
        const { since } = readBody(wire.webhookRedelivery, body ?? {})
        const endpoint = await requireEndpoint(db, principal, id)
        const from = since === undefined ? {} : { since: Date.parse(since) }
        return { deliveries: await sql.requeueDeliveries(db, endpoint, { now: parts.source.clock(), ...from }) }
      }),
    purgeExpired: async (now) => {
      const old = await deleteEnded(db, { table: 'events', key: ['id'], end: 'created_at' }, now - wire.eventDays * dayMs)
      const surplus = await deleteSurplusEvents(db, looked)
      looked = surplus.newest
      return old + surplus.deleted
    },
  }
}
