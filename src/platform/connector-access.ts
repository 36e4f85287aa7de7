/** Connectors as the engine uses them: the hot path, and what a call found out about the credentials. */
import type { Kind } from '../definition/connector.ts'
import type { Connection, CredentialSource, OriginOverride } from '../engine/connection.ts'
import { fail } from '../errors.ts'
import { readDraft } from './connector-draft.ts'
import { createNotices } from './connector-notices.ts'
import { statusOf } from './connector-record.ts'
import { createProof } from './credential-proof.ts'
import { authErrorReason, createCredentialSources, type StoredCredentials } from './credential-source.ts'
import { connectionQuery, type SealedConnectorRow, setAuthError, setHealthy } from './db/queries-connectors.ts'
import { asId } from './ids.ts'
import type { Parts } from './parts.ts'
import { claimsOf } from './request-claims.ts'
import { requireScope } from './scopes.ts'
import type { ConnectorAccess, Connectors } from './types.ts'

/** Builds the part of the service that executing needs. */
export function createAccess(parts: Parts): Pick<Connectors, 'trial' | 'connectionOf' | 'markAuthError' | 'markHealthy'> {
  const { db } = parts.database
  const read = connectionQuery(db)
  const sourceOf = createCredentialSources(parts, read)
  const noticesOf = createNotices(parts)
  /** The sources behind the accesses that were handed out. */
  const sources = new WeakMap<ConnectorAccess, StoredCredentials>()
  return {
    trial: async (principal, body) => {
      requireScope(principal, 'connectors:write')
      const { kind, configuration, credentials, sandbox } = readDraft(parts.catalogue, body, parts.settings.sandbox).draft()
      return connectionTo(parts, { kind, sandbox }, { configuration, credentials: unstored(credentials) })
    },
    connectionOf: async (principal, given) => {
      const id = asId(given)
      const row = id === undefined ? undefined : await read(principal, id)
      if (row === undefined) throw fail('connector_not_found', {})
      if (row.workspace_status === 'inactive') throw fail('workspace_inactive', { name: row.workspace_name })
      const source = sourceOf(row)
      const access = accessOf(parts, row, { source, notice: noticesOf(row) })
      sources.set(access, source)
      return access
    },
    markAuthError: async (access, reason) => {
      const version = sources.get(access)?.current()
      if (version !== undefined) await setAuthError(db, version, authErrorReason(reason, version.id))
    },
    markHealthy: async (access) => {
      if (access.status !== 'auth_error' && !access.unchecked) return
      const version = sources.get(access)?.current()
      if (version !== undefined && (await setHealthy(db, version))) parts.events.emit('queued')
    },
  }
}

function accessOf(
  parts: Parts,
  row: SealedConnectorRow,
  { source, notice }: { readonly source: StoredCredentials } & Pick<Required<Connection>, 'notice'>,
): ConnectorAccess {
  const place = { organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id }
  const proof = createProof(parts, row, () => source.current())
  const own = { configuration: JSON.parse(row.configuration), credentials: source, notice, proof, writes: claimsOf(parts, place) }
  const kind = parts.catalogue.kindOf(row.kind)
  return {
    place,
    status: statusOf(row),
    unchecked: Boolean(row.unchecked),
    connection: connectionTo(parts, { kind, sandbox: Boolean(row.sandbox) }, own),
  }
}

/** A connection to the vendor, its stand-in or whatever the settings name in its place. */
export function connectionTo(
  parts: Parts,
  { kind, sandbox }: { readonly kind: Kind; readonly sandbox: boolean },
  own: Pick<Connection, 'configuration' | 'credentials' | 'notice' | 'proof' | 'writes'>,
): Connection {
  const origin = sandbox ? sandboxOrigin(parts, kind) : parts.settings.origins[kind.definition.kind]
  return { kind, ...own, ...(origin === undefined ? {} : { origin }) }
}

/** A connector of the sandbox never reaches the vendor, also when the sandbox is off. */
function sandboxOrigin({ sandboxOrigins }: Parts, { definition }: Kind): OriginOverride {
  const origin = sandboxOrigins()?.[definition.kind]
  if (origin === undefined) throw fail('unavailable', { reason: 'the sandbox that this connector belongs to is not running' })
  return origin
}

/** Credentials that are not stored. Renewing them would spend a single-use token without keeping its successor. */
const unstored = (values: Awaited<ReturnType<CredentialSource['open']>>['values']): CredentialSource => ({
  open: async () => ({ values, version: '0' }),
  renew: async () => {
    throw fail('validation_failed', { reason: 'a check before the creation renews no tokens; create the connector, then check it' })
  },
})
