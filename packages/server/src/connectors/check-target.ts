/** Decides what a check of a stored connector runs on, and which scopes it needs. */
import { randomUUID } from 'node:crypto'
import { type Connection, checkConfiguration } from 'ferrule/engine'
import { connectorPatch } from 'ferrule/wire'
import type { Platform } from '../main/platform-types.ts'
import { type ConnectorAccess, type Principal, requireScope } from '../values/access.ts'
import { readBody } from '../values/read.ts'
import { omitNulls } from './draft.ts'

/** A stored connector, or a connection with values that are not stored. */
export type CheckTarget = { readonly access: ConnectorAccess } | { readonly connection: Connection }

/**
 * Returns the stored connector, or a connection with the credentials or configuration of a body. Values of the body are used for the check
 * only. Trying a change needs the scope of making the change, because a configuration can send the stored credentials to another host of
 * the vendor.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `validation_failed`, `credentials_mismatch`
 */
export async function readCheckTarget(
  { connectors }: Pick<Platform, 'connectors'>,
  principal: Principal,
  { id, body }: { readonly id: string; readonly body: unknown },
): Promise<CheckTarget> {
  requireScope(principal, 'connectors:read')
  const { credentials, replication_config } = readBody(connectorPatch, body ?? {})
  const access = await connectors.readAccess(principal, id)
  if (credentials === undefined && replication_config === undefined) return { access }
  requireScope(principal, 'connectors:write')
  if (credentials === undefined) {
    const configuration = checkConfiguration(access.connection.kind.definition, omitNulls(replication_config ?? {}))
    // The notices belong to the stored configuration.
    const { notice: _notice, ...connection } = access.connection
    return { connection: { ...connection, configuration } }
  }
  const { workspace_name, connector_type, environment, replication_config: stored } = await connectors.get(principal, id)
  const trial = {
    workspace_name,
    connector_type,
    environment,
    credentials,
    replication_config: replication_config ?? stored,
    name: `check ${randomUUID()}`,
  }
  return { connection: await connectors.trial(principal, trial) }
}
