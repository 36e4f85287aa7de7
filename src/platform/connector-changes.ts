/** Changing and removing connectors. */
import { checkConfiguration } from '../engine/credentials.ts'
import { Secret } from '../engine/secret.ts'
import { asFerruleError, fail } from '../errors.ts'
import { bodies, readBody } from './bodies.ts'
import { checkEntities, withoutNulls } from './connector-draft.ts'
import { recordOf } from './connector-record.ts'
import { mergeCredentials } from './credential-merge.ts'
import { type Db, isUniqueViolation } from './db/database.ts'
import {
  type ConnectorChange,
  deleteConnector,
  findConnector,
  holdConnector,
  type SealedConnectorRow,
  updateConnector,
} from './db/queries-connectors.ts'
import { holdWorkspace, insertJob } from './db/queries-workspaces.ts'
import { asId, newId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { ConnectorRecord, EntitySelection } from './records.ts'
import { requireScope } from './scopes.ts'
import { followChange } from './syncs/changes.ts'
import { endSyncs } from './syncs/queue.ts'
import type { Connectors, Principal } from './types.ts'

/** Checked parts of an update or a patch. */
interface Change {
  readonly name?: string
  readonly entities?: readonly EntitySelection[]
  /** The whole configuration that follows from the stored one. */
  readonly configuration?: (stored: Readonly<Record<string, unknown>>) => Record<string, unknown>
  readonly credentials?: Record<string, unknown>
}

/** Builds the part of the service that changes. */
export const createChanges = (parts: Parts): Pick<Connectors, 'update' | 'patch' | 'remove'> => ({
  update: async (principal, id, body) => {
    requireScope(principal, 'connectors:write')
    const { replication_config: config, ...rest } = readBody(bodies.updateConnector, body)
    return change(parts, { principal, id }, { ...rest, ...(config === undefined ? {} : { configuration: () => withoutNulls(config) }) })
  },
  patch: async (principal, id, body) => {
    requireScope(principal, 'connectors:write')
    const { replication_config: config, ...rest } = readBody(bodies.patchConnector, body)
    const merged = (stored: Readonly<Record<string, unknown>>) => withoutNulls({ ...stored, ...config })
    return change(parts, { principal, id }, { ...rest, ...(config === undefined ? {} : { configuration: merged }) })
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
    const changed = await parts.database.transaction(async (db) => {
      const place = await held(db, target)
      await updateConnector(db, place, {
        ...plainChange(parts, place, wanted),
        ...(wanted.credentials === undefined ? {} : await credentialsChange(parts, db, { row: place, given: wanted.credentials })),
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

/** New credentials end `auth_error` and overtake a renewal that is on its way. */
async function credentialsChange(
  parts: Parts,
  db: Db,
  { row, given }: { row: SealedConnectorRow; given: Record<string, unknown> },
): Promise<ConnectorChange> {
  const { vault, catalogue } = parts
  const place = { organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id }
  const stored = { scheme: row.scheme, values: await openable(parts, db, row) }
  const { scheme, values } = mergeCredentials(catalogue.kindOf(row.kind).definition, stored, given)
  const workspace = await holdWorkspace(db, place, row.workspace_id)
  if (workspace === undefined) throw fail('connector_not_found', {})
  const { sealed, fields } = await vault.seal(db, { ...place, dataKeyId: workspace.data_key_id }, new Secret(values))
  return {
    scheme,
    sealed,
    data_key_id: workspace.data_key_id,
    credential_fields: JSON.stringify(fields),
    version: row.version + 1,
    proof: null,
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
