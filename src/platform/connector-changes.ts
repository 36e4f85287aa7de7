/** Changing and removing connectors. */

import type { CredentialValues } from '../engine/connection.ts'
import { checkConfiguration } from '../engine/credentials.ts'
import { Secret } from '../engine/secret.ts'
import { asFerruleError, fail } from '../errors.ts'
import { bodies, readBody } from './bodies.ts'
import { canonicalJson } from './canonical-json.ts'
import { connectionTo } from './connector-access.ts'
import { checkEntities, withoutNulls } from './connector-draft.ts'
import { recordOf } from './connector-record.ts'
import { mergeCredentials } from './credential-merge.ts'
import { checkedKey, digestOfParts, type TrialPlace, tryCredentials } from './credential-trial.ts'
import { type Db, isUniqueViolation } from './db/database.ts'
import {
  type ConnectorChange,
  deleteConnector,
  findConnector,
  holdConnector,
  type SealedConnectorRow,
  updateConnector,
} from './db/queries-connectors.ts'
import { dropCreation } from './db/queries-creations.ts'
import { holdWorkspace, insertJob } from './db/queries-workspaces.ts'
import { asId, newId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { ConnectorRecord, EntitySelection } from './records.ts'
import { requireScope } from './scopes.ts'
import { followChange } from './syncs/changes.ts'
import { endSyncs } from './syncs/queue.ts'
import type { CredentialTrial } from './trial-types.ts'
import type { Connectors, Principal } from './types.ts'

/** Checked parts of an update or a patch. */
interface Change {
  readonly name?: string
  readonly entities?: readonly EntitySelection[]
  /** The whole configuration that follows from the stored one. */
  readonly configuration?: (stored: Readonly<Record<string, unknown>>) => Record<string, unknown>
  readonly credentials?: Record<string, unknown>
  /** Whether the credentials are to be tried first; true when left out. */
  readonly check?: boolean
  readonly trial?: CredentialTrial
}

/** Builds the part of the service that changes. */
export const createChanges = (parts: Parts): Pick<Connectors, 'update' | 'patch' | 'remove'> => ({
  update: async (principal, id, body) => {
    requireScope(principal, 'connectors:write')
    const { replication_config: config, ...rest } = readBody(bodies.updateConnector, body)
    return change(parts, { principal, id }, { ...rest, ...(config === undefined ? {} : { configuration: () => withoutNulls(config) }) })
  },
  patch: async (principal, target, body) => {
    requireScope(principal, 'connectors:write')
    const { replication_config: config, ...rest } = readBody(bodies.patchConnector, body)
    const merged = (stored: Readonly<Record<string, unknown>>) => withoutNulls({ ...stored, ...config })
    const { id, trial } = typeof target === 'string' ? { id: target, trial: {} } : target
    const wanted = { ...rest, trial, ...(config === undefined ? {} : { configuration: merged }) }
    const running = change(parts, { principal, id }, wanted).finally(() => parts.unfinished.delete(running))
    parts.unfinished.add(running)
    return running
  },
  remove: async (principal, id) => {
    requireScope(principal, 'connectors:write')
    const now = parts.source.clock()
    const job = { id: newId(parts.source), type: 'connector_delete', status: 'succeeded', created_at: now, finished_at: now } as const
    await parts.database.transaction(async (db) => {
      const row = await held(db, { principal, id })
      await endSyncs(parts, db, row)
      await deleteConnector(db, row)
      await insertJob(db, { ...job, organization_id: row.organization_id, workspace_id: row.workspace_id, connector_id: row.id })
    })
    parts.events.emit('queued')
    return { job_id: job.id }
  },
})

interface Target {
  readonly principal: Principal
  readonly id: string
}

async function held(db: Db, { principal, id: given }: Target): Promise<SealedConnectorRow> {
  const id = asId(given)
  const row = id === undefined ? undefined : await holdConnector(db, principal, id)
  if (row === undefined) throw fail('connector_not_found', {})
  return row
}

async function change(parts: Parts, target: Target, wanted: Change): Promise<ConnectorRecord> {
  try {
    const tried = await tryChange(parts, target, wanted)
    const changed = await parts.database.transaction(async (db) => {
      const place = await held(db, target)
      await updateConnector(db, place, {
        ...plainChange(parts, place, wanted),
        ...(wanted.credentials === undefined ? {} : await credentialsChange(parts, db, { row: place, wanted, tried })),
        updated_at: parts.source.clock(),
      })
      const row = await findConnector(db, target.principal, place.id)
      if (row === undefined) throw fail('connector_not_found', {})
      await followChange(parts, db, { before: place, after: row, hasNewCredentials: wanted.credentials !== undefined })
      return recordOf(row, parts.catalogue)
    })
    parts.events.emit('queued')
    return changed
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('connector_name_conflict', { name: wanted.name ?? '' })
    throw error
  }
}

function plainChange({ catalogue }: Parts, row: SealedConnectorRow, { name, entities, configuration }: Change): ConnectorChange {
  const kind = catalogue.kindOf(row.kind)
  const next = configuration === undefined ? undefined : checkConfiguration(kind.definition, configuration(JSON.parse(row.configuration)))
  return {
    ...(name === undefined ? {} : { name }),
    ...(entities === undefined ? {} : { entities: JSON.stringify(checkEntities(kind, entities)) }),
    ...(next === undefined ? {} : configurationChange(row, JSON.stringify(next))),
  }
}

/** What the vendor told was about calls under the configuration before. */
const configurationChange = (row: SealedConnectorRow, configuration: string): ConnectorChange =>
  configuration === row.configuration ? {} : { configuration, notices: '[]' }

interface Tried {
  readonly place: TrialPlace
  /** What the trial renewed. */
  readonly renewed: Secret<CredentialValues> | undefined
}

/** Tries new credentials, before the row is held: a vendor may take its time. */
async function tryChange(parts: Parts, target: Target, wanted: Change): Promise<Tried | undefined> {
  const { credentials: given, configuration, trial = {} } = wanted
  if (given === undefined) return undefined
  const row = await held(parts.database.db, target)
  const kind = parts.catalogue.kindOf(row.kind)
  const stored: Readonly<Record<string, unknown>> = JSON.parse(row.configuration)
  const used = configuration === undefined ? stored : checkConfiguration(kind.definition, configuration(stored))
  const own = { scheme: row.scheme, values: await openable(parts, parts.database.db, row) }
  const { values } = mergeCredentials(kind.definition, own, given)
  const text = canonicalJson(given)
  const key = checkedKey(trial.idempotencyKey)
  const fingerprint = digestOfParts('change', row.organization_id, row.id, key ?? '', text)
  const place = { organization_id: row.organization_id, key_digest: fingerprint, fingerprint }
  const renewed = await tryCredentials(parts, {
    place,
    given: new Secret({ given: text }),
    credentials: new Secret(values),
    connection: (credentials) => connectionTo(parts, { kind, sandbox: Boolean(row.sandbox) }, { configuration: used, credentials }),
    check: wanted.check === false ? undefined : trial.check,
  })
  return { place, renewed }
}

/** New credentials end `auth_error` and overtake a renewal that is on its way. */
async function credentialsChange(
  parts: Parts,
  db: Db,
  { row, wanted, tried }: { row: SealedConnectorRow; wanted: Change; tried: Tried | undefined },
): Promise<ConnectorChange> {
  const { vault, catalogue } = parts
  const place = { organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id }
  const stored = { scheme: row.scheme, values: await openable(parts, db, row) }
  const { scheme, values } = mergeCredentials(catalogue.kindOf(row.kind).definition, stored, wanted.credentials ?? {})
  if (tried !== undefined) await dropCreation(db, tried.place)
  const workspace = await holdWorkspace(db, place, row.workspace_id)
  if (workspace === undefined) throw fail('connector_not_found', {})
  const { sealed, fields } = await vault.seal(db, { ...place, dataKeyId: workspace.data_key_id }, tried?.renewed ?? new Secret(values))
  return {
    scheme,
    sealed,
    data_key_id: workspace.data_key_id,
    credential_fields: JSON.stringify(fields),
    version: row.version + 1,
    proof: null,
    unchecked: wanted.check === false,
    status: 'active',
    status_reason: null,
    lease_owner: null,
    lease_until: null,
  }
}

/** The stored credentials, or undefined when they are damaged: then the new ones must be complete. */
async function openable({ vault }: Parts, db: Db, row: SealedConnectorRow) {
  const place = { organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id, dataKeyId: row.data_key_id }
  try {
    return await vault.open(db, place, row.sealed)
  } catch (error) {
    if (asFerruleError(error).code === 'credentials_unreadable') return undefined
    throw error
  }
}
