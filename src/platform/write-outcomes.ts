/** Outcomes of writes under a key: stored sealed, and given back as they were. */
import { setImmediate as turn } from 'node:timers/promises'
import { fail } from '../errors.ts'
import { isForeignKeyViolation } from './db/database.ts'
import { type Attempt, currentDataKey, freeKey, type KeyRow, settleKey } from './db/queries-idempotency.ts'
import type { ReplayedAnswer } from './executed.ts'
import type { Parts } from './parts.ts'
import type { ConnectorPlace } from './types.ts'

/** How long an outcome is kept, in milliseconds: 24 hours. */
export const outcomeLifeMs = 24 * 60 * 60 * 1_000
/** Largest body that is kept, in bytes. */
const maxOutcomeBytes = 256 * 1024
/** Delays before new attempts to store an outcome; they end before the lease does. */
const storeDelaysMs = [100, 500, 2_000, 5_000, 10_000]
/** Data keys that may be replaced while one outcome is sealed. */
const sealings = 5

/** How an attempt ended: with an answer that is kept, or in a way that frees the key. */
export type Ending = { readonly status: number; readonly code: string | null; readonly text: string } | 'free'
/** An attempt with the place of its connector. */
export interface PlacedAttempt {
  readonly attempt: Attempt
  readonly place: ConnectorPlace
}

/**
 * Stores how an attempt ended. What the database does not take at once is tried again behind the answer: the answer is true, and a
 * repeat that comes earlier finds the key in flight.
 */
export async function settle(parts: Parts, placed: PlacedAttempt, ending: Ending): Promise<void> {
  try {
    await settleOnce(parts, placed, ending)
  } catch (error) {
    parts.onBackgroundError(error)
    const storing = settleLater(parts, placed, ending).finally(() => parts.unfinished.delete(storing))
    parts.unfinished.add(storing)
  }
}

async function settleLater(parts: Parts, placed: PlacedAttempt, ending: Ending): Promise<void> {
  let failure: unknown
  for (const delay of storeDelaysMs) {
    await parts.sleep(delay)
    try {
      return await settleOnce(parts, placed, ending)
    } catch (error) {
      failure = error
    }
  }
  parts.onBackgroundError(failure)
}

async function settleOnce(parts: Parts, { attempt, place }: PlacedAttempt, ending: Ending): Promise<void> {
  const { db } = parts.database
  if (ending === 'free') return freeKey(db, attempt)
  const { status, code, text } = ending
  const settled = { status, code, expires_at: parts.source.clock() + outcomeLifeMs }
  if (Buffer.byteLength(text) > maxOutcomeBytes) return settleKey(db, attempt, { ...settled, data_key_id: null, sealed: null })
  for (let sealing = 0; sealing < sealings; sealing += 1) {
    const dataKeyId = await currentDataKey(db, place)
    if (dataKeyId === undefined) return // the workspace was destroyed, and its keys with it
    const sealed = await parts.vault.sealOutcome(db, { ...place, dataKeyId, keyDigest: attempt.key_digest, status, code }, text)
    if (sealed === undefined) continue
    if (await stored(() => settleKey(db, attempt, { ...settled, data_key_id: dataKeyId, sealed }))) return
  }
  throw fail('unavailable', { reason: 'data keys are replaced faster than an outcome is stored' })
}

/** @returns false when a rotation destroyed the data key meanwhile */
async function stored(store: () => Promise<void>): Promise<boolean> {
  try {
    await store()
    return true
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}

/**
 * The kept answer of a key that has one.
 * @returns undefined when it is to be read again, because a rotation sealed it anew
 * @throws FerruleError `result_too_large` when it was too large to be kept, `internal_error` when it is damaged
 */
export async function replayOf(parts: Parts, place: ConnectorPlace, row: KeyRow): Promise<ReplayedAnswer | undefined> {
  const { status, code, data_key_id: dataKeyId, sealed, key_digest: keyDigest } = row
  if (status === null) return undefined
  if (sealed === null || dataKeyId === null) throw notKept(status)
  const { db } = parts.database
  const text = await parts.vault.openOutcome(db, { ...place, dataKeyId, keyDigest, status, code }, sealed)
  if (text !== undefined) return { type: 'replayed', status, text }
  const current = await currentDataKey(db, place)
  if (current === dataKeyId) throw damaged()
  await turn()
  return undefined
}

const notKept = (status: number) =>
  fail(
    'result_too_large',
    { limit: maxOutcomeBytes },
    {
      hint: `The call ended with status ${status}, and its answer was too large to be kept under its Idempotency-Key. Read what was written.`,
    },
  )

const damaged = () =>
  fail(
    'internal_error',
    {},
    {
      cause: new Error('a kept outcome cannot be opened'),
      retryable: false,
      hint: 'The call under this Idempotency-Key has ended, and its answer is damaged. Look at the vendor before you write again.',
    },
  )
