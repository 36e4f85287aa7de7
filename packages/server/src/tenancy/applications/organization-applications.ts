/** Manages the applications of one organization, for the application that asks. An organization changes only what is its own. */
import type { FerruleError } from 'ferrule'
import { fail, failValidation } from 'ferrule/internal'
import { type ApplicationRecord, type ApplicationSecret, applicationInput } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { asId, iso, newId, newSecret } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { insertApplication, insertGrant } from '../sql/applications.ts'
import { readState } from '../sql/installation-state.ts'
import {
  deleteWithin,
  findOrganizationApplication,
  listOrganizationApplications,
  lockGrants,
  updateNameWithin,
  updateSecretWithin,
} from '../sql/organization-applications.ts'
import type { OrganizationApplications } from './applications.ts'
import { hashSecret } from './client-secret.ts'
import { requireGrant, requireLiveClient } from './live-client.ts'

/** Maximum number of applications that an organization can create. */
const mostApplications = 100

type Row = Awaited<ReturnType<typeof listOrganizationApplications>>[number]

const toRecord = ({ id, client_id, name, created_at }: Row, { applicationId }: Principal): ApplicationRecord => ({
  id,
  client_id,
  name,
  is_caller: id === applicationId,
  created_at: iso(created_at),
})

/** Finds an application of the organization; a scoped principal sees none. */
async function requireApplication(db: Db, { organizationId, workspaceIds }: Principal, id: string): Promise<Row> {
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
    if ((await listOrganizationApplications(db, organizationId)).length >= mostApplications)
      throw failValidation([{ field: '', message, error_code: 'limit' }])
    await insertApplication(db, row)
    await insertGrant(db, { applicationId: row.id, organizationId, now })
  })
  return { ...toRecord(row, principal), client_secret: secret }
}

async function update(
  { database }: Pick<Parts, 'database'>,
  { principal, id }: { principal: Principal; id: string },
  body: unknown,
): Promise<ApplicationRecord> {
  requireScope(principal, 'applications:write')
  const { name } = readBody(applicationInput, body)
  return database.transaction(async (db) => {
    await lockGrants(db, principal.organizationId)
    const found = await requireApplication(db, principal, id)
    await requireLiveClient(db, principal)
    if (!(await updateNameWithin(db, { organizationId: principal.organizationId, id: found.id }, name))) throw refuseShared()
    return { ...toRecord(found, principal), name }
  })
}

async function rotateSecret(
  { database, source }: Stored,
  { principal, id }: { principal: Principal; id: string },
): Promise<ApplicationSecret> {
  requireScope(principal, 'applications:write')
  const { organizationId } = principal
  const found = await requireApplication(database.db, principal, id)
  const secret = newSecret(source.randomBytes)
  const hash = hashSecret(secret, source.randomBytes)
  await database.transaction(async (db) => {
    await lockGrants(db, organizationId)
    await requireApplication(db, principal, found.id)
    await requireLiveClient(db, principal)
    if (!(await updateSecretWithin(db, { organizationId, id: found.id }, hash))) throw refuseShared()
  })
  return { ...toRecord(found, principal), client_secret: secret }
}

/** Deletes one application. The caller stays, so that the organization keeps a client. */
async function remove({ database, source }: Stored, principal: Principal, id: string) {
  requireScope(principal, 'applications:write')
  const { organizationId, applicationId } = principal
  return database.transaction(async (db) => {
    await lockGrants(db, organizationId)
    const found = await requireApplication(db, principal, id)
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
    return (await listOrganizationApplications(parts.database.db, principal.organizationId)).map((row) => toRecord(row, principal))
  },
  create: (principal, body) => create(parts, principal, body),
  update: (principal, id, body) => update(parts, { principal, id }, body),
  rotateSecret: (principal, id) => rotateSecret(parts, { principal, id }),
  remove: (principal, id) => remove(parts, principal, id),
})
