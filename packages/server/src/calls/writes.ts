/** Runs each write under an Idempotency-Key once (IETF draft-ietf-httpapi-idempotency-key-header) (docs/decisions/writes.md). */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { FerruleError } from 'ferrule'
import { type Connection, claimLifeMs, writeJson } from 'ferrule/engine'
import { asFerruleError, errorConsequences, fail, isNeverSent } from 'ferrule/internal'
import { checkIdempotencyKey } from '../connectors/credential-trial.ts'
import { claimRequest, createWriteClaims, digestForConnector } from '../connectors/request-claims.ts'
import { deleteOldClaims } from '../connectors/sql/claims.ts'
import { deleteEndedCreations } from '../connectors/sql/connectors.ts'
import { isForeignKeyViolation } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import type { RecordRef, Vault } from '../tenancy/vault/vault.ts'
import type { ConnectorAccess, ConnectorRef, Principal } from '../values/access.ts'
import { canonicalJson, digestText, newId } from '../values/ids.ts'
import { tryAgain } from '../values/try-again.ts'
import { answerBody } from './cut-records.ts'
import type { ExecutedData, ReplayedAnswer } from './executed.ts'
import * as sql from './sql/idempotency.ts'

/**
 * Time of a lease beyond the timeout of its call, in milliseconds. Covers the renewal of credentials, storing the outcome, and a minute of
 * clock difference.
 */
const leaseMarginMs = 120_000
/** Bounds of Retry-After for a call in progress, in milliseconds. */
const [shortestWaitMs, longestWaitMs] = [1_000, 10_000]
/** Maximum reads of a key that other calls change at the same time. */
const looks = 5

