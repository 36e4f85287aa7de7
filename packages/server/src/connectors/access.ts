/** Opens stored connectors for the engine, and stores what calls reveal about credentials. */
import type { Kind } from 'ferrule/definition'
import type { Connection, CredentialSource, OriginOverride, VendorNotice } from 'ferrule/engine'
import { BoundedMap, fail } from 'ferrule/internal'
import type { ConnectorNotice } from 'ferrule/wire'
import { unparkRuns } from '../copies/sql/sync-runs.ts'
import type { Database } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import { refuseDeleted } from '../tenancy/organizations/open-organization.ts'
import { existenceQuery } from '../tenancy/sql/organizations.ts'
import type { ConnectorAccess } from '../values/access.ts'
import { asId } from '../values/ids.ts'
import { requireScope } from '../values/scopes.ts'
import { failInactive } from '../values/workspace-names.ts'
import type { Connectors } from './connector-types.ts'
import { createProof } from './credential-proof.ts'
import { buildAuthErrorReason, createCredentialSources, type StoredCredentials } from './credential-source.ts'
import { readDraft } from './draft.ts'
import { getConnectorStatus } from './record.ts'
import { createWriteClaims } from './request-claims.ts'
import { type ConnectionQuery, connectionQuery, type SealedConnectorRow, setAuthError, setHealthy, setNotices } from './sql/connectors.ts'

/** Maximum number of rows, about 2 kB each. */
const mostRows = 1_000

/**
 * Builds a query that reads a row again only after a change of the database, by this process or another one. Without a count of changes,
 * which only the embedded database has, each call reads it.
 */
export function keepRows({ countChanges }: Pick<Database, 'countChanges'>, read: ConnectionQuery): ConnectionQuery {
  if (countChanges === undefined) return read
  const kept = new BoundedMap<string, { readonly changes: number; readonly row: SealedConnectorRow }>(mostRows)
  return async (view, id) => {
    if (view.connectorIds !== null) return read(view, id)
    const name = [view.organizationId, id, ...(view.workspaceIds ?? ['all'])].join(' ')
    const changes = countChanges()
    const known = kept.get(name)
    if (known?.changes === changes) return known.row
    const row = await read(view, id)
    if (row !== undefined) kept.set(name, { changes, row })
    return row
  }
}

/** Builds the methods that executions use. */
export function createAccess(parts: Parts): Pick<Connectors, 'trial' | 'readAccess' | 'markAuthError' | 'markHealthy'> {
  const { db } = parts.database
  const read = keepRows(parts.database, connectionQuery(db))
  const isExisting = existenceQuery(db)
  const createSource = createCredentialSources(parts, read)
  const createNotice = createNotices(parts)
  /** The credential source of each returned access. */
  const sources = new WeakMap<ConnectorAccess, StoredCredentials>()
  /** Accesses of long runs whose success is stored. */
  const healthy = new WeakSet<ConnectorAccess>()
  return {
    trial: async (principal, body) => {
      requireScope(principal, 'connectors:write')
      const { kind, configuration, credentials, sandbox } = readDraft(parts.catalogue, body, parts.settings.sandbox).draft()
      return buildConnection(parts, { kind, sandbox }, { configuration, credentials: toUnstoredSource(credentials) })
    },
    readAccess: async (principal, given) => {
      const id = asId(given)
      const row = id === undefined ? undefined : await read(principal, id)
      if (row === undefined) throw (await isExisting(principal.organizationId)) ? fail('connector_not_found', {}) : refuseDeleted()
      if (row.workspace_status === 'inactive') throw failInactive({ id: row.workspace_id, name: row.workspace_name })
      const source = createSource(row)
      const access = await buildAccess(parts, row, { source, notice: createNotice(row) })
      sources.set(access, source)
      return access
    },
    markAuthError: async (access, reason) => {
      healthy.delete(access)
      const version = sources.get(access)?.current()
      if (version !== undefined) await setAuthError(db, version, buildAuthErrorReason(reason, version.id))
    },
    markHealthy: async (access) => {
      if ((access.status !== 'auth_error' && !access.unchecked) || healthy.has(access)) return
      const version = sources.get(access)?.current()
      if (version === undefined) return
      const isChanged = await setHealthy(db, version)
      healthy.add(access)
      if (!isChanged) return
      await unparkRuns(db, { organizationId: version.organizationId, connectorId: version.id })
      parts.events.emit('queued')
    },
  }
}

