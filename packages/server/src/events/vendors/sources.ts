/** Addresses that vendors send webhooks to: whose they are, what verifies a request there, and which account its events belong to. */
import type { CredentialValues, Secret } from 'ferrule/engine'
import { listWebhookAccounts } from 'ferrule/internal'
import type { ServedKind } from '../../connectors/connector-types.ts'
import { openCredentials } from '../../connectors/credential-trial.ts'
import type { SourceOwnerName } from '../../connectors/links/addresses.ts'
import { connectionQuery, type SealedConnectorRow } from '../../connectors/sql/connectors.ts'
import { findOAuthClientById } from '../../connectors/sql/oauth-clients.ts'
import type { Parts } from '../../main/parts.ts'
import { viewOrganization } from '../../values/access.ts'
import { hasSecretForm } from '../../values/ids.ts'
import { findSource, type SourceRow } from '../sql/vendor-events.ts'
import { openSourceSecret } from './vendor-seals.ts'

/** Services that addresses need. */
export type SourceParts = Pick<Parts, 'database' | 'kinds' | 'vault' | 'masterSeals'>

/** An address with what verifies its requests. */
export interface KnownSource {
  readonly row: SourceRow
  readonly kind: ServedKind
  /** Values that may have the secret, the newest first. */
  readonly secrets: readonly Secret<CredentialValues>[]
  /** The vendor's names of the connector's account; empty for an OAuth client, and where nothing names it. */
  readonly accounts: readonly string[]
}

/** Lists the vendor's names of the account that a connector reaches. */
export function listConnectorAccounts(
  { definition }: ServedKind,
  { configuration, account }: { readonly configuration: string; readonly account: string | null },
): readonly string[] {
  // JSON that this service wrote.
  const proven: { readonly ids?: readonly string[] } = account === null ? {} : JSON.parse(account)
  return listWebhookAccounts(definition, JSON.parse(configuration), proven.ids ?? [])
}

/** Builds the function that finds an address, and opens what verifies there; undefined for an unknown one. */
export function createSourceFinder(parts: SourceParts): (of: SourceOwnerName, id: string) => Promise<KnownSource | undefined> {
  const { db } = parts.database
  const readConnector = connectionQuery(db)

  const findOfConnector = async (row: SourceRow): Promise<KnownSource | undefined> => {
    const connector = await readConnector(viewOrganization(row.organization_id), row.connector_id ?? '')
    const kind = connector === undefined ? undefined : await parts.kinds.find(connector)
    if (connector === undefined || kind === undefined) return undefined
    return { row, kind, secrets: await openSecrets(row, connector), accounts: listConnectorAccounts(kind, connector) }
  }
  const openSecrets = async (row: SourceRow, connector: SealedConnectorRow) => {
    const own = openSourceSecret(parts, row)
    const credentials = await openCredentials(parts, db, connector)
    return [own, credentials].filter((each) => each !== undefined)
  }
  const findOfOAuthClient = async (row: SourceRow): Promise<KnownSource | undefined> => {
    const oauthClient = await findOAuthClientById(db, row.organization_id, row.oauth_client_id ?? '')
    const kind = oauthClient === undefined ? undefined : await parts.kinds.find(oauthClient)
    if (oauthClient === undefined || kind === undefined) return undefined
    const ref = { organizationId: oauthClient.organization_id, kind: oauthClient.kind }
    const values = parts.masterSeals.open(ref, { masterKeyId: oauthClient.master_key_id, sealed: oauthClient.sealed })
    const own = openSourceSecret(parts, row)
    return { row, kind, secrets: own === undefined ? [values] : [own, values], accounts: [] }
  }
  return async (of, id) => {
    const row = hasSecretForm(id) ? await findSource(db, id) : undefined
    if (row === undefined || (of === 'connectors') !== (row.connector_id !== null)) return undefined
    return of === 'connectors' ? findOfConnector(row) : findOfOAuthClient(row)
  }
}
