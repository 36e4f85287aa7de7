/** The first start: an organization, its workspace and an application; and the pair that the settings ask for. */
import { Secret } from '../engine/secret.ts'
import { fail } from '../errors.ts'
import { hashSecret, isSecret, newSecret } from './client-secret.ts'
import { type Db, isUniqueViolation } from './db/database.ts'
import { type ApplicationRow, applicationById, insertApplication, updatePair } from './db/queries-applications.ts'
import { keepState, readState } from './db/queries-state.ts'
import { newId } from './ids.ts'
import { makeOrganization } from './organizations.ts'
import type { Parts } from './parts.ts'
import type { FirstApplication } from './types.ts'

type StartParts = Pick<Parts, 'database' | 'source' | 'dataKeys' | 'settings'>

/**
 * Makes the first organization and application unless they are there; one node at a time. The pair of the settings is applied at
 * every start.
 * @throws FerruleError `setting_invalid` when another application has the client id of the settings
 */
export async function startFirst(parts: StartParts): Promise<FirstApplication> {
  const { database, settings } = parts
  return database.exclusive(async (db) => {
    const applicationId = await readState(db, 'first_application')
    const organizationId = await readState(db, 'first_organization')
    const application = applicationId === undefined ? undefined : await applicationById(db, applicationId)
    if (application === undefined || organizationId === undefined) return make(parts, db)
    if (settings.client !== undefined) await apply(parts, db, application)
    return { organizationId, clientId: settings.client?.id ?? application.client_id }
  })
}

async function make(parts: StartParts, db: Db): Promise<FirstApplication> {
  const { source, settings } = parts
  const clientId = settings.client?.id ?? newId(source)
  const secret = settings.client?.secret ?? new Secret(newSecret(source.randomBytes))
  const secretHash = await hashSecret(secret.reveal(), source.randomBytes)
  const row = { id: newId(source), client_id: clientId, name: 'First application', secret_hash: secretHash, created_at: source.clock() }
  await insertApplication(db, row)
  const organization = await makeOrganization(parts, db, { name: 'Default', applicationId: row.id })
  await keepState(db, 'first_application', row.id)
  await keepState(db, 'first_organization', organization.id)
  return { organizationId: organization.id, clientId, ...(settings.client === undefined ? { clientSecret: secret } : {}) }
}

async function apply({ settings, source }: StartParts, db: Db, application: ApplicationRow): Promise<void> {
  if (settings.client === undefined) return
  const { id, secret } = settings.client
  const same = application.client_id === id && (await isSecret(secret.reveal(), application.secret_hash))
  if (same) return
  try {
    await updatePair(db, application.id, { client_id: id, secret_hash: await hashSecret(secret.reveal(), source.randomBytes) })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw fail('setting_invalid', { name: 'FERRULE_CLIENT_ID', reason: 'another application has this client id' })
  }
}
