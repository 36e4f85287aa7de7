/**
 * Creates connectors: validates the whole request, then tries the credentials, then stores everything in one transaction.
 * Reasons: docs/decisions/connect-links.md
 */
import { asFerruleError, fail } from 'ferrule/internal'
import type { ConnectorRecord } from 'ferrule/wire'
import { beginSyncs } from '../copies/queue/queue.ts'
import type { Db } from '../db/database.ts'
import { storeConnectorEvent } from '../events/sql/events.ts'
import type { Parts } from '../main/parts.ts'
import type { WorkspaceRow } from '../tenancy/sql/organizations.ts'
import { ensureWorkspace, findWantedWorkspace } from '../tenancy/workspaces/workspace-keeper.ts'
import { type Principal, requireScope } from '../values/access.ts'
import { canonicalJson, digestParts, newId } from '../values/ids.ts'
import { failInactive } from '../values/read.ts'
import { buildConnection } from './access.ts'
import type { Connectors } from './connector-types.ts'
import {
  buildCreationRow,
  checkIdempotencyKey,
  cutOrigin,
  type StoringTrial,
  type TrialKey,
  type TriedCredentials,
  tryCredentials,
} from './credential-trial.ts'
import { type ConnectorDraft, listKindNames, type ReadDraft, readDraft, toConnectorRecord } from './draft.ts'
import { keepKind, nameKindOfRow } from './kinds.ts'
import * as sql from './sql/connectors.ts'

/** Time that a node holds a creation without a sign of life, and interval of those signs, in milliseconds. */
const leaseMs = 15_000
const renewalMs = 5_000
/** Interval of looks at a creation that another node runs, and longest wait for it, in milliseconds. */
const lookMs = 200
const longestWaitMs = 120_000

/** One request. */
export interface CreationRequest {
  readonly principal: Principal
  readonly body: unknown
  readonly trial: StoringTrial
}

/** Builds the method that creates connectors. A repeat of a request in progress waits for the same answer. */
export function createCreation(parts: Parts): Pick<Connectors, 'create'> {
  const flights = new Map<string, { readonly fingerprint: string; readonly made: Promise<ConnectorRecord> }>()
  const joinFlight = (request: CreationRequest, key: TrialKey): Promise<ConnectorRecord> => {
    const flight = flights.get(key.key_digest)
    if (flight !== undefined && flight.fingerprint !== key.fingerprint) return Promise.reject(fail('idempotency_key_conflict', {}))
    if (flight !== undefined) return flight.made.then((made) => replay(request, made))
    const made = createOnce(parts, request, key).finally(() => flights.delete(key.key_digest))
    flights.set(key.key_digest, { fingerprint: key.fingerprint, made })
    return made
  }
  return {
    create: async (principal, body, trial = {}) => {
      requireScope(principal, 'connectors:write')
      const request = { principal, body, trial }
      const key = toTrialKey(request)
      return parts.unfinished.add(key === undefined ? storeNewConnector(parts, request) : joinFlight(request, key))
    },
  }
}

/** Returns the key of a request with an Idempotency-Key. Another body under the same Idempotency-Key differs in the fingerprint only. */
function toTrialKey({ principal, body, trial }: CreationRequest): TrialKey | undefined {
  const key = checkIdempotencyKey(trial.idempotencyKey)
  if (key === undefined) return undefined
  const { organizationId, workspaceIds } = principal
  return {
    organization_id: organizationId,
    key_digest: digestParts('creation', organizationId, (workspaceIds ?? []).join(), key),
    fingerprint: digestParts(organizationId, canonicalJson(body ?? null)),
  }
}

function replay({ trial }: CreationRequest, made: ConnectorRecord): ConnectorRecord {
  trial.replayed?.()
  return made
}

/** Returns the connector of an earlier request while it exists, or creates one. Waits while the request runs on another node. */
async function createOnce(parts: Parts, request: CreationRequest, key: TrialKey): Promise<ConnectorRecord> {
  const { db } = parts.database
  const owner = newId(parts.source)
  for (let waitedMs = 0; waitedMs <= longestWaitMs; waitedMs += lookMs) {
    const now = parts.source.clock()
    const seen = await sql.findCreation(db, key, now)
    if (seen !== undefined && seen.fingerprint !== key.fingerprint) throw fail('idempotency_key_conflict', {})
    const row = seen?.connector_id == null ? undefined : await sql.findConnector(db, request.principal, seen.connector_id)
    if (row !== undefined) return replay(request, toConnectorRecord(row, await parts.kinds.find(row)))
    const isFree = (seen?.busy_until ?? 0) <= now
    const next = { ...key, owner, busy_until: now + leaseMs, expires_at: buildCreationRow(parts, key).expires_at }
    if (isFree && (await sql.takeCreation(db, next, seen, now)))
      return holdWhile(parts, { ...key, owner }, () => storeNewConnector(parts, request, key))
    await parts.sleep(lookMs)
  }
  throw fail('idempotency_key_in_flight', {}, { retryAfterMs: leaseMs })
}

/** Holds a creation while this node runs it, and frees it then. A lease that cannot be renewed ends by itself. */
async function holdWhile<T>(parts: Parts, own: sql.CreationId & { readonly owner: string }, work: () => Promise<T>): Promise<T> {
  const { db } = parts.database
  const renew = () => sql.renewCreation(db, { ...own, busy_until: parts.source.clock() + leaseMs }).catch(parts.onBackgroundError)
  const timer = setInterval(() => void renew(), renewalMs).unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await sql.freeCreation(db, own).catch(parts.onBackgroundError)
  }
}

