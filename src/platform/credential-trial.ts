/** Trying credentials at the vendor before they are stored. */
import { createHash } from 'node:crypto'
import type { Connection, CredentialSource, CredentialValues } from '../engine/connection.ts'
import type { Secret } from '../engine/secret.ts'
import { asFerruleError, FerruleError, fail } from '../errors.ts'
import { type CreationId, findCreation, keepCreation } from './db/queries-creations.ts'
import type { Parts } from './parts.ts'

/** How long what a trial renewed is kept for a repeat, in milliseconds: 24 hours. */
const keptMs = 24 * 60 * 60 * 1_000
/** Delays before new attempts to keep a token that the vendor will not give twice. */
const keepDelaysMs = [0, 100, 500, 2_000, 5_000]

/** What a trial is kept under. */
export interface TrialPlace extends CreationId {
  /** Digest of the request, so that another one under the same key is told. */
  readonly fingerprint: string
}

/** A digest that says nothing of what went into it. */
export const digestOfParts = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** A row of a creation, to be kept from now on. */
export const creationRow = ({ source }: Pick<Parts, 'source'>, { organization_id, key_digest, fingerprint }: TrialPlace) => ({
  ...{ organization_id, key_digest, fingerprint },
  ...{ sealed: null, connector_id: null, expires_at: source.clock() + keptMs },
})

/** What is tried. */
export interface Trial {
  readonly place: TrialPlace
  /** What the request brought. It opens what is kept. */
  readonly given: Secret<CredentialValues>
  /** What the connector would have: the same, or merged with what is stored. */
  readonly credentials: Secret<CredentialValues>
  readonly connection: (credentials: CredentialSource) => Connection
  /** Left out: nothing is tried. */
  readonly check: ((connection: Connection) => Promise<void>) | undefined
}

/**
 * Tries credentials, or those that an earlier trial of the same request has renewed. New tokens are kept before they are used.
 * @returns the credentials to store: undefined for those that were given
 * @throws FerruleError what the vendor answers, as a refusal of the request
 */
export async function tryCredentials(parts: Parts, trial: Trial): Promise<Secret<CredentialValues> | undefined> {
  const { place, given, check } = trial
  const row = await findCreation(parts.database.db, place, parts.source.clock())
  const sealPlace = { organizationId: place.organization_id, keyDigest: place.key_digest, given }
  const kept = row?.sealed == null ? undefined : parts.vault.openRenewed(sealPlace, row.sealed)
  let renewed = kept
  let version = 0
  const current = () => ({ values: renewed ?? trial.credentials, version: String(version) })
  const source: CredentialSource = {
    open: async () => current(),
    renew: async (stale, exchange) => {
      if (stale !== String(version)) return current()
      const next = await exchange(current().values)
      await keep(parts, { ...creationRow(parts, place), sealed: parts.vault.sealRenewed(sealPlace, next) })
      renewed = next
      version += 1
      return current()
    },
  }
  try {
    await check?.(trial.connection(source))
  } catch (error) {
    throw refusedTrial(error)
  }
  return renewed
}

async function keep(parts: Parts, row: Parameters<typeof keepCreation>[1]): Promise<void> {
  let failure: unknown
  for (const delay of keepDelaysMs) {
    if (delay > 0) await parts.sleep(delay)
    try {
      return await keepCreation(parts.database.db, row)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** What the vendor answers to a trial is about the request: nothing was stored, and it says how to store without a trial. */
function refusedTrial(thrown: unknown): unknown {
  const error = asFerruleError(thrown)
  if (error.fault === 'service' || error.fault === 'caller' || !(thrown instanceof FerruleError)) return thrown
  const isRefused = error.code === 'upstream_auth_failed'
  const next = isRefused ? 'Send credentials that the vendor takes.' : error.hint
  return new FerruleError(
    error.code,
    { message: error.message, hint: `${next} Nothing was stored; with check: false the credentials are stored without a trial.` },
    {
      errors: isRefused ? [{ field: '/credentials', message: error.message, error_code: error.code }] : error.errors,
      cause: error,
      retryable: error.retryable,
      ...(isRefused ? { status: 422 } : {}),
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
      ...(error.upstream === undefined ? {} : { upstream: error.upstream }),
    },
  )
}

const printable = /^[\x20-\x7e]{1,255}$/

/** @throws FerruleError `validation_failed` */
export function checkedKey(key: string | undefined): string | undefined {
  if (key === undefined || printable.test(key)) return key
  const problems = [{ field: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters', error_code: 'pattern' }]
  throw fail('validation_failed', { reason: 'Idempotency-Key must have 1 to 255 printable ASCII characters' }, { errors: problems })
}
