/** Making connectors: everything about the request is looked at first, then the credentials are tried, then all is stored at once. */
import type { CredentialValues } from '../engine/connection.ts'
import type { Secret } from '../engine/secret.ts'
import { asFerruleError, fail } from '../errors.ts'
import { canonicalJson } from './canonical-json.ts'
import { connectionTo } from './connector-access.ts'
import { type ConnectorDraft, type ReadDraft, readDraft } from './connector-draft.ts'
import { recordOf } from './connector-record.ts'
import { checkedKey, creationRow, digestOfParts, type TrialPlace, tryCredentials } from './credential-trial.ts'
import type { Db } from './db/database.ts'
import { findConnector, hasConnectorNamed, insertConnector, type StoredConnector } from './db/queries-connectors.ts'
import { dropCreation, findCreation, keepCreation } from './db/queries-creations.ts'
import type { WorkspaceRow } from './db/queries-workspaces.ts'
import { newId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { ConnectorRecord } from './records.ts'
import { requireScope } from './scopes.ts'
import { beginSyncs } from './syncs/queue.ts'
import type { CredentialTrial } from './trial-types.ts'
import type { Connectors, Principal } from './types.ts'
import { existingWorkspace, workspaceFor } from './workspace-keeper.ts'

/** One request. */
interface Request {
  readonly principal: Principal
  readonly body: unknown
  readonly trial: CredentialTrial
}

/** Builds the part of the service that makes connectors. Repeats of a request that still runs in this process wait for its answer. */
export function createCreation(parts: Parts): Pick<Connectors, 'create'> {
  const flights = new Map<string, Promise<ConnectorRecord>>()
  const joined = (request: Request, place: TrialPlace): Promise<ConnectorRecord> => {
    const flight = flights.get(place.key_digest)
    if (flight !== undefined) return flight.then((made) => replay(request, made))
    const running = createOnce(parts, request, place).finally(() => flights.delete(place.key_digest))
    flights.set(place.key_digest, running)
    return running
  }
  return {
    create: async (principal, body, trial = {}) => {
      requireScope(principal, 'connectors:write')
      const request = { principal, body, trial }
      const place = placeOf(request)
      const running = (place === undefined ? create(parts, request) : joined(request, place)).finally(() =>
        parts.unfinished.delete(running),
      )
      parts.unfinished.add(running)
      return running
    },
  }
}

/** What a request under an Idempotency-Key is kept under; another body under the key has the same place and another fingerprint. */
function placeOf({ principal, body, trial }: Request): TrialPlace | undefined {
  const key = checkedKey(trial.idempotencyKey)
  if (key === undefined) return undefined
  const { organizationId, workspaceId } = principal
  return {
    organization_id: organizationId,
    key_digest: digestOfParts('creation', organizationId, workspaceId ?? '', key),
    fingerprint: digestOfParts(organizationId, canonicalJson(body ?? null)),
  }
}

function replay({ trial }: Request, made: ConnectorRecord): ConnectorRecord {
  trial.replayed?.()
  return made
}

/** Answers a repeat with the connector that was made, as long as there is one. @throws FerruleError `idempotency_key_conflict` */
async function createOnce(parts: Parts, request: Request, place: TrialPlace): Promise<ConnectorRecord> {
  const { db } = parts.database
  const seen = await findCreation(db, place, parts.source.clock())
  if (seen !== undefined && seen.fingerprint !== place.fingerprint) throw fail('idempotency_key_conflict', {})
  const row = seen?.connector_id == null ? undefined : await findConnector(db, request.principal, seen.connector_id)
  return row === undefined ? create(parts, request, place) : replay(request, recordOf(row, parts.catalogue))
}

async function create(parts: Parts, request: Request, kept?: TrialPlace): Promise<ConnectorRecord> {
  const { principal, body, trial } = request
  const read = readDraft(parts.catalogue, body, parts.settings.sandbox)
  await lookAtPlace(parts, principal, read)
  const draft = read.draft()
  const place = kept ?? placeOfCredentials(request, draft)
  const own = (credentials: Parameters<Parameters<typeof tryCredentials>[1]['connection']>[0]) =>
    connectionTo(parts, draft, { configuration: draft.configuration, credentials })
  const check = read.check ? trial.check : undefined
  const { credentials: given } = draft
  const renewed = await tryCredentials(parts, { place, given, credentials: given, connection: own, check })
  const made = await parts.database.transaction(async (db) => {
    const stored = await store(parts, db, { principal, draft, read, credentials: renewed ?? given })
    if (kept === undefined) await dropCreation(db, place)
    else await keepCreation(db, { ...creationRow(parts, place), connector_id: stored.id })
    return stored
  })
  parts.events.emit('queued')
  return made
}

/** Without an Idempotency-Key a repeat is known by its credentials: what was renewed belongs to them. */
function placeOfCredentials({ principal: { organizationId }, body }: Request, { kind }: ConnectorDraft): TrialPlace {
  const credentials = canonicalJson(Reflect.get(Object(body), 'credentials') ?? null)
  const digest = digestOfParts('credentials', organizationId, kind.definition.kind, credentials)
  return { organization_id: organizationId, key_digest: digest, fingerprint: digest }
}

/** Adds what is wrong with the workspace and the name: what the storing would refuse later. */
async function lookAtPlace(
  parts: Parts,
  principal: Principal,
  { mistakes, workspaceName, name, createWorkspace }: ReadDraft,
): Promise<void> {
  if (workspaceName === undefined) return
  const { db } = parts.database
  try {
    const workspace = await existingWorkspace(db, { principal, name: workspaceName, make: createWorkspace })
    if (workspace?.status === 'inactive') mistakes.add('/workspace_name', fail('workspace_inactive', { name: workspaceName }))
    if (workspace === undefined || name === undefined) return
    if (await hasConnectorNamed(db, workspace, name)) mistakes.add('/name', fail('connector_name_conflict', { name }))
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
  readonly credentials: Secret<CredentialValues>
}

async function store(parts: Parts, db: Db, { principal, draft, read, credentials }: Storing): Promise<ConnectorRecord> {
  const { vault, source, catalogue } = parts
  const workspace = await workspaceFor(parts, db, { principal, name: draft.workspaceName, make: read.createWorkspace })
  const id = newId(source)
  const place = { organizationId: principal.organizationId, workspaceId: workspace.id, connectorId: id, dataKeyId: workspace.data_key_id }
  const { sealed, fields } = await vault.seal(db, place, credentials)
  const row = { ...rowOf(draft, workspace, source.clock()), id, sealed, credential_fields: JSON.stringify(fields), unchecked: !read.check }
  if (!(await insertConnector(db, row))) throw fail('connector_name_conflict', { name: draft.name })
  await beginSyncs(parts, db, row)
  return recordOf({ ...row, workspace_name: workspace.name, workspace_status: workspace.status }, catalogue)
}

const rowOf = (
  draft: ConnectorDraft,
  workspace: WorkspaceRow,
  now: number,
): Omit<StoredConnector, 'id' | 'sealed' | 'credential_fields' | 'unchecked'> => ({
  organization_id: workspace.organization_id,
  workspace_id: workspace.id,
  name: draft.name,
  kind: draft.kind.definition.kind,
  status: 'active',
  status_reason: null,
  notices: '[]',
  configuration: JSON.stringify(draft.configuration),
  entities: JSON.stringify(draft.entities),
  sandbox: draft.sandbox,
  scheme: draft.scheme,
  data_key_id: workspace.data_key_id,
  version: 1,
  lease_owner: null,
  lease_until: null,
  created_at: now,
  updated_at: now,
})
