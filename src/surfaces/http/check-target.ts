/** What a check of a stored connector runs over. */
import { randomUUID } from 'node:crypto'
import { checkConfiguration } from '../../engine/credentials.ts'
import { bodies, readBody } from '../../platform/bodies.ts'
import { withoutNulls } from '../../platform/connector-draft.ts'
import type { CheckTarget } from '../../platform/operations.ts'
import { requireScope } from '../../platform/scopes.ts'
import type { Platform, Principal } from '../../platform/types.ts'

/**
 * The stored connector, or the stored connector with the credentials or the configuration of a body: these replace the stored ones
 * for the check and are not stored. To try a change needs the scope of making it: a configuration can lead the stored credentials to
 * another host of the vendor.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `validation_failed`, `credentials_mismatch`
 */
export async function checkTarget(
  { connectors }: Pick<Platform, 'connectors'>,
  principal: Principal,
  { id, body }: { readonly id: string; readonly body: unknown },
): Promise<CheckTarget> {
  requireScope(principal, 'connectors:read')
  const { credentials, replication_config } = readBody(bodies.patchConnector, body ?? {})
  const access = await connectors.connectionOf(principal, id)
  if (credentials === undefined && replication_config === undefined) return { access }
  requireScope(principal, 'connectors:write')
  if (credentials === undefined) {
    const configuration = checkConfiguration(access.connection.kind.definition, withoutNulls(replication_config ?? {}))
    // Without the stored connector's notices: what a trial version answers is not true of it.
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