async function buildAccess(
  parts: Parts,
  row: SealedConnectorRow,
  { source, notice }: { readonly source: StoredCredentials } & Pick<Required<Connection>, 'notice'>,
): Promise<ConnectorAccess> {
  const place = { organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id }
  const proof = createProof(parts, row, () => source.current())
  const own = { configuration: JSON.parse(row.configuration), credentials: source, notice, proof, writes: createWriteClaims(parts, place) }
  const kind = parts.catalogue.getKind(row.kind)
  return {
    place,
    status: getConnectorStatus(row),
    unchecked: Boolean(row.unchecked),
    connection: await buildConnection(parts, { kind, sandbox: Boolean(row.sandbox) }, own),
  }
}

/** Builds a connection to the vendor, its stand-in, or the origin of the settings. Waits for a sandbox that is starting. */
export async function buildConnection(
  parts: Pick<Parts, 'settings' | 'sandboxOrigins'>,
  { kind, sandbox }: { readonly kind: Kind; readonly sandbox: boolean },
  own: Pick<Connection, 'configuration' | 'credentials' | 'notice' | 'proof' | 'writes'>,
): Promise<Connection> {
  const origin = sandbox ? await readSandboxOrigin(parts, kind) : parts.settings.origins[kind.definition.kind]
  return { kind, ...own, origin }
}

/** Returns the origin of the stand-in. A sandbox connector never reaches the vendor, even while the sandbox is off. */
async function readSandboxOrigin({ sandboxOrigins }: Pick<Parts, 'sandboxOrigins'>, { definition }: Kind): Promise<OriginOverride> {
  const origin = (await sandboxOrigins())?.[definition.kind]
  if (origin === undefined) throw fail('unavailable', { reason: 'the sandbox that this connector belongs to is not running' })
  return origin
}

/** Wraps credentials that are not stored. A renewal would spend a single-use token and lose its successor. */
export const toUnstoredSource = (values: Awaited<ReturnType<CredentialSource['open']>>['values']): CredentialSource => ({
  open: async () => ({ values, version: '0' }),
  renew: async () => {
    throw fail('validation_failed', { reason: 'a check before the creation renews no tokens; create the connector, then check it' })
  },
})

/** Maximum number of notices per connector. */
const keptNotices = 20
/** Maximum number of connectors in the cache; notices of others are read from their row. */
const keptConnectors = 10_000

const sentences: { readonly [T in VendorNotice['type']]: (notice: Extract<VendorNotice, { type: T }>) => string } = {
  api_version: ({ asked, answered }) => `Version ${asked} of the vendor's API was asked for, and ${answered} answered.`,
  deprecated: ({ entity, reason }) => `The vendor calls what ${entity} uses deprecated: ${reason}`,
}

const buildMessage = (notice: VendorNotice): string =>
  notice.type === 'api_version' ? sentences.api_version(notice) : sentences.deprecated(notice)

/** Appends a notice; a notice about the API version replaces the earlier one. */
const addNotice = (kept: readonly ConnectorNotice[], notice: ConnectorNotice): ConnectorNotice[] =>
  [...kept.filter(({ type }) => type !== 'api_version' || notice.type !== 'api_version'), notice].slice(-keptNotices)

/**
 * Builds the function that takes the notices of a connector. A known notice costs one lookup in memory. A change of the configuration
 * deletes the notices, so the cache key contains the configuration.
 */
function createNotices(parts: Parts): (row: SealedConnectorRow) => (notice: VendorNotice) => void {
  const remembered = new BoundedMap<string, readonly ConnectorNotice[]>(keptConnectors)
  return (row) => (notice) => {
    const key = `${row.id} ${row.updated_at} ${row.configuration}`
    const kept = remembered.get(key) ?? (JSON.parse(row.notices) as readonly ConnectorNotice[]) // JSON that this service wrote
    const message = buildMessage(notice)
    remembered.set(key, kept)
    if (kept.some((known) => known.message === message)) return
    const added = { type: notice.type, message, since: new Date(parts.source.clock()).toISOString() }
    const next = addNotice(kept, added)
    remembered.set(key, next)
    parts.onNotice({ connectorId: row.id, ...added })
    setNotices(parts.database.db, row, JSON.stringify(next)).catch(parts.onBackgroundError)
  }
}
