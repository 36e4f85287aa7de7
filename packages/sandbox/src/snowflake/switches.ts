import { consentChoices, consentFactory } from '../consent.ts'
import { snowflakeCredentials } from './tokens.ts'

/** What can be changed while the stand-in runs, with the defaults. */
export const factory = {
  /** Milliseconds after which a submit is answered with 202; 0: every submit is. */
  windowMs: 45_000,
  /** Milliseconds that a second of a statement's `timeout` lasts. */
  timeoutSecondMs: 1000,
  /** What a retry does that meets its running original: `join` waits for it, `run_again` runs a second one. */
  retryWhileRunning: 'join',
  /** How many polls of each running statement answer 429 before the first 202. */
  busyPolls: 0,
  /** HTTP status of a poll of a statement that timed out: 408 or 422. */
  pollTimeoutStatus: 408,
  /** Statements that may be unfinished at a time; more are refused with 429. */
  unfinishedLimit: 500,
  /** Size of partition 0 in bytes of JSON. */
  firstPartitionBytes: 128 * 1024,
  /** Size of every other partition in bytes of JSON; `CLIENT_RESULT_CHUNK_SIZE` makes it smaller. */
  partitionBytes: 4 * 1024 * 1024,
  /** Rows of a partition at most; 0 for no bound. */
  partitionRows: 0,
  /** Size in bytes of JSON at which a result is cut and answered with the code 391908. */
  resultBytes: 512 * 1024 * 1024,
  /** Objects that a SHOW may list. */
  showLimit: 10_000,
  /** Form of the Link header: `normal`, `inside` (rel inside the brackets), `fetch` (another path, no space), `shuffled` or `none`. */
  linkForm: 'normal',
  /** Whether a result says the id of its request. */
  requestIdInBody: true,
  /** What a token without a header for its type is taken for: `inspect` looks at it, `oauth` refuses it. */
  tokenTypeAbsent: 'inspect',
  /** Every role may only read. */
  readOnly: false,
  /** Warehouse and namespace (`DATABASE` or `DATABASE.SCHEMA`) of a user whose request names none; empty for none. */
  defaultWarehouse: '',
  defaultNamespace: '',
  /** Life of new access tokens of a consent, in seconds. */
  expiresIn: 600,
  /** Whether a refresh token is good once, as integrations can ask for. */
  singleUseRefresh: true,
  /** Life of a code of the consent page in seconds. */
  codeSeconds: 60,
  ...consentFactory,
  account: snowflakeCredentials.login as string,
}

/** What can be changed while the stand-in runs. */
export type SnowflakeSwitches = Readonly<typeof factory>

/** The values that switches can have. */
export const choices: Readonly<Record<string, readonly (string | number)[]>> = {
  retryWhileRunning: ['join', 'run_again'],
  pollTimeoutStatus: [408, 422],
  linkForm: ['normal', 'inside', 'fetch', 'shuffled', 'none'],
  tokenTypeAbsent: ['inspect', 'oauth'],
  ...consentChoices,
}
