/** Tries credentials at the vendor before they are stored. */
import { FerruleError } from 'ferrule'
import type { AccountIdentity, Connection, CredentialSource, CredentialValues, Secret } from 'ferrule/engine'
import { asFerruleError, errorConsequences, failValidation } from 'ferrule/internal'
import type { ArrivingCall } from '../calls/admission.ts'
import type { Parts, VendorCalls } from '../main/parts.ts'
import { tryAgain } from '../values/try-again.ts'
import type { StoringTrial } from './consent-origin.ts'
import { type CreationId, findCreation, saveCreation } from './sql/connectors.ts'

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
  throw failValidation([{ field: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters', error_code: 'pattern' }])
}
