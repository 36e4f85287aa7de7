import { randomUUID } from 'node:crypto'
import { isObject, parseJson, type ReceivedRequest } from '../http.ts'
import type { EngineSession } from './engine.ts'
import { type Failure, failure, isFailure } from './failures.ts'
import { literal, unmarkedSql, writtenName } from './lexer.ts'
import type { SnowflakeSwitches } from './switches.ts'
import { type Access, roles } from './tokens.ts'
import { databases } from './world.ts'

/** A statement as it was submitted. */
export interface Submission {
  readonly statement: string
  /** Seconds. */
  readonly timeout: number
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly warehouse: string | undefined
  readonly role: string | undefined
  /** Session parameters by name; keys that are not in upper case do nothing, as at the vendor. */
  readonly parameters: Readonly<Record<string, string>>
  readonly requestId: string
  readonly retry: boolean
  readonly async: boolean
  /** False: SQL NULL is the text `null`. */
  readonly nullable: boolean
}

const allowedParameters = (
  'BINARY_OUTPUT_FORMAT CLIENT_RESULT_CHUNK_SIZE DATE_OUTPUT_FORMAT MULTI_STATEMENT_COUNT QUERY_TAG ROWS_PER_RESULTSET ' +
  'TIME_OUTPUT_FORMAT TIMESTAMP_LTZ_OUTPUT_FORMAT TIMESTAMP_NTZ_OUTPUT_FORMAT TIMESTAMP_OUTPUT_FORMAT ' +
  'TIMESTAMP_TZ_OUTPUT_FORMAT TIMEZONE USE_CACHED_RESULT'
).split(' ')

const counting = ['CLIENT_RESULT_CHUNK_SIZE', 'MULTI_STATEMENT_COUNT', 'ROWS_PER_RESULTSET']
const longestTag = 2000
/** Seconds: what 0 means, and what an absent timeout means. */
const [longestTimeout, usualTimeout] = [604_800, 172_800]

function isKnownZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== ''
  } catch {
    return false
  }
}

function isFit(name: string, value: string): boolean {
  if (counting.includes(name)) return /^\d{1,9}$/.test(value)
  if (name === 'TIMEZONE') return isKnownZone(value)
  return name !== 'QUERY_TAG' || value.length <= longestTag
}

function parametersIn(value: unknown): Readonly<Record<string, string>> | Failure {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) return failure('malformed')
  const entries = Object.entries(value).map(([name, given]): [string, string] => [name, String(given)])
  const wrong = entries.find(([name, given]) => !allowedParameters.includes(name.toUpperCase()) || !isFit(name.toUpperCase(), given))
  if (wrong) return failure('parameter', `Invalid parameter. '${wrong[0]}' is not allowed or invalid for SQL API.`)
  return Object.fromEntries(entries)
}

function textIn(body: Record<string, unknown>, name: string): string | undefined | Failure {
  const value = body[name] ?? undefined
  return value === undefined || typeof value === 'string' ? value : failure('malformed')
}

