/**
 * Manages applications, the clients of the token endpoint: for the operator's commands, and those of one organization for the application that
 * asks. An organization changes only what is its own.
 */

import type { FerruleError } from 'ferrule'
import { Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import {
  type ApplicationRemoval,
  type ApplicationSecret,
  applicationInput,
  type ApplicationRecord as OrganizationApplication,
  organizationInput,
} from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { asId, iso, newId, newSecret } from '../../values/ids.ts'
import { failField, readBody } from '../../values/read.ts'
import * as sql from '../sql/applications.ts'
import { readState } from '../sql/installation-state.ts'
import {
  deleteWithin,
  findOrganizationApplication,
  listOrganizationApplications,
  lockGrants,
  updateNameWithin,
  updateSecretWithin,
} from '../sql/organization-applications.ts'
import { holdOrganization, lockGrantsOf } from '../sql/organizations.ts'
import { hashSecret } from './client-secret.ts'
import { buildPair, replacePair, requireFirst } from './first-start.ts'
import { requireGrant, requireLiveClient } from './live-client.ts'

type GrantedApplicationRow = Awaited<ReturnType<typeof sql.listApplicationsWithGrants>>[number]
type NonEmpty<T> = readonly [T, ...T[]]

const toRecord = (rows: NonEmpty<GrantedApplicationRow>): ApplicationRecord => ({
  id: rows[0].id,
  client_id: rows[0].client_id,
  name: rows[0].name,
  organization_ids: rows.flatMap(({ organization_id: id }) => (id === null ? [] : [id])),
  created_at: iso(rows[0].created_at),
})

type Reached = Awaited<ReturnType<typeof sql.listOrganizationsWithGrants>>[number]

const toReach = (rows: NonEmpty<Reached>): OrganizationReach => ({
  id: rows[0].id,
  name: rows[0].name,
  client_ids: rows.flatMap(({ client_id: id }) => (id === null ? [] : [id])),
})

function groupById<T extends { readonly id: string }>(rows: readonly T[]): NonEmpty<T>[] {
  const byId = new Map<string, [T, ...T[]]>()
  for (const row of rows) {
    const same = byId.get(row.id)
    if (same === undefined) byId.set(row.id, [row])
    else same.push(row)
  }
  return [...byId.values()]
}

async function requireApplication(db: Db, clientId: string): Promise<sql.ApplicationRow> {
  const found = await sql.findApplication(db, clientId)
  if (found === undefined) throw fail('validation_failed', { reason: 'there is no application with this client id' })
  return found
}

async function requireOrganization(db: Db, id: string): Promise<string> {
  const organizationId = asId(id)
  if (organizationId === undefined || !(await holdOrganization(db, organizationId))) throw fail('organization_not_found', {})
  return organizationId
}

async function refuseFirst(db: Db, id: string): Promise<void> {
  if (id !== (await readState(db, 'first_application'))) return
  const reason = 'this is the first application, which the next start would create again'
  throw fail('validation_failed', { reason }, { hint: 'Replace its secret (rotate), or take back its grants (revoke).' })
}

/** Builds the service. */
export const createApplications = ({ database, source, settings }: Pick<Parts, 'settings' | 'database' | 'source'>): Applications => ({
  list: async () => groupById(await sql.listApplicationsWithGrants(database.db)).map(toRecord),
  organizations: async () => groupById(await sql.listOrganizationsWithGrants(database.db)).map(toReach),
  create: async ({ name: given, organizationId: id }) => {
    const { name } = readBody(organizationInput, { name: given })
    const organizationId = await requireOrganization(database.db, id)
    const clientId = newId(source)
    const secret = newSecret(source.randomBytes)
    const now = source.clock()
    const row = { id: newId(source), client_id: clientId, name, secret_hash: hashSecret(secret, source.randomBytes), created_at: now }
    await database.transaction(async (db) => {
      await sql.insertApplication(db, row)
      await sql.insertGrant(db, { applicationId: row.id, organizationId, now })
    })
    return { clientId, clientSecret: new Secret(secret) }
  },
  grant: async (clientId, id) => {
    const organizationId = await requireOrganization(database.db, id)
    const { id: applicationId } = await requireApplication(database.db, clientId)
    await sql.insertGrant(database.db, { applicationId, organizationId, now: source.clock() })
  },
  revoke: async (clientId, id) => {
    const organizationId = await requireOrganization(database.db, id)
    const { id: applicationId } = await requireApplication(database.db, clientId)
    if (!(await sql.deleteGrant(database.db, applicationId, organizationId)))
      throw fail('validation_failed', { reason: 'this application does not reach this organization' })
  },
  delete: async (clientId) => {
    const { id } = await requireApplication(database.db, clientId)
    await refuseFirst(database.db, id)
    await database.transaction(async (db) => {
      await lockGrantsOf(db, id) // first, as everybody who locks grants and applications: else two of them wait for each other
      await sql.deleteApplication(db, id)
    })
  },
  rotate: async (clientId) => {
    const application = clientId === undefined ? await requireFirst(database.db) : await requireApplication(database.db, clientId)
    const given = clientId === undefined ? settings.operatorClient : undefined
    const pair = buildPair(given, application.client_id, source)
    await database.transaction((db) => replacePair(db, application.id, pair))
    return { clientId: pair.clientId, ...(given === undefined ? { clientSecret: pair.secret } : {}) }
  },
})

/** An application: a client id with a hashed secret. */
export interface ApplicationRecord {
  readonly id: string
  readonly client_id: string
  readonly name: string
  readonly organization_ids: readonly string[]
  /** ISO 8601 in UTC. */
  readonly created_at: string
}

/** An organization and the applications that reach it. */
export interface OrganizationReach {
  readonly id: string
  readonly name: string
  /** Client ids of the granted applications. */
  readonly client_ids: readonly string[]
}

/** Manages applications for the operator's commands. The methods take no principal, so no route may call them. */
export interface Applications {
  list(): Promise<readonly ApplicationRecord[]>
  /** @throws FerruleError `organization_not_found`, `validation_failed` */
  create(input: {
    readonly name: string
    readonly organizationId: string
  }): Promise<{ readonly clientId: string; readonly clientSecret: Secret<string> }>
  /** @throws FerruleError `organization_not_found`, `validation_failed` (unknown client id) */
  grant(clientId: string, organizationId: string): Promise<void>
  /**
   * Deletes a grant. No new tokens are issued; existing tokens expire within 20 minutes.
   * @throws FerruleError `organization_not_found`, `validation_failed` (unknown client id, or no such grant)
   */
  revoke(clientId: string, organizationId: string): Promise<void>
  /**
   * Deletes an application with its grants; organizations, workspaces and connectors stay. Its tokens expire within 20 minutes.
   * @throws FerruleError `validation_failed` (unknown client id, or the first application, which the next start would create again)
   */
  delete(clientId: string): Promise<void>
  /** Lists all organizations, with or without applications. */
  organizations(): Promise<readonly OrganizationReach[]>
  /**
   * Replaces the secret. The old secret and the MCP tokens fail at once. Bearer tokens issued with the old secret expire within 15
   * minutes, and workspace tokens issued with those within 35 minutes.
   * @param clientId if omitted, the first application, which gets the pair of the settings when they have one
   * @returns the new pair; without a secret when the pair is that of the settings
   * @throws FerruleError `validation_failed`, `setting_invalid` (another application has the client id of the settings)
   */
  rotate(clientId?: string): Promise<{ readonly clientId: string; readonly clientSecret?: Secret<string> }>
}

/**
 * Manages the applications of the principal's organization. A revoked grant ends all methods at once: `organization_forbidden`. A replaced
 * secret ends the methods that change something: `token_expired`.
 */
export interface OrganizationApplications {
  /** Lists the applications that reach the organization. Scope applications:read. */
  list(principal: Principal): Promise<readonly OrganizationApplication[]>
  /**
   * Creates an application that reaches the organization. Scope applications:write.
   * @param body `{ name }`
   * @throws FerruleError `validation_failed` also when the organization has 100 applications
   */
  create(principal: Principal, body: unknown): Promise<ApplicationSecret>
  /**
   * Renames an application. Scope applications:write.
   * @param body `{ name }`
   * @throws FerruleError `application_not_found`, `validation_failed` (also when it reaches other organizations)
   */
  update(principal: Principal, id: string, body: unknown): Promise<OrganizationApplication>
  /**
   * Replaces the secret. Tokens issued with the old secret expire as after `Applications.rotate`. Scope applications:write.
   * @throws FerruleError `application_not_found`, `validation_failed` (it reaches other organizations, or its secret is a setting)
   */
  rotateSecret(principal: Principal, id: string): Promise<ApplicationSecret>
  /**
   * Deletes an application. Scope applications:write.
   * @throws FerruleError `application_not_found`, `validation_failed` (the caller, the first application, or it reaches other organizations)
   */
  remove(principal: Principal, id: string): Promise<ApplicationRemoval>
}

/** Maximum number of applications that an organization can create. */
const mostApplications = 100

type OrganizationRow = Awaited<ReturnType<typeof listOrganizationApplications>>[number]

const toOrganizationApplication = (
  { id, client_id, name, created_at }: OrganizationRow,
  { applicationId }: Principal,
): OrganizationApplication => ({
  id,
  client_id,
  name,
  is_caller: id === applicationId,
  created_at: iso(created_at),
})

/** Finds an application of the organization; a scoped principal sees none. */
async function requireOrganizationApplication(db: Db, { organizationId, workspaceIds }: Principal, id: string): Promise<OrganizationRow> {
  const known = workspaceIds === null ? asId(id) : undefined
  const found = known === undefined ? undefined : await findOrganizationApplication(db, { organizationId, id: known })
  if (found === undefined) throw fail('application_not_found', {})
  return found
}

const refuse = (reason: string): FerruleError =>
  fail('validation_failed', { reason }, { hint: "Ask the operator, who has the command 'ferrule-server applications'." })

/** Builds the refusal for an application of several organizations: all of them see its name, and its secret opens them. */
const refuseShared = (): FerruleError => refuse('the application reaches other organizations too')

async function create({ database, source }: Stored, principal: Principal, body: unknown): Promise<ApplicationSecret> {
  requireScope(principal, 'applications:write')
  const { name } = readBody(applicationInput, body)
  const { organizationId } = principal
  const secret = newSecret(source.randomBytes)
  const hash = hashSecret(secret, source.randomBytes)
  const now = source.clock()
  const row = { id: newId(source), client_id: newId(source), name, secret_hash: hash, created_at: now }
  await database.transaction(async (db) => {
    await lockGrants(db, organizationId)
    await requireLiveClient(db, principal)
    const message = `cannot be done: the organization has ${mostApplications} applications, the most`
    if ((await listOrganizationApplications(db, organizationId)).length >= mostApplications) throw failField('', message, 'limit')
    await sql.insertApplication(db, row)
    await sql.insertGrant(db, { applicationId: row.id, organizationId, now })
  })
  return { ...toOrganizationApplication(row, principal), client_secret: secret }
}

async function update(
  { database }: Pick<Parts, 'database'>,
  { principal, id }: { principal: Principal; id: string },
  body: unknown,
): Promise<OrganizationApplication> {
  requireScope(principal, 'applications:write')
  const { name } = readBody(applicationInput, body)
  return database.transaction(async (db) => {
    await lockGrants(db, principal.organizationId)
    const found = await requireOrganizationApplication(db, principal, id)
    await requireLiveClient(db, principal)
    if (!(await updateNameWithin(db, { organizationId: principal.organizationId, id: found.id }, name))) throw refuseShared()
    return { ...toOrganizationApplication(found, principal), name }
  })
}

async function rotateSecret(
  { database, source }: Stored,
  { principal, id }: { principal: Principal; id: string },
): Promise<ApplicationSecret> {
  requireScope(principal, 'applications:write')
  const { organizationId } = principal
  const found = await requireOrganizationApplication(database.db, principal, id)
  const secret = newSecret(source.randomBytes)
  const hash = hashSecret(secret, source.randomBytes)
  await database.transaction(async (db) => {
    await lockGrants(db, organizationId)
    await requireOrganizationApplication(db, principal, found.id)
    await requireLiveClient(db, principal)
    if (!(await updateSecretWithin(db, { organizationId, id: found.id }, hash))) throw refuseShared()
  })
  return { ...toOrganizationApplication(found, principal), client_secret: secret }
}

/** Deletes one application. The caller stays, so that the organization keeps a client. */
async function remove({ database, source }: Stored, principal: Principal, id: string) {
  requireScope(principal, 'applications:write')
  const { organizationId, applicationId } = principal
  return database.transaction(async (db) => {
    await lockGrants(db, organizationId)
    const found = await requireOrganizationApplication(db, principal, id)
    await requireLiveClient(db, principal)
    if (found.id === applicationId) throw refuse('an application cannot delete itself')
    if (found.id === (await readState(db, 'first_application'))) throw refuse('the first application cannot be deleted')
    if (!(await deleteWithin(db, { organizationId, id: found.id }))) throw refuseShared()
    return { id: found.id, deleted_at: iso(source.clock()) }
  })
}

/** Builds the service. */
export const createOrganizationApplications = (parts: Stored): OrganizationApplications => ({
  list: async (principal) => {
    requireScope(principal, 'applications:read')
    await requireGrant(parts.database.db, principal)
    return (await listOrganizationApplications(parts.database.db, principal.organizationId)).map((row) =>
      toOrganizationApplication(row, principal),
    )
  },
  create: (principal, body) => create(parts, principal, body),
  update: (principal, id, body) => update(parts, { principal, id }, body),
  rotateSecret: (principal, id) => rotateSecret(parts, { principal, id }),
  remove: (principal, id) => remove(parts, principal, id),
})
