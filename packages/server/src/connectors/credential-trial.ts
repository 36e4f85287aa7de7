/**
 * Tries credentials at the vendor before they are stored. Those of a consent belong to the operator's OAuth client at the vendor, and never
 * contain its fields.
 */
import { FerruleError } from 'ferrule'
import type { AccountIdentity, Connection, CredentialSource, CredentialValues, Secret } from 'ferrule/engine'
import { asFerruleError, errorConsequences, fail } from 'ferrule/internal'
import type { ArrivingCall } from '../calls/admission.ts'
import type { Db } from '../db/database.ts'
import type { Parts, Seals, VendorCalls } from '../main/parts.ts'
import { addFields, hasFields, omitFields } from '../tenancy/vault/master-seals.ts'
import { toConnectorRef } from '../values/access.ts'
import { failField } from '../values/read.ts'
import { tryAgain } from '../values/try-again.ts'
import type { CredentialTrial } from './connector-types.ts'
import { type ConnectorChange, type CreationId, findCreation, type SealedConnectorRow, saveCreation } from './sql/connectors.ts'
import { keepOAuthClient } from './sql/oauth-clients.ts'

/** The consent that credentials come from. */
export interface ConsentOrigin {
  readonly oauthClientId: string
  /** Names of the OAuth client's fields. */
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

interface StoredOrigin {
  readonly values: Secret<CredentialValues>
  readonly columns: Required<Pick<ConnectorChange, 'oauth_client_id' | 'consent_digest' | 'account'>>
}

/** Where credentials come from, and which account they reach. */
interface OriginOfCredentials {
  readonly organizationId: string
  readonly kind: string
  readonly consent: ConsentOrigin | undefined
  /** Account that the trial found. */
  readonly account: string | undefined
}

/** Cuts the OAuth client's fields out of credentials that come from a consent. @throws FerruleError `oauth_credentials_not_found` */
export async function cutOrigin(
  db: Db,
  { organizationId, kind, consent, account: found }: OriginOfCredentials,
  values: Secret<CredentialValues>,
): Promise<StoredOrigin> {
  const account = found ?? null
  if (consent === undefined) return { values, columns: { oauth_client_id: null, consent_digest: null, account } }
  const kept = await keepOAuthClient(db, organizationId, consent.oauthClientId)
  if (kept === undefined) throw fail('oauth_credentials_not_found', { vendor: kind })
  const columns = { oauth_client_id: kept.id, consent_digest: consent.digest, account }
  return { values: omitFields(values, consent.fields), columns }
}

/** Opens the OAuth client of a connector; undefined without one. @throws FerruleError `credentials_unreadable` */
function openOAuthClient({ masterSeals }: Pick<Parts, 'masterSeals'>, row: SealedCredentialsRow): Secret<CredentialValues> | undefined {
  const { organization_id: organizationId, kind, oauth_client_sealed: sealed, oauth_client_key_id: masterKeyId } = row
  return sealed === null || masterKeyId === null ? undefined : masterSeals.open({ organizationId, kind }, { masterKeyId, sealed })
}

/** What opens the credentials of a connector. */
export type SealedCredentialsRow = Pick<
  SealedConnectorRow,
  'organization_id' | 'workspace_id' | 'id' | 'kind' | 'sealed' | 'data_key_id' | 'oauth_client_sealed' | 'oauth_client_key_id'
>

/**
 * Opens the credentials of a connector, with the fields of its OAuth client as they are now.
 * @returns undefined when a rotation deleted the data key: read the row again
 * @throws FerruleError `credentials_unreadable`
 */
export async function openCredentials(parts: Seals, db: Db, row: SealedCredentialsRow): Promise<Secret<CredentialValues> | undefined> {
  const own = await parts.vault.open(db, { ...toConnectorRef(row), dataKeyId: row.data_key_id }, row.sealed)
  const oauthClient = own === undefined ? undefined : openOAuthClient(parts, row)
  return own === undefined || oauthClient === undefined ? own : addFields(own, oauthClient)
}

// JSON that this service wrote.
const parseFields = (row: SealedConnectorRow): readonly string[] => JSON.parse(row.oauth_client_fields ?? '[]')

/** Returns the values to store of a connector's opened credentials: without the fields of its OAuth client. */
export const cutOAuthClient = (row: SealedConnectorRow, values: Secret<CredentialValues>): Secret<CredentialValues> =>
  omitFields(values, parseFields(row))

/** Returns the OAuth client that changed credentials still belong to; undefined when its fields are not theirs any longer. */
export function findKeptOrigin(
  parts: Pick<Parts, 'masterSeals'>,
  row: SealedConnectorRow,
  values: Secret<CredentialValues>,
): ConsentOrigin | undefined {
  const oauthClient = openOAuthClient(parts, row)
  if (oauthClient === undefined || row.oauth_client_id === null || !hasFields(values, oauthClient)) return undefined
  return { oauthClientId: row.oauth_client_id, fields: parseFields(row), digest: null }
}

/** Retention of renewed tokens for a repeat, in milliseconds: 24 hours. */
const keptMs = 24 * 60 * 60 * 1_000
/** Pauses before a token that the vendor issues once is stored again, in milliseconds. */
const pausesMs = [100, 500, 2_000, 5_000]

/** Key of a trial's stored result. */
export interface TrialKey extends CreationId {
  /** Digest of the request, which reveals another request under the same key. */
  readonly fingerprint: string
}

/** Builds the row of a creation, which expires after 24 hours. */
export const buildCreationRow = ({ source }: Pick<Parts, 'source'>, { organization_id, key_digest, fingerprint }: TrialKey) => ({
  organization_id,
  key_digest,
  fingerprint,
  sealed: null,
  connector_id: null,
  expires_at: source.clock() + keptMs,
})

/** What a trial found. */
export interface TriedCredentials {
  /** Credentials that the trial renewed; undefined when the given ones are to be stored. */
  readonly renewed: Secret<CredentialValues> | undefined
  /** False: no trial was made. */
  readonly isChecked: boolean
  /** Account behind them, as JSON; undefined when nothing proves it, and without a trial. */
  readonly account: string | undefined
}

/** A trial. */
export interface Trial {
  readonly key: TrialKey
  /** Credentials of the request, which decrypt the stored result of an earlier trial. */
  readonly given: Secret<CredentialValues>
  /** Credentials to try: those of the request, or merged with the stored ones. */
  readonly credentials: Secret<CredentialValues>
  readonly connection: (credentials: CredentialSource) => Promise<Connection>
  /** False: the body asks to store the credentials without a check. */
  readonly isChecked: boolean
  readonly trial: StoringTrial
}

/** Says how a request to the HTTP interface skips the trial. */
const usualForceHint = 'Nothing was stored; with check: false the credentials are stored without a trial.'

/** Writes an account as JSON. @returns undefined for one that nothing proves: it is not remembered, so a later try can prove it */
export const writeAccount = (account: AccountIdentity | undefined): string | undefined =>
  account === undefined || account.unproven !== undefined ? undefined : JSON.stringify(account)

/**
 * Tries credentials, or those that an earlier trial of the same request renewed. Stores new tokens before it uses them.
 * @throws FerruleError the vendor's error as an error of the request
 */
export async function tryCredentials(parts: Parts, { trial, isChecked, ...tried }: Trial): Promise<TriedCredentials> {
  const { key, given } = tried
  const row = await findCreation(parts.database.db, key, parts.source.clock())
  const creation = { organizationId: key.organization_id, keyDigest: key.key_digest, given }
  const kept = row?.sealed == null ? undefined : parts.vault.openRenewed(creation, row.sealed)
  let renewed = kept
  let version = 0
  const current = () => ({ values: renewed ?? tried.credentials, version: String(version) })
  const source: CredentialSource = {
    open: async () => current(),
    renew: async (stale, exchange) => {
      if (stale !== String(version)) return current()
      const next = await exchange(current().values)
      const kept = { ...buildCreationRow(parts, key), sealed: parts.vault.sealRenewed(creation, next) }
      await tryAgain(() => saveCreation(parts.database.db, kept), { pausesMs, sleep: parts.sleep })
      renewed = next
      version += 1
      return current()
    },
  }
  try {
    const account = isChecked
      ? await check(parts, await tried.connection(source), { ...trial, organizationId: key.organization_id })
      : undefined
    return { renewed, isChecked, account }
  } catch (error) {
    throw toRefusal(error, trial.forceHint ?? usualForceHint)
  }
}

/** Runs the check of a trial within the organization's limits. */
async function check(
  { admission, engine }: VendorCalls,
  connection: Connection,
  trial: StoringTrial & ArrivingCall,
): Promise<string | undefined> {
  if (trial.check !== undefined) return trial.check(connection)
  return admission.admit(trial, async (bounds) => writeAccount(await engine.checkAccount(connection, bounds)))
}

/** Turns an error of the vendor into an error of the request. Nothing was stored, and the hint explains `check: false`. */
function toRefusal(thrown: unknown, forceHint: string): unknown {
  const error = asFerruleError(thrown)
  // What a vendor answered is no mistake of the request's form, whoever made it.
  const isOwn = error.fault === 'service' || (error.fault === 'caller' && error.upstream === undefined)
  if (isOwn || !(thrown instanceof FerruleError)) return thrown
  const isRefused = errorConsequences[error.code].credentials === 'refused'
  const next = isRefused ? 'Send credentials that the vendor takes.' : error.hint
  return new FerruleError(
    error.code,
    { message: error.message, hint: `${next} ${forceHint}` },
    {
      errors: isRefused ? [{ field: '/credentials', message: error.message, error_code: error.code }] : error.errors,
      cause: error,
      retryable: error.retryable,
      ...(isRefused || error.code === 'record_not_found' ? { status: 422 } : {}),
      retryAfterMs: error.retryAfterMs,
      upstream: error.upstream,
    },
  )
}

const printable = /^[\x20-\x7e]{1,255}$/

/** Validates an Idempotency-Key. @throws FerruleError `validation_failed` */
export function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || printable.test(key)) return key
  throw failField('Idempotency-Key', 'must have 1 to 255 printable ASCII characters', 'pattern')
}
