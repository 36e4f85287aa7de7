/** Classifies errors of PostgreSQL: faults of the server or of a session, conflicts and timeouts. All others are faults of a statement. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Error classes and codes of PostgreSQL (appendix A) and of Node's sockets that concern the server or the session: lost connections, refused
 * users, missing resources, shutdown, input and output.
 */
const serverCodes = /^(08|28|3D000|53|57P|58030|EAI_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)/
const serverTexts =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|Cannot use a pool after calling end|Query read timeout/
/** Citus reports by these texts that it is moving shards, which has no code of its own. It creates no table beside them then. */
const movingTexts = /could not acquire the lock required to/
/** Citus names the machine that it cannot reach, or in `where` the machine that an error came from. */
const machineTexts = /connection to the remote node|any connections to the node/
const fromMachine = /while executing command on /
/** `query_canceled`: statement_timeout, or a cancellation by this service. */
const cancelled = '57014'
/** `read_only_sql_transaction`: the server is a standby, or takes no writes for now. */
const readOnly = '25006'
/** `serialization_failure` and `deadlock_detected`. */
const conflicts: readonly string[] = ['40001', '40P01']
/** `invalid_authorization_specification` and `invalid_password`. */
const refusedUser = /^28/

/** Reads the code of an error of PostgreSQL or of Node; empty without one. */
export const readErrorCode = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null ? String(Reflect.get(thrown, 'code') ?? '') : ''

/** A fault of the server or of a session, not of a statement. The connection is not used again, and a retry can succeed. */
export class ServerFault extends Error {
  /** Code of PostgreSQL or of Node; empty without one. */
  readonly code: string

  /** @param cause error of the driver, whose message never holds a password */
  constructor(cause: unknown) {
    super(cause instanceof Error && cause.message !== '' ? cause.message : readErrorCode(cause) || 'it does not answer', { cause })
    this.code = readErrorCode(cause)
  }

  /** Returns whether the server takes no writes: a standby, or a database that is set to read-only. */
  get isReadOnly(): boolean {
    return this.code === readOnly
  }

  /** Returns whether the server refuses the user or the password. */
  get isRefusedUser(): boolean {
    return refusedUser.test(this.code)
  }
}

/** Creates the fault of a server that takes no writes. */
export const createReadOnlyFault = (): ServerFault =>
  new ServerFault(Object.assign(new Error('the server takes no writes: it is a standby, or set to read-only'), { code: readOnly }))

const hasServerCode = (thrown: unknown): boolean => serverCodes.test(readErrorCode(thrown)) || readErrorCode(thrown) === readOnly

/** Returns whether an error concerns the server or the session. @param mayWrite false for a session that this service has made read-only */
export const isServerFault = (thrown: unknown, mayWrite = true): boolean =>
  thrown instanceof ServerFault ||
  (hasServerCode(thrown) && (mayWrite || readErrorCode(thrown) !== readOnly) && !isMachineFault(thrown)) ||
  (thrown instanceof Error && serverTexts.test(thrown.message))

/** Returns whether Citus passed on a fault of another machine. Its code is that of a lost session, and the session is sound. */
const isMachineFault = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  hasServerCode(thrown) &&
  (machineTexts.test(thrown.message) || fromMachine.test(String(Reflect.get(thrown, 'where'))))

/** Returns whether Citus refused a change of the schema because it is moving shards; also for an error with that cause. */
export const isMovingShards = (thrown: unknown): boolean =>
  thrown instanceof Error && (movingTexts.test(thrown.message) || isMovingShards(thrown.cause))

/** Returns whether an error concerns other machines of a cluster, and neither the statement nor the session. A retry can succeed. */
export const isClusterFault = (thrown: unknown): boolean => isMachineFault(thrown) || isMovingShards(thrown)

/** Returns whether a timeout stopped a statement. */
export const isTimeout = (thrown: unknown): boolean => readErrorCode(thrown) === cancelled

/** Returns whether a transaction was rolled back because of another one. A retry can succeed at once. */
export const isConflict = (thrown: unknown): boolean => conflicts.includes(readErrorCode(thrown))

/** Maximum number of attempts of a transaction or a statement that conflicts with another one, and the longest pause between two. */
const attempts = 5
const longestPauseMs = 50

/**
 * Runs work again that was rolled back because of another transaction.
 * @param work changes nothing but the database
 * @throws what the last attempt throws
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (thrown) {
      const cause = thrown instanceof Error ? thrown.cause : undefined
      if (attempt >= attempts || !(isConflict(thrown) || isConflict(cause))) throw thrown
      await sleep(Math.random() * longestPauseMs) // those that met would meet again
    }
  }
}

/** `insufficient_privilege`, and `invalid_schema_name` where no schema of the search path can be used. */
const missing: readonly string[] = ['42501', '3F000']

/** Explains an error of creating tables, functions or extensions; undefined for other errors. */
export function explainRights(thrown: unknown): string | undefined {
  if (!missing.includes(readErrorCode(thrown)) || !(thrown instanceof Error)) return undefined
  return `the server says: ${thrown.message}; let the owner of the database run \`grant usage, create on schema public to\` the user of the URL, or name the user that owns the tables`
}
