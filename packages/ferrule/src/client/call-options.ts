/** Options of calls of the service. */
import type { CallOptions } from '../engine/types.ts'
import { type OptionRules, walkRules } from '../options.ts'
import type { WalkOptions } from '../walk.ts'

/** Options of every call of a hosted connector; each method reads its own. */
export interface HostedCallOptions extends CallOptions, WalkOptions {
  /**
   * Key of a create, an update or a delete (`Idempotency-Key`). The service carries out one call of a key within 24 hours, and answers
   * repetitions with the first answer. Default: a new key for each call, kept over its attempts.
   */
  readonly idempotencyKey?: string
  /** True: a download that breaks off continues by range, as long as the vendor says that the file is the same. */
  readonly resume?: boolean
  /** Maximum age of the copy in seconds, for a search or an export. An older copy is refreshed first. */
  readonly maxAge?: number
  /** True: a part of the records is enough during the first filling, for a search or an export. */
  readonly allowPartial?: boolean
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Rules of the options of a call. */
export const hostedCallRules: OptionRules = {
  ...walkRules,
  idempotencyKey: ['must be a string with at least one character', (value) => typeof value === 'string' && value !== ''],
  resume: ['must be true or false', isBoolean],
  maxAge: ['must be a whole number from 0, in seconds', (value) => Number.isInteger(value) && Number(value) >= 0],
  allowPartial: ['must be true or false', isBoolean],
}
