/** Credentials of a consent: they belong to the operator's application at the vendor, and never contain its fields. */
import type { Connection, CredentialValues, Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import type { Db } from '../db/database.ts'
import type { Parts, Seals } from '../main/parts.ts'
import { addFields, hasFields, omitFields } from '../tenancy/vault/application-seals.ts'
import { toConnectorRef } from '../values/access.ts'
import type { CredentialTrial } from './connector-types.ts'
import type { ConnectorChange, SealedConnectorRow } from './sql/connectors.ts'
import { keepVendorApplication } from './sql/vendor-applications.ts'

/** The consent that credentials come from. */
export interface ConsentOrigin {
  readonly vendorApplicationId: string
  /** Names of the application's fields. */
  readonly fields: readonly string[]
  /** Digest of the token, by which connectors of one consent are known; null when the vendor ends no tokens. */
  readonly digest: string | null
}

/** What storing credentials does beside the trial, for callers within the platform. */
export interface StoringTrial extends CredentialTrial {
  /**
   * Checks the credentials instead of the kind's check.
   * @returns the account behind them, as JSON; undefined when nothing proves it
   */
  readonly check?: ((connection: Connection) => Promise<string | undefined>) | undefined
  /** What the hint of a refusal says about storing without a trial; undefined: the words of the HTTP interface. */
  readonly forceHint?: string
  readonly consent?: ConsentOrigin | undefined
  /** True: the credentials replace all stored ones; nothing is merged. */
  readonly isWhole?: boolean
  /** Runs in the transaction that stores the connector; an error rolls it back. */
  readonly complete?: (db: Db, connectorId: string) => Promise<void>
}

/** Credentials that are stored, with the columns that say where they come from. */
export interface StoredOrigin {
  readonly values: Secret<CredentialValues>
  readonly columns: Required<Pick<ConnectorChange, 'vendor_application_id' | 'consent_digest' | 'account'>>
}

/** Where credentials come from, and which account they reach. */
export interface OriginOfCredentials {
  readonly organizationId: string
  /** Title of the kind. */
  readonly kind: string
  readonly consent: ConsentOrigin | undefined
  /** Account that the trial found. */
  readonly account: string | undefined
}

/** Cuts the application's fields out of credentials that come from a consent. @throws FerruleError `oauth_credentials_not_found` */
export async function cutOrigin(
  db: Db,
  { organizationId, kind, consent, account: found }: OriginOfCredentials,
  values: Secret<CredentialValues>,
): Promise<StoredOrigin> {
  const account = found ?? null
  if (consent === undefined) return { values, columns: { vendor_application_id: null, consent_digest: null, account } }
  const kept = await keepVendorApplication(db, organizationId, consent.vendorApplicationId)
  if (kept === undefined) throw fail('oauth_credentials_not_found', { vendor: kind })
  const columns = { vendor_application_id: kept.id, consent_digest: consent.digest, account }
  return { values: omitFields(values, consent.fields), columns }
}

/** Opens the application of a connector; undefined without one. @throws FerruleError `credentials_unreadable` */
function openApplication(
  { applicationSeals }: Pick<Parts, 'applicationSeals'>,
  row: SealedCredentialsRow,
): Secret<CredentialValues> | undefined {
  const { organization_id: organizationId, kind, application_sealed: sealed, application_key_id: masterKeyId } = row
  return sealed === null || masterKeyId === null ? undefined : applicationSeals.open({ organizationId, kind }, { masterKeyId, sealed })
}

/** What opens the credentials of a connector. */
export type SealedCredentialsRow = Pick<
  SealedConnectorRow,
  'organization_id' | 'workspace_id' | 'id' | 'kind' | 'sealed' | 'data_key_id' | 'application_sealed' | 'application_key_id'
>

/**
 * Opens the credentials of a connector, with the fields of its application as they are now.
 * @returns undefined when a rotation deleted the data key: read the row again
 * @throws FerruleError `credentials_unreadable`
 */
export async function openCredentials(parts: Seals, db: Db, row: SealedCredentialsRow): Promise<Secret<CredentialValues> | undefined> {
  const own = await parts.vault.open(db, { ...toConnectorRef(row), dataKeyId: row.data_key_id }, row.sealed)
  const application = own === undefined ? undefined : openApplication(parts, row)
  return own === undefined || application === undefined ? own : addFields(own, application)
}

// JSON that this service wrote.
const parseFields = (row: SealedConnectorRow): readonly string[] => JSON.parse(row.application_fields ?? '[]')

/** Returns the values to store of a connector's opened credentials: without the fields of its application. */
export const cutApplication = (row: SealedConnectorRow, values: Secret<CredentialValues>): Secret<CredentialValues> =>
  omitFields(values, parseFields(row))

/** Returns the application that changed credentials still belong to; undefined when its fields are not theirs any longer. */
export function findKeptOrigin(
  parts: Pick<Parts, 'applicationSeals'>,
  row: SealedConnectorRow,
  values: Secret<CredentialValues>,
): ConsentOrigin | undefined {
  const application = openApplication(parts, row)
  if (application === undefined || row.vendor_application_id === null || !hasFields(values, application)) return undefined
  return { vendorApplicationId: row.vendor_application_id, fields: parseFields(row), digest: null }
}
