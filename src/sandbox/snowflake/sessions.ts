import type { EngineSession } from './engine.ts'
import type { Failure } from './failures.ts'
import { failure } from './failures.ts'
import { literal, unmarkedSql, writtenName } from './names.ts'
import type { Submission } from './submissions.ts'
import type { SnowflakeSwitches } from './switches.ts'
import type { Access } from './tokens.ts'
import { roles } from './tokens.ts'
import { databases } from './world.ts'

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
  if (wanted !== undefined && !warehouses.some((known) => known === wanted)) {
    return failure('warehouse', `The warehouse '${wanted}' does not exist or is not authorized.`)
  }
  return roles[role]?.warehouses ? wanted : undefined
}

/**
 * Names of the schemas of a database.
 *
 * @param engine - a session of the engine
 * @param database - its exact name
 */
export async function schemasOf(engine: EngineSession, database: string): Promise<readonly string[]> {
  const name = unmarkedSql('schema_name')
  const found = await engine.rows(
    `SELECT ${name} FROM duckdb_schemas() WHERE ${unmarkedSql('database_name')} = ${literal(database)} AND NOT internal ORDER BY ${name}`,
  )
  return found.flatMap(([schema]) => schema ?? []).filter((schema) => !['main', 'pg_catalog', 'information_schema'].includes(schema))
}

/** The schema that is used in a database when none is named. */
const usualSchema = 'PUBLIC'

/** Database and schema by their exact names; the schema is PUBLIC where none is named and there is one. */
export async function placeOfNames(
  engine: EngineSession,
  { database, schema }: { readonly database: string | undefined; readonly schema: string | undefined },
): Promise<{ readonly database: string | undefined; readonly schema: string | undefined } | Failure> {
  if (database === undefined) return { database, schema: undefined }
  if (!Object.hasOwn(databases, database)) return failure('database', `The database '${database}' does not exist or is not authorized.`)
  const schemas = await schemasOf(engine, database)
  if (schema !== undefined && !schemas.includes(schema)) {
    return failure('schema', `The schema '${writtenName(schema)}' does not exist or is not authorized.`)
  }
  return { database, schema: schema ?? (schemas.includes(usualSchema) ? usualSchema : undefined) }
}

/**
 * The context of a submission: what it names, else the user's defaults. Names are compared exactly.
 *
 * @param submission - what was sent
 * @param access - what the credential allows
 * @param env - the switches, and a session of the engine
 */
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
  const place = await placeOfNames(env.engine, { database, schema })
  if ('code' in place) return place
  const warehouse = warehouseOf(submission, role, env.switches)
  if (typeof warehouse === 'object') return warehouse
  const mayWrite = !env.switches.readOnly && (roles[role]?.writes ?? false)
  return { user: access.user, role, ...place, warehouse, mayWrite, parameters: submission.parameters }
}
