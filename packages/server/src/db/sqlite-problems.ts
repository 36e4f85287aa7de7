/** Translates errors of SQLite that the disk causes. */

import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'

/** Primary result codes of SQLite (the low byte of extended ones). */
const codes = { ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const
const retryAfterMs = 5_000

const readCode = (thrown: unknown): number => {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'errcode') : undefined
  return typeof code === 'number' ? code & 0xff : 0
}

/** Returns whether an error means that the disk is full or fails. */
export const isUnwritable = (thrown: unknown): boolean =>
  [codes.full, codes.ioError, codes.cannotOpen].some((code) => code === readCode(thrown))

const isDamage = (thrown: unknown): boolean => readCode(thrown) === codes.corrupt || readCode(thrown) === codes.notADatabase

const wayOut =
  'Stop the service and put back a backup of ferrule.db, without the files -wal and -shm beside it. Without a backup move it away: the service starts empty, and its connectors must be created again.'

const damaged = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: 'the database ferrule.db in FERRULE_DATA is damaged' }, { cause, hint: wayOut, retryable: false })

const unwritable = (cause: unknown): FerruleError => {
  const reason = readCode(cause) === codes.full ? 'the disk of the database is full' : 'the disk of the database cannot be written or read'
  return fail(
    'unavailable',
    { reason },
    { cause, retryAfterMs, hint: 'Make room on the disk of FERRULE_DATA, and try again; see /health/ready.' },
  )
}

/** Translates errors of the disk; returns other errors unchanged. */
export function translated(thrown: unknown): unknown {
  if (isUnwritable(thrown)) return unwritable(thrown)
  return isDamage(thrown) ? damaged(thrown) : thrown
}