type SendWrite = (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>
interface RequestedWrite {
  readonly access: ConnectorAccess
  readonly write: KeyedWrite
}

/** Builds the service. */
export const createWrites = (parts: Parts): Writes => ({
  once: (access, write, run) => parts.unfinished.add(once(parts, { access, write }, run)),
  purgeExpired: async (now) => {
    const { db } = parts.database
    await deleteEndedCreations(db, now)
    return (await sql.deleteEndedKeys(db, now)) + (await deleteOldClaims(db, now - claimLifeMs))
  },
})

async function once(parts: Parts, requested: RequestedWrite, send: SendWrite): Promise<ExecutedData | ReplayedAnswer> {
  const { access, write } = requested
  checkIdempotencyKey(write.key)
  const attempt = buildAttempt(parts, requested)
  const begun = await begin(parts, requested, attempt)
  if ('type' in begun) return begun
  const attempted = { attempt, ref: access.ref }
  let outcome: ExecutedData
  try {
    outcome = await send(noteClaims(parts, access, attempt), begun.write_id)
  } catch (thrown) {
    const error = asFerruleError(thrown)
    const kept = keptError(error)
    const text = () => writeJson(kept.toProblem(write.requestId))
    const isFree = meansNothingHappened(error)
    await settle(parts, attempted, isFree ? 'free' : { status: kept.status, code: kept.code, text: text() })
    throw isFree ? thrown : kept
  }
  await settle(parts, attempted, { status: 200, code: null, text: writeJson(answerBody(outcome)) })
  return outcome
}

/** Returns whether nothing was written. The Idempotency-Key is then released, and the same call runs again. */
const meansNothingHappened = (error: FerruleError): boolean =>
  errorConsequences[error.code].idempotencyKey === 'freed' || isNeverSent(error)

const keptHint =
  'It is not known whether the write happened. Look at the vendor before you write again: this Idempotency-Key gives the same answer, a new one writes again.'

/** Returns the error to store. The same key always gets the same answer, so the error is not retryable. */
function keptError(error: FerruleError): FerruleError {
  if (!error.retryable) return error
  const { code, message, errors, upstream, headers, cause } = error
  const details = { errors, headers, cause, retryable: false, upstream }
  return new FerruleError(code, { message, hint: keptHint }, details)
}

function buildAttempt({ source }: Pick<Parts, 'source'>, { access: { ref }, write }: RequestedWrite): sql.KeyRow {
  const now = source.clock()
  return {
    organization_id: ref.organizationId,
    connector_id: ref.connectorId,
    key_digest: digestForConnector(ref, 'key', write.key),
    fingerprint: digestForConnector(ref, 'call', write.entity, write.action, canonicalJson(write.params ?? {})),
    write_id: newId(source),
    owner: newId(source),
    started_at: now,
    lease_until: now + write.deadlineMs + leaseMarginMs,
    claimed: false,
    status: null,
    code: null,
    data_key_id: null,
    sealed: null,
    expires_at: now + claimLifeMs, // nobody knows what becomes of it
  }
}

/**
 * Makes the attempt the owner of the key. The unique key of the table decides between nodes.
 * @returns its row, or the answer of an earlier call
 */
async function begin(parts: Parts, requested: RequestedWrite, attempt: sql.KeyRow): Promise<sql.KeyRow | ReplayedAnswer> {
  const { db } = parts.database
  for (let look = 0; look < looks; look += 1) {
    if (await tryInsert(parts, attempt)) return attempt
    const seen = await sql.findKey(db, attempt)
    if (seen === undefined) continue
    const next = buildSuccessor(seen, attempt)
    if (next === undefined) {
      const replayed = await readEarlierAnswer(parts, requested, { seen, attempt })
      if (replayed !== undefined) return replayed
    } else if (await sql.takeOver(db, seen, next)) return next
  }
  throw fail('overloaded', { reason: 'several calls use this Idempotency-Key' }, { retryAfterMs: shortestWaitMs })
}

async function tryInsert({ database }: Pick<Parts, 'database'>, attempt: sql.KeyRow): Promise<boolean> {
  try {
    return await sql.insertKey(database.db, attempt)
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
function buildSuccessor(seen: sql.KeyRow, attempt: sql.KeyRow): sql.KeyRow | undefined {
  if (seen.expires_at <= attempt.started_at) return attempt
  const isAbandoned = seen.status === null && seen.lease_until <= attempt.started_at
  return isAbandoned && seen.claimed && seen.fingerprint === attempt.fingerprint
    ? { ...attempt, write_id: seen.write_id, claimed: true }
    : undefined
}

/** Reads the answer of an earlier call. @returns undefined to read the key again. */
async function readEarlierAnswer(
  parts: Parts,
  { access: { ref, connection } }: RequestedWrite,
  { seen, attempt }: { readonly seen: sql.KeyRow; readonly attempt: sql.KeyRow },
): Promise<ReplayedAnswer | undefined> {
  const now = attempt.started_at
  if (seen.fingerprint !== attempt.fingerprint) throw fail('idempotency_key_conflict', {})
  if (seen.status !== null) return readReplay(parts, ref, seen)
  if (seen.lease_until > now) throw inFlightError(seen, now)
  throw fail(
    'outcome_unknown',
    { vendor: connection.kind.definition.title, request_id: 'none', reason: 'the service was stopped while the call ran' },
    { hint: 'Look at the vendor before you write again; a new Idempotency-Key writes again.' },
  )
}

/** Asks clients to wait as long as the call has run, at most until the lease ends. */
function inFlightError({ started_at, lease_until }: sql.KeyRow, now: number) {
  const age = Math.min(longestWaitMs, Math.max(shortestWaitMs, now - started_at))
  return fail('idempotency_key_in_flight', {}, { retryAfterMs: Math.min(age, lease_until - now) })
}

/**
 * Returns a connection that records claims with the key. A repeat then knows whether the vendor recognizes the write. An attempt that lost
 * its key after a pause longer than its lease sends nothing.
 */
const noteClaims = (parts: Parts, { connection, ref }: ConnectorAccess, attempt: sql.KeyRow): Connection => ({
  ...connection,
  writes: {
    claim: (requestId, fingerprint, hold) =>
      parts.database.transaction(async (db) => {
        const now = parts.source.clock()
        if (!(await sql.setClaimed(db, attempt))) throw inFlightError(attempt, Math.min(now, attempt.lease_until))
        return claimRequest(db, { parts, ref }, { requestId, fingerprint, hold })
      }),
    settle: createWriteClaims(parts, ref).settle,
  },
})

/** Retention of an outcome that is known, in milliseconds: 24 hours. An unknown one is kept as long as claims are. */
const outcomeLifeMs = 24 * 60 * 60 * 1_000
/** Largest stored body, in bytes. */
const maxOutcomeBytes = 256 * 1024
/** Pauses before an outcome is stored again, in milliseconds. Their sum is shorter than the lease. */
const [firstPauseMs, ...pausesMs] = [100, 500, 2_000, 5_000, 10_000] as const
/** Maximum attempts to encrypt one outcome while data keys are rotated. */
const sealings = 5

/** How an attempt ended: with an answer to store, or by releasing the key. */
type Ending = { readonly status: number; readonly code: string | null; readonly text: string } | 'free'
interface ConnectorAttempt {
  readonly attempt: sql.Attempt
  readonly ref: ConnectorRef
}

/**
 * Stores how an attempt ended. After a database failure it retries in the background, because the answer is correct. An earlier repeat of
 * the call then gets `idempotency_key_in_flight`.
 */
async function settle(parts: Parts, attempted: ConnectorAttempt, ending: Ending): Promise<void> {
  try {
    await settleOnce(parts, attempted, ending)
  } catch (error) {
    parts.onBackgroundError(error)
    const again = () => tryAgain(() => settleOnce(parts, attempted, ending), { pausesMs, sleep: parts.sleep })
    void parts.unfinished.add(parts.sleep(firstPauseMs).then(again).catch(parts.onBackgroundError))
  }
}

async function settleOnce(parts: Parts, { attempt, ref }: ConnectorAttempt, ending: Ending): Promise<void> {
  const { db } = parts.database
  if (ending === 'free') return sql.releaseKey(db, attempt)
  const { status, code, text } = ending
  const lifeMs = code === 'outcome_unknown' ? claimLifeMs : outcomeLifeMs
  const settled = { status, code, expires_at: parts.source.clock() + lifeMs }
  if (Buffer.byteLength(text) > maxOutcomeBytes) return sql.settleKey(db, attempt, { ...settled, data_key_id: null, sealed: null })
  for (let sealing = 0; sealing < sealings; sealing += 1) {
    const dataKeyId = await sql.findCurrentDataKey(db, ref)
    if (dataKeyId === undefined) return // the workspace was deleted with its keys
    const sealed = await parts.vault.sealOutcome(db, { ...ref, dataKeyId, keyDigest: attempt.key_digest, status, code }, text)
    if (sealed === undefined) continue
    if (await tryStore(() => sql.settleKey(db, attempt, { ...settled, data_key_id: dataKeyId, sealed }))) return
  }
  throw fail('unavailable', { reason: 'data keys are replaced faster than an outcome is stored' })
}

/** Runs a statement. @returns false when a rotation deleted the data key in the meantime */
async function tryStore(store: () => Promise<void>): Promise<boolean> {
  try {
    await store()
    return true
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}

/** Reads the stored answer of a key. @returns undefined when a rotation replaced the data key: read the row again */
async function readReplay(parts: Parts, ref: ConnectorRef, row: sql.KeyRow): Promise<ReplayedAnswer | undefined> {
  const { status, code, data_key_id: dataKeyId, sealed, key_digest: keyDigest } = row
  if (status === null) return undefined
  if (sealed === null || dataKeyId === null) throw notKeptError(status)
  const { db } = parts.database
  const text = await parts.vault.openOutcome(db, { ...ref, dataKeyId, keyDigest, status, code }, sealed)
  if (text !== undefined) return { type: 'replayed', status, text }
  const current = await sql.findCurrentDataKey(db, ref)
  if (current === dataKeyId) throw damagedError()
  await yieldToEventLoop()
  return undefined
}

const notKeptError = (status: number) =>
  fail(
    'result_too_large',
    { limit: maxOutcomeBytes },
    {
      hint: `The call ended with status ${status}, and its answer was too large to be kept under its Idempotency-Key. Read what was written.`,
    },
  )

const damagedError = () =>
  fail(
    'internal_error',
    {},
    {
      cause: new Error('a kept outcome cannot be opened'),
      retryable: false,
      hint: 'The call under this Idempotency-Key has ended, and its answer is damaged. Look at the vendor before you write again.',
    },
  )

interface KeyedWrite {
  /** 1 to 255 printable ASCII characters, unique per connector. */
  readonly key: string
  readonly entity: string
  readonly action: string
  readonly params: unknown
  /** Timeout of the write, in milliseconds. */
  readonly deadlineMs: number
  /** Id of the request, for a stored error. */
  readonly requestId?: string | undefined
}

/** Runs writes once. Callers hold an access already, so no method takes a principal. */
export interface Writes {
  /**
   * Runs a write, or returns the answer of the earlier call with the same key. Stores the key before `run` starts, and the outcome before
   * it returns. Keeps the outcome for 24 hours, an unknown one for 7 days. Errors without an effect release the key.
   * @param run does the write with the given connection and `Call.idempotencyKey`
   * @throws FerruleError `validation_failed` (the key), `idempotency_key_conflict`, `idempotency_key_in_flight`, `outcome_unknown` (its
   * node died), and errors of `run`; a stored error is not retryable
   */
  once(
    access: ConnectorAccess,
    write: KeyedWrite,
    run: (connection: Connection, idempotencyKey: string) => Promise<ExecutedData>,
  ): Promise<ExecutedData | ReplayedAnswer>
  /** Deletes keys and vendor request ids that expired at `now` (milliseconds). @returns the number */
  purgeExpired(now: number): Promise<number>
}

/** Keeps for minutes what writes and statements answered to agents, for any node. */
export interface KeptAnswers {
  of(principal: Pick<Principal, 'organizationId'>): {
    /** Keeps a text until a time (milliseconds). The oldest texts of the organization make room. @returns false: it is too large, or the database failed */
    put(id: string, text: string, untilMs: number): Promise<boolean>
    /** Returns a kept text; undefined: never kept, or no longer. */
    get(id: string): Promise<string | undefined>
  }
  /** Deletes what expired at `now` (milliseconds). */
  purgeExpired(now: number): Promise<void>
}

/** Largest kept text, in bytes. */
const mostBytes = 4_000_000
/** Kept texts of an organization. */
const bounds = { mostAnswers: 4_000, mostBytes: 64_000_000 }

/** Only the handle, or a position under it, has the id. */
const locate = (organizationId: string, id: string): RecordRef => ({ type: 'kept answer', organizationId, id })

/** Builds the store. */
export const createKeptAnswers = ({
  database,
  source,
  vault,
  onBackgroundError,
}: Pick<Parts, 'database' | 'source' | 'onBackgroundError'> & {
  readonly vault: Pick<Vault, 'sealRecord' | 'openRecord'>
}): KeptAnswers => ({
  of: ({ organizationId }) => ({
    put: async (id, text, untilMs) => {
      if (Buffer.byteLength(text) > mostBytes) return false
      const sealed = vault.sealRecord(locate(organizationId, id), text)
      const row = { organization_id: organizationId, digest: digestText(id), sealed, expires_at: untilMs }
      try {
        await sql.insertKeptAnswer(database.db, row, bounds)
        return true
      } catch (error) {
        onBackgroundError(error) // the write has happened: an error instead of its answer would let it happen again
        return false
      }
    },
    get: async (id) => {
      const sealed = await sql.findKeptAnswer(database.db, { organization_id: organizationId, digest: digestText(id) }, source.clock())
      if (sealed === undefined) return undefined
      return vault.openRecord(locate(organizationId, id), sealed)
    },
  }),
  purgeExpired: (now) => sql.deleteEndedAnswers(database.db, now),
})
