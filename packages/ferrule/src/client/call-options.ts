/** Options of calls of the service, checked when a program runs. */
import type { DownloadOptions } from '../engine/types.ts'
import { callRules, downloadRules, type OptionRules } from '../values/options.ts'
import type { WalkOptions } from '../values/walks/walk.ts'
import type { SearchOptions, WriteOptions } from './types.ts'

/** Options of every call of a hosted connector; each method reads its own. */
export interface HostedCallOptions extends DownloadOptions, WalkOptions, SearchOptions, WriteOptions {}

/** Rules of the options of a call. */
export const hostedCallRules: OptionRules = {
  ...callRules,
  ...downloadRules,
  idempotencyKey: ['must be a string with at least one character', (value) => typeof value === 'string' && value !== ''],
  maxAge: ['must be a whole number from 0, in seconds', (value) => Number.isInteger(value) && Number(value) >= 0],
  allowPartial: ['must be true or false', (value) => typeof value === 'boolean'],
}
