/** A refusal of the vendor, of a request or of a statement. */
export interface Failure {
  /** HTTP status. */
  readonly status: number
  /** Six digits. */
  readonly code: string
  readonly message: string
  /** Only statements have one. */
  readonly sqlState?: string
  /** True when the statement was refused before it ran; then nothing says when it began. */
  readonly early?: boolean
}

/** The HTTP status of a failure without one is 422. */
const table = {
  missingAuthorization: { status: 401, code: '390101', message: 'Authorization header not found in the request data.' },
  malformed: { status: 400, code: '390142', message: 'Incoming request does not contain a valid payload.' },
  invalidJwt: { status: 401, code: '390144', message: 'JWT token is invalid.' },
  invalidOauth: { status: 401, code: '390303', message: 'Invalid OAuth access token.' },
  expiredOauth: { status: 401, code: '390318', message: 'OAuth access token expired.' },
  networkPolicy: { status: 401, code: '390432', message: 'Network policy is required.' },
  tooMany: { status: 429, code: '390505', message: 'Too many requests.' },
  accept: { status: 400, code: '391902', message: 'Unsupported Accept header null is specified.' },
  parameter: { status: 400, code: '391917', message: 'Invalid parameter.' },
  database: { status: 400, code: '391918', message: 'The database does not exist or is not authorized.' },
  schema: { status: 400, code: '391919', message: 'The schema does not exist or is not authorized.' },
  warehouse: { status: 400, code: '391920', message: 'The warehouse does not exist or is not authorized.' },
  invalidPat: { status: 401, code: '394400', message: 'Programmatic access token is invalid.' },
  role: { code: '390189', message: 'Role is not granted to this user or not permitted for the credential.' },
  unsupported: { code: '000002', sqlState: '0A000', message: 'Unsupported feature.' },
  count: { code: '000008', sqlState: '0A000', message: 'Actual statement count did not match the desired statement count.' },
  internal: { code: '000603', sqlState: 'XX000', message: 'SQL execution internal error.' },
  canceled: { code: '000604', sqlState: '57014', message: 'SQL execution canceled' },
  notExecuting: { code: '000605', sqlState: '02000', message: 'Identified SQL statement is not currently executing.' },
  noWarehouse: {
    code: '000606',
    sqlState: '57P03',
    message: "No active warehouse selected in the current session. Select an active warehouse with the 'use warehouse' command.",
  },
  timedOut: { status: 408, code: '000630', sqlState: '57014', message: 'Statement reached its statement or warehouse timeout.' },
  notFound: { code: '000709', sqlState: '02000', message: 'Statement not found' },
  empty: { code: '000900', sqlState: '42601', message: 'SQL compilation error: Empty SQL statement.' },
  identifier: { code: '000904', sqlState: '42000', message: 'SQL compilation error: invalid identifier' },
  syntax: { code: '001003', sqlState: '42000', message: 'SQL compilation error: syntax error' },
  exists: { code: '002002', sqlState: '42710', message: 'SQL compilation error: Object already exists.' },
  noTable: { code: '002003', sqlState: '42S02', message: 'SQL compilation error: Object does not exist or not authorized.' },
  noObject: { code: '002003', sqlState: '02000', message: 'SQL compilation error: Object does not exist or not authorized.' },
  bind: { code: '002049', sqlState: '42601', message: 'SQL compilation error: Bind variable not set.' },
  unknownFunction: { code: '002139', sqlState: '42601', message: 'SQL compilation error: Unknown function.' },
  columnCount: { code: '002057', sqlState: '42601', message: 'SQL compilation error: column count does not match.' },
  privileges: { code: '003001', sqlState: '42501', message: 'SQL access control error: Insufficient privileges.' },
  showLimit: { code: '090153', sqlState: '22000', message: 'The result set size exceeded the maximum number of rows.' },
  noDatabase: {
    code: '090105',
    sqlState: '22000',
    message: "This session does not have a current database. Call 'USE DATABASE', or use a qualified name.",
  },
  noSchema: {
    code: '090106',
    sqlState: '22000',
    message: "This session does not have a current schema. Call 'USE SCHEMA', or use a qualified name.",
  },
  conversion: { code: '100038', sqlState: '22018', message: 'Value is not recognized' },
  divisionByZero: { code: '100051', sqlState: '22012', message: 'Division by zero' },
  notNull: { code: '100072', sqlState: '22000', message: 'NULL result in a non-nullable column' },
  partly: { code: '100132', sqlState: 'P0000', message: 'Execution of multiple statements failed' },
} as const satisfies Readonly<Record<string, Omit<Failure, 'status'> & { readonly status?: number }>>

type FailureName = keyof typeof table

/** Returns a refusal. */
export const failure = (name: FailureName, message?: string): Failure => ({
  status: 422,
  ...table[name],
  ...(message === undefined ? {} : { message }),
})

/** Returns true for a failure among all that a step can return. */
export const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' && value !== null && 'status' in value && 'code' in value && 'message' in value

/** Returns the same refusal, of a statement that never ran. */
export const early = (failed: Failure): Failure => ({ ...failed, early: true })

/** Returns the refusal of a code that a fault asks for; an unknown one is a failed statement. */
export function failureOfCode(code: number, message?: string): Failure {
  const text = String(code).padStart(6, '0')
  const known = Object.values(table).find((each) => each.code === text) ?? { sqlState: '22000', message: 'Statement failed.' }
  return { status: 422, code: text, ...known, ...(message === undefined ? {} : { message }) }
}
