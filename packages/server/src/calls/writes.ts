/** Runs each write under an Idempotency-Key once (IETF draft-ietf-httpapi-idempotency-key-header) (docs/decisions/writes.md). */
import { setImmediate as turn } from 'node:timers/promises'
import { FerruleError } from 'ferrule'
import { type Connection, claimLifeMs, writeJson } from 'ferrule/engine'
import { asFerruleError, errorConsequences, fail, isNeverSent } from 'ferrule/internal'
import { checkIdempotencyKey } from '../connectors/credential-trial.ts'
import { claimRequest, createWriteClaims, digestPlaced } from '../connectors/request-claims.ts'
import { deleteOldClaims } from '../connectors/sql/claims.ts'
import { deleteEndedCreations } from '../connectors/sql/creations.ts'
import { isForeignKeyViolation } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import type { ConnectorAccess } from '../values/access.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { newId } from '../values/ids.ts'
import { answerBody, type ExecutedData, type ReplayedAnswer } from './executed.ts'
import { deleteEndedKeys, findKey, insertKey, type KeyRow, setClaimed, takeOver } from './sql/idempotency.ts'
import { outcomeLifeMs, readReplay, settle } from './write-outcomes.ts'
import type { KeyedWrite, Writes } from './write-types.ts'

/**
 * Time of a lease beyond the timeout of its call, in milliseconds. Covers the renewal of credentials, storing the outcome, and a minute of
 * clock difference.
 */
const leaseMarginMs = 120_000
/** Bounds of Retry-After for a call in progress, in milliseconds. */
const [shortestWaitMs, longestWaitMs] = [1_000, 10_000]
/** Maximum reads of a key that other calls change at the same time. */
const looks = 5
/** Rows per delete statement. */
const batch = 100