function timeoutIn(value: unknown): number | Failure {
  if (value === undefined || value === null) return usualTimeout
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return failure('malformed')
  return value === 0 ? longestTimeout : Math.min(value, longestTimeout)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the id of a request: its own, or a new one. */
export function requestIdIn(query: URLSearchParams): string | Failure {
  const given = query.get('requestId')
  if (given === null) return randomUUID()
  return uuid.test(given) ? given : failure('malformed', 'The requestId must be a UUID.')
}

/** Returns true for a text that could be the handle of a statement. */
export const isHandle = (text: string): boolean => uuid.test(text)

const contextNames = ['statement', 'database', 'schema', 'warehouse', 'role'] as const

/** Reads a request that submits a statement. */
export function submissionIn({ body: text, query }: ReceivedRequest): Submission | Failure {
  const body = parseJson(text)
  if (!isObject(body) || typeof body['statement'] !== 'string') return failure('malformed')
  if (isObject(body['bindings']) && Object.keys(body['bindings']).length > 0)
    return failure('unsupported', 'Unsupported feature: the stand-in knows no bindings.')
  const texts = contextNames.map((name) => textIn(body, name))
  const parts = [requestIdIn(query), timeoutIn(body['timeout']), parametersIn(body['parameters'])] as const
  const wrong = [...texts, ...parts].find(isFailure)
  const [requestId, timeout, parameters] = parts
  if (wrong || isFailure(requestId) || isFailure(timeout) || isFailure(parameters)) return wrong ?? failure('malformed')
  const [statement = '', database, schema, warehouse, role] = texts.map((each) => (typeof each === 'string' ? each : undefined))
  const flags = { retry: query.get('retry') === 'true', async: query.get('async') === 'true', nullable: query.get('nullable') !== 'false' }
  return { statement, timeout, database, schema, warehouse, role, parameters, requestId, ...flags }
}

/** In which context a statement runs; each submission has one of its own. */
export interface Session {
  readonly user: string
  role: string
  database: string | undefined
  schema: string | undefined
  /** Undefined also when the role may use none. */
  warehouse: string | undefined
  readonly mayWrite: boolean
  readonly parameters: Readonly<Record<string, string>>
}

/** The warehouses of the account. */
export const warehouses = ['SANDBOX_WH', 'REPORTING_WH'] as const

function roleOf({ role }: Submission, access: Access): string | Failure {
  const wanted = role ?? access.roles[0] ?? ''
  if (access.roles.includes(wanted)) return wanted
  return failure('role', `Role '${wanted}' is not granted to this user or is not permitted for the credential.`)
}

function warehouseOf({ warehouse }: Submission, role: string, { defaultWarehouse }: SnowflakeSwitches): string | undefined | Failure {
  const wanted = warehouse ?? (defaultWarehouse || undefined)
  if (wanted !== undefined && !warehouses.some((known) => known === wanted))
    return failure('warehouse', `The warehouse '${wanted}' does not exist or is not authorized.`)
  return roles[role]?.warehouses ? wanted : undefined
}

/** Returns the names of the schemas of a database. */
export async function schemasOf(engine: EngineSession, database: string): Promise<readonly string[]> {
  const name = unmarkedSql('schema_name')
  const found = await engine.rows(
    `SELECT ${name} FROM duckdb_schemas() WHERE ${unmarkedSql('database_name')} = ${literal(database)} AND NOT internal ORDER BY ${name}`,
  )
  return found.flatMap(([schema]) => schema ?? []).filter((schema) => !['main', 'pg_catalog', 'information_schema'].includes(schema))
}

/** The schema that is used in a database when none is named. */
const usualSchema = 'PUBLIC'

/** Returns database and schema by their exact names; the schema is PUBLIC where none is named and there is one. */
export async function scopeOfNames(
  engine: EngineSession,
  { database, schema }: { readonly database: string | undefined; readonly schema: string | undefined },
): Promise<{ readonly database: string | undefined; readonly schema: string | undefined } | Failure> {
  if (database === undefined) return { database, schema: undefined }
  if (!Object.hasOwn(databases, database)) return failure('database', `The database '${database}' does not exist or is not authorized.`)
  const schemas = await schemasOf(engine, database)
  if (schema !== undefined && !schemas.includes(schema))
    return failure('schema', `The schema '${writtenName(schema)}' does not exist or is not authorized.`)
  return { database, schema: schema ?? (schemas.includes(usualSchema) ? usualSchema : undefined) }
}

/** Returns the context of a submission: what it names, else the user's defaults. Names are compared exactly. */
export async function sessionFor(
  submission: Submission,
  access: Access,
  env: { readonly switches: SnowflakeSwitches; readonly engine: EngineSession },
): Promise<Session | Failure> {
  const role = roleOf(submission, access)
  if (typeof role !== 'string') return role
  const [usualDatabase, usualOne] = env.switches.defaultNamespace.split('.')
  const named = submission.database !== undefined
  const database = submission.database ?? (usualDatabase || undefined)
  const schema = submission.schema ?? (named ? undefined : usualOne)
  const scope = await scopeOfNames(env.engine, { database, schema })
  if ('code' in scope) return scope
  const warehouse = warehouseOf(submission, role, env.switches)
  if (typeof warehouse === 'object') return warehouse
  const mayWrite = !env.switches.readOnly && (roles[role]?.writes ?? false)
  return { user: access.user, role, ...scope, warehouse, mayWrite, parameters: submission.parameters }
}
