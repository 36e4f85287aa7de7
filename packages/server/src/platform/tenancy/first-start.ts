/** Creates the organization, workspace and application of the first start, and applies the client pair of the settings. */
import { Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { type Db, isUniqueViolation } from '../db/database.ts'
import { type ApplicationRow, findApplicationById, insertApplication, updateClientPair } from '../db/queries/applications.ts'
import { insertState, readState } from '../db/queries/installation-state.ts'
import { newId } from '../model/ids.ts'
import type { FirstApplication } from '../model/types.ts'
import type { Parts } from '../parts.ts'
import { newSecret } from '../secret-text.ts'
import { hashSecret, isSecret } from './client-secret.ts'
import { makeOrganization } from './organizations.ts'

type StartParts = Pick<Parts, 'database' | 'source' | 'dataKeys' | 'settings'>

/** Client id and secret for the first application. */
interface Pair {
  readonly clientId: string
  readonly secret: Secret<string>
  readonly hash: string
}

/**
 * Creates the first organization and application if missing, on one node at a time. Applies the client pair of the settings at every start.
 * @throws FerruleError `setting_invalid` when another application has the client id of the settings
 */
export async function startFirst(parts: StartParts): Promise<FirstApplication> {
  const known = await findFirst(parts.database.db)
  if (known !== undefined && (await hasPair(parts, known.application))) return toFirstApplication(known)
  // Hashing is slow, so it precedes the exclusive transaction.
  const pair = await buildPair(parts)
  return parts.database.exclusive(async (db) => {
    const found = await findFirst(db)
    if (found === undefined) return make(parts, db, pair)
    if (parts.settings.client === undefined) return toFirstApplication(found)
    await apply(db, found.application, pair)
    return { organizationId: found.organizationId, clientId: pair.clientId }
  })
}

interface Found {
  readonly application: ApplicationRow
  readonly organizationId: string
}

async function findFirst(db: Db): Promise<Found | undefined> {
  const [applicationId, organizationId] = [await readState(db, 'first_application'), await readState(db, 'first_organization')]
  const application = applicationId === undefined ? undefined : await findApplicationById(db, applicationId)
  return application === undefined || organizationId === undefined ? undefined : { application, organizationId }
}

const toFirstApplication = ({ application, organizationId }: Found): FirstApplication => ({
  organizationId,
  clientId: application.client_id,
})

const hasPair = async ({ settings: { client } }: StartParts, application: ApplicationRow): Promise<boolean> =>
  client === undefined || (client.id === application.client_id && (await isSecret(client.secret.reveal(), application.secret_hash)))

async function buildPair({ settings: { client }, source }: StartParts): Promise<Pair> {
  const secret = client?.secret ?? new Secret(newSecret(source.randomBytes))
  return { clientId: client?.id ?? newId(source), secret, hash: await hashSecret(secret.reveal(), source.randomBytes) }
}

async function make(parts: StartParts, db: Db, { clientId, secret, hash }: Pair): Promise<FirstApplication> {
  const id = newId(parts.source)
  await insertApplication(db, { id, client_id: clientId, name: 'First application', secret_hash: hash, created_at: parts.source.clock() })
  const organization = await makeOrganization(parts, db, { name: 'Default', applicationId: id, isOwn: false })
  await insertState(db, 'first_application', id)
  await insertState(db, 'first_organization', organization.id)
  return { organizationId: organization.id, clientId, ...(parts.settings.client === undefined ? { clientSecret: secret } : {}) }
}

async function apply(db: Db, application: ApplicationRow, { clientId, hash }: Pair): Promise<void> {
  try {
    await updateClientPair(db, application.id, { client_id: clientId, secret_hash: hash })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw fail('setting_invalid', { name: 'FERRULE_CLIENT_ID', reason: 'another application has this client id' })
  }
}
