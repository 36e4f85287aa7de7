import type { SwitchControl } from '../switches.ts'
import { createSwitchControl } from '../switches.ts'

/** What can be changed while the stand-in runs. */
export interface SnowflakeSwitches {
  /** Milliseconds after which a submit is answered with 202; 0: every submit is. */
  readonly windowMs: number
  /** Milliseconds that a second of a statement's `timeout` lasts. */
  readonly timeoutSecondMs: number
  /** What a retry does that meets its running original: `join` waits for it, `run_again` runs a second one. */
  readonly retryWhileRunning: string
  /** How many polls of each running statement answer 429 before the first 202. */
  readonly busyPolls: number
  /** HTTP status of a poll of a statement that timed out: 408 or 422. */
  readonly pollTimeoutStatus: number
  /** Statements that may be unfinished at a time; more are refused with 429. */
  readonly unfinishedLimit: number
  /** Size of partition 0 in bytes of JSON. */
  readonly firstPartitionBytes: number
  /** Size of every other partition in bytes of JSON; `CLIENT_RESULT_CHUNK_SIZE` makes it smaller. */
  readonly partitionBytes: number
  /** Rows of a partition at most; 0 for no bound. */
  readonly partitionRows: number
  /** Size in bytes of JSON at which a result is cut and answered with the code 391908. */
  readonly resultBytes: number
  /** Objects that a SHOW may list. */
  readonly showLimit: number
  /** Form of the Link header: `normal`, `inside` (rel inside the brackets), `fetch` (another path, no space), `shuffled` or `none`. */
  readonly linkForm: string
  /** Whether a result tells the id of its request. */
  readonly requestIdInBody: boolean
  /** What a token without a header for its type is taken for: `inspect` looks at it, `oauth` refuses it. */
  readonly tokenTypeAbsent: string
  /** Every role may only read. */
  readonly readOnly: boolean
  /** Warehouse and namespace (`DATABASE` or `DATABASE.SCHEMA`) of a user whose request names none; empty for none. */
  readonly defaultWarehouse: string
  readonly defaultNamespace: string
}

const factory: SnowflakeSwitches = {
  windowMs: 45_000,
  timeoutSecondMs: 1000,
  retryWhileRunning: 'join',
  busyPolls: 0,
  pollTimeoutStatus: 408,
  unfinishedLimit: 500,
  firstPartitionBytes: 128 * 1024,
  partitionBytes: 4 * 1024 * 1024,
  partitionRows: 0,
  resultBytes: 512 * 1024 * 1024,
  showLimit: 10_000,
  linkForm: 'normal',
  requestIdInBody: true,
  tokenTypeAbsent: 'inspect',
  readOnly: false,
  defaultWarehouse: '',
  defaultNamespace: '',
}

const choices: Readonly<Record<string, readonly (string | number)[]>> = {
  retryWhileRunning: ['join', 'run_again'],
  pollTimeoutStatus: [408, 422],
  linkForm: ['normal', 'inside', 'fetch', 'shuffled', 'none'],
  tokenTypeAbsent: ['inspect', 'oauth'],
}

function check(name: string, value: unknown): string | undefined {
  const allowed = choices[name]
  if (allowed && !allowed.some((choice) => choice === value)) return `${name} must be one of ${allowed.join(', ')}`
  if (typeof value === 'number' && !(Number.isInteger(value) && value >= 0)) return `${name} must be an integer from 0 on`
  return undefined
}

/** The switches of one stand-in. */
export function createSnowflakeSwitches(): SwitchControl<SnowflakeSwitches> {
  return createSwitchControl({ factory, check })
}