type Run = (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>
interface Asked {
  readonly access: ConnectorAccess
  readonly write: KeyedWrite
}

/** Builds the service. */
export const createWrites = (parts: Parts): Writes => ({
  once: (access, write, run) => parts.unfinished.add(once(parts, { access, write }, run)),
  purgeExpired: (now) => purgeExpired(parts, now),
})

async function once(parts: Parts, asked: Asked, run: Run): Promise<ExecutedData | ReplayedAnswer> {
  const { access, write } = asked
  checkIdempotencyKey(write.key)
  const attempt = buildAttempt(parts, asked)
  const begun = await begin(parts, asked, attempt)
  if ('type' in begun) return begun
  const placed = { attempt, place: access.place }
  let outcome: ExecutedData
  try {
    outcome = await run(noteClaims(parts, access, attempt), begun.write_id)
  } catch (thrown) {
    const error = asFerruleError(thrown)
    const kept = keptError(error)
    const text = () => writeJson(kept.toProblem(write.requestId))
    const isFree = meansNothingHappened(error)
    await settle(parts, placed, isFree ? 'free' : { status: kept.status, code: kept.code, text: text() })
    throw isFree ? thrown : kept
  }
  await settle(parts, placed, { status: 200, code: null, text: writeJson(answerBody(outcome)) })
  return outcome
}

/** Returns whether nothing was written. The Idempotency-Key is then released, and the same call runs again. */
const meansNothingHappened = (error: FerruleError): boolean =>
  errorConsequences[error.code].idempotencyKey === 'freed' || isNeverSent(error)

const keptHint =
  'It is not known whether the write happened. Look at the vendor before you write again: this Idempotency-Key gives this answer for 24 hours, a new one writes again.'

/** Returns the error to store. The same key always gets the same answer, so the error is not retryable. */
function keptError(error: FerruleError): FerruleError {
  if (!error.retryable) return error
  const { code, message, errors, upstream, headers, cause } = error
  const details = { errors, headers, cause, retryable: false, upstream }
  return new FerruleError(code, { message, hint: keptHint }, details)
}

function buildAttempt({ source }: Pick<Parts, 'source'>, { access: { place }, write }: Asked): KeyRow {
  const now = source.clock()
  return {
    organization_id: place.organizationId,
    connector_id: place.connectorId,
    key_digest: digestPlaced(place, 'key', write.key),
    fingerprint: digestPlaced(place, 'call', write.entity, write.action, canonicalJson(write.params ?? {})),
    write_id: newId(source),
    owner: newId(source),
    started_at: now,
    lease_until: now + write.deadlineMs + leaseMarginMs,
    claimed: false,
    status: null,
    code: null,
    data_key_id: null,
    sealed: null,
    expires_at: now + outcomeLifeMs,
  }
}

/**
 * Makes the attempt the owner of the key. The unique key of the table decides between nodes.
 * @returns its row, or the answer of an earlier call
 */
async function begin(parts: Parts, asked: Asked, attempt: KeyRow): Promise<KeyRow | ReplayedAnswer> {
  const { db } = parts.database
  for (let look = 0; look < looks; look += 1) {
    if (await tryInsert(parts, attempt)) return attempt
    const seen = await findKey(db, attempt)
    if (seen === undefined) continue
    const next = buildSuccessor(seen, attempt)
    if (next === undefined) {
      const replayed = await readEarlierAnswer(parts, asked, { seen, attempt })
      if (replayed !== undefined) return replayed
    } else if (await takeOver(db, seen, next)) return next
  }
  throw fail('overloaded', { reason: 'several calls use this Idempotency-Key' }, { retryAfterMs: shortestWaitMs })
}

async function tryInsert({ database }: Pick<Parts, 'database'>, attempt: KeyRow): Promise<boolean> {
  try {
    return await insertKey(database.db, attempt)
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('connector_not_found', {})
    throw error
  }
}

/**
 * Builds the row of a new attempt. An expired key starts over. A key whose node died after claiming a vendor request id continues as the
 * same write, because the vendor executes that id once.
 * @returns undefined when the attempt may not run
 */
function buildSuccessor(seen: KeyRow, attempt: KeyRow): KeyRow | undefined {
  if (seen.expires_at <= attempt.started_at) return attempt
  const isAbandoned = seen.status === null && seen.lease_until <= attempt.started_at
  return isAbandoned && seen.claimed && seen.fingerprint === attempt.fingerprint
    ? { ...attempt, write_id: seen.write_id, claimed: true }
    : undefined
}

/**
 * Reads the answer of an earlier call.
 * @returns undefined to read the key again.
 * @throws FerruleError the reason why the attempt may not run
 */
async function readEarlierAnswer(
  parts: Parts,
  { access: { place, connection } }: Asked,
  { seen, attempt }: { readonly seen: KeyRow; readonly attempt: KeyRow },
): Promise<ReplayedAnswer | undefined> {
  const now = attempt.started_at
  if (seen.fingerprint !== attempt.fingerprint) throw fail('idempotency_key_conflict', {})
  if (seen.status !== null) return readReplay(parts, place, seen)
  if (seen.lease_until > now) throw inFlightError(seen, now)
  throw fail(
    'outcome_unknown',
    { vendor: connection.kind.definition.title, request_id: 'none', reason: 'the service was stopped while the call ran' },
    { hint: 'Look at the vendor before you write again; a new Idempotency-Key writes again.' },
  )
}

/** Asks clients to wait as long as the call has run, at most until the lease ends. */
function inFlightError({ started_at, lease_until }: KeyRow, now: number) {
  const age = Math.min(longestWaitMs, Math.max(shortestWaitMs, now - started_at))
  return fail('idempotency_key_in_flight', {}, { retryAfterMs: Math.min(age, lease_until - now) })
}

/**
 * Returns a connection that records claims with the key. A repeat then knows whether the vendor recognizes the write. An attempt that lost
 * its key after a pause longer than its lease sends nothing.
 */
const noteClaims = (parts: Parts, { connection, place }: ConnectorAccess, attempt: KeyRow): Connection => ({
  ...connection,
  writes: {
    claim: (requestId, fingerprint, hold) =>
      parts.database.transaction(async (db) => {
        const now = parts.source.clock()
        if (!(await setClaimed(db, attempt))) throw inFlightError(attempt, Math.min(now, attempt.lease_until))
        return claimRequest(db, { parts, place }, { requestId, fingerprint, hold })
      }),
    settle: createWriteClaims(parts, place).settle,
  },
})

async function purgeExpired({ database: { db } }: Pick<Parts, 'database'>, now: number): Promise<number> {
  await deleteEndedCreations(db, now)
  const ended = await inBatches(() => deleteEndedKeys(db, now, batch))
  return ended + (await inBatches(() => deleteOldClaims(db, now - claimLifeMs, batch)))
}

/** Deletes in batches until nothing is left. Yields between batches, because the embedded database blocks the event loop. */
async function inBatches(remove: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let last = batch; last === batch; removed += last) {
    last = await remove()
    await turn()
  }
  return removed
}