/** Creates a connector. @param kept key of a request with an Idempotency-Key. @throws FerruleError as `Connectors.create` */
export async function storeNewConnector(parts: Parts, request: CreationRequest, kept?: TrialKey): Promise<ConnectorRecord> {
  const { principal, body, trial } = request
  const read = readDraft(await parts.kinds.of(principal.organizationId, listKindNames(body)), body, parts.settings.sandbox)
  await checkWorkspaceAndName(parts, principal, read)
  const draft = read.draft()
  const key = kept ?? toCredentialsKey(request, draft)
  const own = (credentials: Parameters<Parameters<typeof tryCredentials>[1]['connection']>[0]) =>
    buildConnection(parts, draft, { configuration: draft.configuration, credentials })
  const { credentials: given } = draft
  const tried = await tryCredentials(parts, { key, given, credentials: given, connection: own, trial, isChecked: read.check })
  const made = await parts.database.transaction(async (db) => {
    const stored = await store(parts, db, { principal, draft, read, trial, tried })
    if (kept === undefined) await sql.deleteCreation(db, key)
    else await sql.saveCreation(db, { ...buildCreationRow(parts, key), connector_id: stored.id })
    await trial.complete?.(db, stored.id)
    return stored
  })
  parts.events.emit('queued')
  return made
}

/** Returns the key of a request without an Idempotency-Key. Its credentials identify a repeat, because renewed tokens belong to them. */
function toCredentialsKey({ principal: { organizationId }, body }: CreationRequest, { kind }: ConnectorDraft): TrialKey {
  const credentials = canonicalJson(Reflect.get(Object(body), 'credentials') ?? null)
  const digest = digestParts('credentials', organizationId, kind.definition.kind, credentials)
  return { organization_id: organizationId, key_digest: digest, fingerprint: digest }
}

/** Adds problems of the workspace and the name that storing would find later. */
async function checkWorkspaceAndName(
  parts: Pick<Parts, 'database'>,
  principal: Principal,
  { mistakes, workspaceName, name, createWorkspace }: ReadDraft,
): Promise<void> {
  if (workspaceName === undefined) return
  const { db } = parts.database
  try {
    const workspace = await findWantedWorkspace(db, { principal, name: workspaceName, make: createWorkspace })
    if (workspace?.status === 'inactive') mistakes.add('/workspace_name', failInactive(workspace))
    if (workspace === undefined || name === undefined) return
    if (await sql.hasConnectorNamed(db, workspace, name)) mistakes.add('/name', fail('connector_name_conflict', { name }))
  } catch (error) {
    const refusal = asFerruleError(error)
    if (refusal.code !== 'workspace_not_found') throw error
    mistakes.add('/workspace_name', refusal)
  }
}

interface Storing {
  readonly principal: Principal
  readonly draft: ConnectorDraft
  readonly read: ReadDraft
  readonly trial: StoringTrial
  readonly tried: TriedCredentials
}

async function store(parts: Parts, db: Db, { principal, draft, read, trial, tried }: Storing): Promise<ConnectorRecord> {
  const { vault, source } = parts
  const { organizationId } = principal
  await keepKind(db, draft.kind)
  const workspace = await ensureWorkspace(parts, db, { principal, name: draft.workspaceName, make: read.createWorkspace })
  const id = newId(source)
  const origin = { organizationId, kind: draft.kind.definition.title, consent: trial.consent, account: tried.account }
  const { values, columns } = await cutOrigin(db, origin, tried.renewed ?? draft.credentials)
  const ref = { organizationId, workspaceId: workspace.id, connectorId: id, dataKeyId: workspace.data_key_id }
  const { sealed, fields } = await vault.seal(db, ref, values)
  const row = {
    ...buildRow(draft, workspace, source.clock()),
    ...columns,
    id,
    sealed,
    credential_fields: JSON.stringify(fields),
    unchecked: !tried.isChecked,
  }
  if (!(await sql.insertConnector(db, row))) throw fail('connector_name_conflict', { name: draft.name })
  await storeConnectorEvent(db, source, 'connector.created', { organizationId, id })
  await beginSyncs(parts, db, row)
  return toConnectorRecord({ ...row, workspace_name: workspace.name, workspace_status: workspace.status }, draft.kind)
}

const buildRow = (
  draft: ConnectorDraft,
  workspace: WorkspaceRow,
  now: number,
): Omit<sql.StoredConnector, 'id' | 'sealed' | 'credential_fields' | 'unchecked'> => ({
  organization_id: workspace.organization_id,
  workspace_id: workspace.id,
  name: draft.name,
  kind: nameKindOfRow(draft.kind),
  status: 'active',
  status_reason: null,
  notices: '[]',
  configuration: JSON.stringify(draft.configuration),
  entities: JSON.stringify(draft.entities),
  changes_days: draft.changesDays,
  sandbox: draft.sandbox,
  scheme: draft.scheme,
  data_key_id: workspace.data_key_id,
  version: 1,
  lease_owner: null,
  lease_until: null,
  created_at: now,
  updated_at: now,
})
