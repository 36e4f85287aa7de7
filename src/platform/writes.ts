/** Writes that happen once: calls under an Idempotency-Key (IETF draft-ietf-httpapi-idempotency-key-header). */
import { setImmediate as turn } from 'node:timers/promises'
import { claimLifeMs } from '../engine/claims.ts'
import type { Connection } from '../engine/connection.ts'
import { validationFailed } from '../engine/credentials.ts'
import { writeJson } from '../engine/json.ts'
import { asFerruleError, fail } from '../errors.ts'
import { canonicalJson } from './canonical-json.ts'
import { isForeignKeyViolation } from './db/database.ts'
import { deleteOldClaims } from './db/queries-claims.ts'
import { deleteEndedCreations } from './db/queries-creations.ts'
import { deleteEndedKeys, findKey, insertKey, type KeyRow, setClaimed, takeOver } from './db/queries-idempotency.ts'
import { answerBody, type ExecutedData, type ReplayedAnswer } from './executed.ts'
import { newId } from './ids.ts'
import type { Parts } from './parts.ts'
import { claimIn, claimsOf, digestOf } from './request-claims.ts'
import type { ConnectorAccess, KeyedWrite, Writes } from './types.ts'
import { keptError, meansNothingHappened } from './write-errors.ts'
import { outcomeLifeMs, replayOf, settle } from './write-outcomes.ts'

/** A lease outlives the deadline of its call by the renewal of credentials, the storing of the outcome and a minute between clocks. */
const leaseMarginMs = 120_000
/** Shortest and longest time after which a client is told to ask again about a call that runs. */
const [shortestWaitMs, longestWaitMs] = [1_000, 10_000]
/** Looks at a key that others change at the same time. */
const looks = 5
/** Rows that are removed in one statement. */
const batch = 100

const printable = /^[\x20-\x7e]{1,255}$/

type Run = (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>
interface Asked {
  readonly access: ConnectorAccess
  readonly write: KeyedWrite
}

/** Builds the service. */
export const createWrites = (parts: Parts): Writes => ({
  once: (access, write, run) => {
    const running = once(parts, { access, write }, run).finally(() => parts.unfinished.delete(running))
    parts.unfinished.add(running)
    return running
  },
  purgeExpired: (now) => purgeExpired(parts, now),
})

async function once(parts: Parts, asked: Asked, run: Run): Promise<ExecutedData | ReplayedAnswer> {
  const { access, write } = asked
  if (!printable.test(write.key))
    throw validationFailed([{ field: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters', error_code: 'pattern' }])
  const attempt = attemptOf(parts, asked)
  const begun = await begin(parts, asked, attempt)
  if ('type' in begun) return begun
  const placed = { attempt, place: access.place }
  let outcome: ExecutedData
  try {
    outcome = await run(noting(parts, access, attempt), begun.write_id)
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

function attemptOf({ source }: Parts, { access: { place }, write }: Asked): KeyRow {
  const now = source.clock()
  return {
    organization_id: place.organizationId,
    connector_id: place.connectorId,
    key_digest: digestOf(place, 'key', write.key),
    fingerprint: digestOf(place, 'call', write.entity, write.action, canonicalJson(write.params ?? {})),
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

/** Makes the attempt the owner of the key. The table's unique key decides between nodes. @returns its key, or what an earlier call answered */
async function begin(parts: Parts, asked: Asked, attempt: KeyRow): Promise<KeyRow | ReplayedAnswer> {
  const { db } = parts.database
  for (let look = 0; look < looks; look += 1) {
    if (await inserted(parts, attempt)) return attempt
    const seen = await findKey(db, attempt)
    if (seen === undefined) continue
    const next = successor(seen, attempt)
    if (next === undefined) {
      const replayed = await earlier(parts, asked, { seen, attempt })
      if (replayed !== undefined) return replayed
    } else if (await takeOver(db, seen, next)) return next
  }
  throw fail('overloaded', { reason: 'several calls use this Idempotency-Key' }, { retryAfterMs: shortestWaitMs })
}

async function inserted({ database }: Parts, attempt: KeyRow): Promise<boolean> {
  try {
    return await insertKey(database.db, attempt)
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('connector_not_found', {})
    throw error
  }
}

/**
 * What a new attempt makes of a key: one whose time is over begins anew. So does one whose node died after it had claimed a vendor
 * request id, as the same write: the vendor does not carry it out twice.
 * @returns undefined when the attempt may not run
 */
function successor(seen: KeyRow, attempt: KeyRow): KeyRow | undefined {
  if (seen.expires_at <= attempt.started_at) return attempt
  const isAbandoned = seen.status === null && seen.lease_until <= attempt.started_at
  return isAbandoned && seen.claimed && seen.fingerprint === attempt.fingerprint
    ? { ...attempt, write_id: seen.write_id, claimed: true }
    : undefined
}

/** @returns what an earlier call answered; undefined: look again. @throws FerruleError what stands in the way */
async function earlier(
  parts: Parts,
  { access: { place, connection } }: Asked,
  { seen, attempt }: { readonly seen: KeyRow; readonly attempt: KeyRow },
): Promise<ReplayedAnswer | undefined> {
  const now = attempt.started_at
  if (seen.fingerprint !== attempt.fingerprint) throw fail('idempotency_key_conflict', {})
  if (seen.status !== null) return replayOf(parts, place, seen)
  if (seen.lease_until > now) throw inFlight(seen, now)
  throw fail(
    'outcome_unknown',
    { vendor: connection.kind.definition.title, request_id: 'none', reason: 'the service was stopped while the call ran' },
    { hint: 'Look at the vendor before you write again; a new Idempotency-Key writes again.' },
  )
}

/** Clients ask again less and less often, and not after the lease. */
function inFlight({ started_at, lease_until }: KeyRow, now: number) {
  const age = Math.min(longestWaitMs, Math.max(shortestWaitMs, now - started_at))
  return fail('idempotency_key_in_flight', {}, { retryAfterMs: Math.min(age, lease_until - now) })
}

/**
 * The connection, for one attempt: a claim is noted with the key, so that a repeat knows whether the vendor can tell the write from
 * a second one. An attempt that lost its key, because its process stood still for longer than its lease, sends nothing.
 */
const noting = (parts: Parts, { connection, place }: ConnectorAccess, attempt: KeyRow): Connection => ({
  ...connection,
  writes: {
    claim: (requestId, fingerprint, hold) =>
      parts.database.transaction(async (db) => {
        const now = parts.source.clock()
        if (!(await setClaimed(db, attempt))) throw inFlight(attempt, Math.min(now, attempt.lease_until))
        return claimIn(db, { parts, place }, { requestId, fingerprint, hold })
      }),
    settle: claimsOf(parts, place).settle,
  },
})

async function purgeExpired({ database: { db } }: Parts, now: number): Promise<number> {
  await deleteEndedCreations(db, now)
  const ended = await inBatches(() => deleteEndedKeys(db, now, batch))
  return ended + (await inBatches(() => deleteOldClaims(db, now - claimLifeMs, batch)))
}

/** Removes until there is nothing left. The embedded database works on the event loop, so others get their turn in between. */
async function inBatches(remove: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let last = batch; last === batch; removed += last) {
    last = await remove()
    await turn()
  }
  return removed
}
