/** A refusal of the vendor, of a request or of a statement. */
export interface Failure {
  /** HTTP status. */
  readonly status: number
  /** Six digits. */
  readonly code: string
  readonly message: string
  /** Only statements have one. */
  readonly sqlState?: string
  /** True when the statement was refused before it ran; then nothing tells when it began. */
  readonly early?: boolean
}

const table = {
  missingAuthorization: { status: 401, code: '390101', message: 'Authorization header not found in the request data.' },
  malformed: { status: 400, code: '390142', message: 'Incoming request does not contain a valid payload.' },
  invalidJwt: { status: 401, code: '390144', message: 'JWT token is invalid.' },
  invalidOauth: { status: 401, code: '390303', message: 'Invalid OAuth access token.' },
  networkPolicy: { status: 401, code: '390432', message: 'Network policy is required.' },
  tooMany: { status: 429, code: '390505', message: 'Too many requests.' },
  accept: { status: 400, code: '391902', message: 'Unsupported Accept header null is specified.' },
  parameter: { status: 400, code: '391917', message: 'Invalid parameter.' },
  database: { status: 400, code: '391918', message: 'The database does not exist or is not authorized.' },
  schema: { status: 400, code: '391919', message: 'The schema does not exist or is not authorized.' },
  warehouse: { status: 400, code: '391920', message: 'The warehouse does not exist or is not authorized.' },
  invalidPat: { status: 401, code: '394400', message: 'Programmatic access token is invalid.' },
  role: { status: 422, code: '390189', message: 'Role is not granted to this user or not permitted for the credential.' },
  unsupported: { status: 422, code: '000002', sqlState: '0A000', message: 'Unsupported feature.' },
  count: { status: 422, code: '000008', sqlState: '0A000', message: 'Actual statement count did not match the desired statement count.' },
  internal: { status: 422, code: '000603', sqlState: 'XX000', message: 'SQL execution internal error.' },
  canceled: { status: 422, code: '000604', sqlState: '57014', message: 'SQL execution canceled' },
  notExecuting: { status: 422, code: '000605', sqlState: '02000', message: 'Identified SQL statement is not currently executing.' },
  noWarehouse: {
    status: 422,
    code: '000606',
    sqlState: '57P03',
    message: "No active warehouse selected in the current session. Select an active warehouse with the 'use warehouse' command.",
  },
  timedOut: { status: 408, code: '000630', sqlState: '57014', message: 'Statement reached its statement or warehouse timeout.' },
  notFound: { status: 422, code: '000709', sqlState: '02000', message: 'Statement not found' },
  empty: { status: 422, code: '000900', sqlState: '42601', message: 'SQL compilation error: Empty SQL statement.' },
  identifier: { status: 422, code: '000904', sqlState: '42000', message: 'SQL compilation error: invalid identifier' },
  syntax: { status: 422, code: '001003', sqlState: '42000', message: 'SQL compilation error: syntax error' },
  exists: { status: 422, code: '002002', sqlState: '42710', message: 'SQL compilation error: Object already exists.' },
  noTable: { status: 422, code: '002003', sqlState: '42S02', message: 'SQL compilation error: Object does not exist or not authorized.' },
  noObject: {
    status: 422,
    code: '002003',
    sqlState: '02000',
    message: 'SQL compilation error: Object does not exist or not authorized.',
  },
  bind: { status: 422, code: '002049', sqlState: '42601', message: 'SQL compilation error: Bind variable not set.' },
  unknownFunction: { status: 422, code: '002139', sqlState: '42601', message: 'SQL compilation error: Unknown function.' },
  columnCount: { status: 422, code: '002057', sqlState: '42601', message: 'SQL compilation error: column count does not match.' },
  privileges: { status: 422, code: '003001', sqlState: '42501', message: 'SQL access control error: Insufficient privileges.' },
  showLimit: { status: 422, code: '090153', sqlState: '22000', message: 'The result set size exceeded the maximum number of rows.' },
  noDatabase: {
    status: 422,
    code: '090105',
    sqlState: '22000',
    message: "This session does not have a current database. Call 'USE DATABASE', or use a qualified name.",
  },
  noSchema: {
    status: 422,
    code: '090106',
    sqlState: '22000',
    message: "This session does not have a current schema. Call 'USE SCHEMA', or use a qualified name.",
  },
  conversion: { status: 422, code: '100038', sqlState: '22018', message: 'Value is not recognized' },
  divisionByZero: { status: 422, code: '100051', sqlState: '22012', message: 'Division by zero' },
  notNull: { status: 422, code: '100072', sqlState: '22000', message: 'NULL result in a non-nullable column' },
  partly: { status: 422, code: '100132', sqlState: 'P0000', message: 'Execution of multiple statements failed' },
} as const satisfies Readonly<Record<string, Failure>>

/** A refusal that the stand-in knows by name. */
export type FailureName = keyof typeof table

/**
 * A refusal.
 *
 * @param name - which one
 * @param message - left out: the usual text
 */
export function failure(name: FailureName, message?: string): Failure {
  return message === undefined ? table[name] : { ...table[name], message }
}

/** Tells a refusal from everything else that a step can return. */
export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'status' in value && 'code' in value && 'message' in value
}

/** The same refusal, of a statement that never ran. */
export function early(failed: Failure): Failure {
  return { ...failed, early: true }
}

/**
 * The refusal of a code that a fault asks for; an unknown one is a failed statement.
 *
 * @param code - without its leading zeros
 * @param message - left out: the usual text
 */
export function failureOfCode(code: number, message?: string): Failure {
  const text = String(code).padStart(6, '0')
  const known: Failure = Object.values(table).find((each) => each.code === text) ?? {
    status: 422,
    code: text,
    sqlState: '22000',
    message: 'Statement failed.',
  }
  return message === undefined ? known : { ...known, message }
}
