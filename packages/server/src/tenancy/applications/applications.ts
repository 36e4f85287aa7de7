/** Manages applications, the clients of the token endpoint, for the operator's commands. */

import { Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { organizationInput } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { asId, iso, newId } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { newSecret } from '../../values/secret-text.ts'
import {
  type ApplicationRow,
  deleteApplication,
  deleteGrant,
  findApplication,
  insertApplication,
  insertGrant,
  listApplicationsWithGrants,
  listOrganizationsWithGrants,
} from '../sql/applications.ts'
import { readState } from '../sql/installation-state.ts'
import { holdOrganization, lockGrantsOf } from '../sql/organizations.ts'
import type { ApplicationRecord, Applications, OrganizationReach } from './application-types.ts'
import { hashSecret } from './client-secret.ts'
import { buildPair, replacePair, requireFirst } from './first-start.ts'

type Row = Awaited<ReturnType<typeof listApplicationsWithGrants>>[number]
type Group<T> = readonly [T, ...T[]]

const toRecord = (rows: Group<Row>): ApplicationRecord => ({
  id: rows[0].id,
  client_id: rows[0].client_id,
  name: rows[0].name,
  organization_ids: rows.flatMap(({ organization_id: id }) => (id === null ? [] : [id])),
  created_at: iso(rows[0].created_at),
})

type Reached = Awaited<ReturnType<typeof listOrganizationsWithGrants>>[number]

const toReach = (rows: Group<Reached>): OrganizationReach => ({
  id: rows[0].id,
  name: rows[0].name,
  client_ids: rows.flatMap(({ client_id: id }) => (id === null ? [] : [id])),
})

/** Groups rows by id. */
function groupById<T extends { readonly id: string }>(rows: readonly T[]): Group<T>[] {
  const byId = new Map<string, [T, ...T[]]>()
  for (const row of rows) {
    const same = byId.get(row.id)
    if (same === undefined) byId.set(row.id, [row])
    else same.push(row)
  }
  return [...byId.values()]
}

async function requireApplication(db: Db, clientId: string): Promise<ApplicationRow> {
  const found = await findApplication(db, clientId)
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
  list: async () => groupById(await listApplicationsWithGrants(database.db)).map(toRecord),
  organizations: async () => groupById(await listOrganizationsWithGrants(database.db)).map(toReach),
  create: async ({ name: given, organizationId: id }) => {
    const { name } = readBody(organizationInput, { name: given })
    const organizationId = await requireOrganization(database.db, id)
    const clientId = newId(source)
    const secret = newSecret(source.randomBytes)
    const now = source.clock()
    const row = { id: newId(source), client_id: clientId, name, secret_hash: hashSecret(secret, source.randomBytes), created_at: now }
    await database.transaction(async (db) => {
      await insertApplication(db, row)
      await insertGrant(db, { applicationId: row.id, organizationId, now })
    })
    return { clientId, clientSecret: new Secret(secret) }
  },
  grant: async (clientId, id) => {
    const organizationId = await requireOrganization(database.db, id)
    const { id: applicationId } = await requireApplication(database.db, clientId)
    await insertGrant(database.db, { applicationId, organizationId, now: source.clock() })
  },
  revoke: async (clientId, id) => {
    const organizationId = await requireOrganization(database.db, id)
    const { id: applicationId } = await requireApplication(database.db, clientId)
    if (!(await deleteGrant(database.db, applicationId, organizationId)))
      throw fail('validation_failed', { reason: 'this application does not reach this organization' })
  },
  delete: async (clientId) => {
    const { id } = await requireApplication(database.db, clientId)
    await refuseFirst(database.db, id)
    await database.transaction(async (db) => {
      await lockGrantsOf(db, id) // first, as everybody who locks grants and applications: else two of them wait for each other
      await deleteApplication(db, id)
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
