/** Stores encrypted outcomes of writes under an Idempotency-Key, and replays them. */

import { setImmediate as turn } from 'node:timers/promises'
import { fail } from 'ferrule/internal'
import { isForeignKeyViolation } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import type { ConnectorPlace } from '../values/access.ts'
import { tryAgain } from '../values/try-again.ts'
import type { ReplayedAnswer } from './executed.ts'
import { type Attempt, findCurrentDataKey, type KeyRow, releaseKey, settleKey } from './sql/idempotency.ts'

/** Retention of an outcome, in milliseconds: 24 hours. */
export const outcomeLifeMs = 24 * 60 * 60 * 1_000
/** Largest stored body, in bytes. */
const maxOutcomeBytes = 256 * 1024
/** Pauses before an outcome is stored again, in milliseconds. Their sum is shorter than the lease. */
const [firstPauseMs, ...pausesMs] = [100, 500, 2_000, 5_000, 10_000] as const
/** Maximum attempts to encrypt one outcome while data keys are rotated. */
const sealings = 5

/** How an attempt ended: with an answer to store, or by releasing the key. */
export type Ending = { readonly status: number; readonly code: string | null; readonly text: string } | 'free'
/** An attempt and its connector. */
export interface PlacedAttempt {
  readonly attempt: Attempt
  readonly place: ConnectorPlace
}

/**
 * Stores how an attempt ended. After a database failure it retries in the background, because the answer is correct. An earlier repeat of
 * the call then gets `idempotency_key_in_flight`.
 */
export async function settle(parts: Parts, placed: PlacedAttempt, ending: Ending): Promise<void> {
  try {
    await settleOnce(parts, placed, ending)
  } catch (error) {
    parts.onBackgroundError(error)
    const again = () => tryAgain(() => settleOnce(parts, placed, ending), { pausesMs, sleep: parts.sleep })
    void parts.unfinished.add(parts.sleep(firstPauseMs).then(again).catch(parts.onBackgroundError))
  }
}

async function settleOnce(parts: Parts, { attempt, place }: PlacedAttempt, ending: Ending): Promise<void> {
  const { db } = parts.database
  if (ending === 'free') return releaseKey(db, attempt)
  const { status, code, text } = ending
  const settled = { status, code, expires_at: parts.source.clock() + outcomeLifeMs }
  if (Buffer.byteLength(text) > maxOutcomeBytes) return settleKey(db, attempt, { ...settled, data_key_id: null, sealed: null })
  for (let sealing = 0; sealing < sealings; sealing += 1) {
    const dataKeyId = await findCurrentDataKey(db, place)
    if (dataKeyId === undefined) return // the workspace was deleted with its keys
    const sealed = await parts.vault.sealOutcome(db, { ...place, dataKeyId, keyDigest: attempt.key_digest, status, code }, text)
    if (sealed === undefined) continue
    if (await tryStore(() => settleKey(db, attempt, { ...settled, data_key_id: dataKeyId, sealed }))) return
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

/**
 * Reads the stored answer of a key.
 * @returns undefined when a rotation replaced the data key: read the row again
 * @throws FerruleError `result_too_large` when the answer was too large to store, `internal_error` when it is damaged
 */
export async function readReplay(parts: Parts, place: ConnectorPlace, row: KeyRow): Promise<ReplayedAnswer | undefined> {
  const { status, code, data_key_id: dataKeyId, sealed, key_digest: keyDigest } = row
  if (status === null) return undefined
  if (sealed === null || dataKeyId === null) throw notKeptError(status)
  const { db } = parts.database
  const text = await parts.vault.openOutcome(db, { ...place, dataKeyId, keyDigest, status, code }, sealed)
  if (text !== undefined) return { type: 'replayed', status, text }
  const current = await findCurrentDataKey(db, place)
  if (current === dataKeyId) throw damagedError()
  await turn()
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
