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

/** The pair that the first application is to have. */
interface Pair {
  readonly clientId: string
  readonly secret: Secret<string>
  readonly hash: string
}

/**
 * Makes the first organization and application unless they are there; one node at a time. The pair of the settings is applied at
 * every start.
 * @throws FerruleError `setting_invalid` when another application has the client id of the settings
 */
export async function startFirst(parts: StartParts): Promise<FirstApplication> {
  const known = await find(parts.database.db)
  if (known !== undefined && (await fits(parts, known.application))) return shown(known)
  // Hashing takes a while, so it is done before the transaction that keeps others out.
  const pair = await pairOf(parts)
  return parts.database.exclusive(async (db) => {
    const found = await find(db)
    if (found === undefined) return make(parts, db, pair)
    if (parts.settings.client === undefined) return shown(found)
    await apply(db, found.application, pair)
    return { organizationId: found.organizationId, clientId: pair.clientId }
  })
}

interface Found {
  readonly application: ApplicationRow
  readonly organizationId: string
}

async function find(db: Db): Promise<Found | undefined> {
  const [applicationId, organizationId] = [await readState(db, 'first_application'), await readState(db, 'first_organization')]
  const application = applicationId === undefined ? undefined : await applicationById(db, applicationId)
  return application === undefined || organizationId === undefined ? undefined : { application, organizationId }
}

const shown = ({ application, organizationId }: Found): FirstApplication => ({ organizationId, clientId: application.client_id })

const fits = async ({ settings: { client } }: StartParts, application: ApplicationRow): Promise<boolean> =>
  client === undefined || (client.id === application.client_id && (await isSecret(client.secret.reveal(), application.secret_hash)))

async function pairOf({ settings: { client }, source }: StartParts): Promise<Pair> {
  const secret = client?.secret ?? new Secret(newSecret(source.randomBytes))
  return { clientId: client?.id ?? newId(source), secret, hash: await hashSecret(secret.reveal(), source.randomBytes) }
}

async function make(parts: StartParts, db: Db, { clientId, secret, hash }: Pair): Promise<FirstApplication> {
  const id = newId(parts.source)
  await insertApplication(db, { id, client_id: clientId, name: 'First application', secret_hash: hash, created_at: parts.source.clock() })
  const organization = await makeOrganization(parts, db, { name: 'Default', applicationId: id, isOwn: false })
  await keepState(db, 'first_application', id)
  await keepState(db, 'first_organization', organization.id)
  return { organizationId: organization.id, clientId, ...(parts.settings.client === undefined ? { clientSecret: secret } : {}) }
}

async function apply(db: Db, application: ApplicationRow, { clientId, hash }: Pair): Promise<void> {
  try {
    await updatePair(db, application.id, { client_id: clientId, secret_hash: hash })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw fail('setting_invalid', { name: 'FERRULE_CLIENT_ID', reason: 'another application has this client id' })
  }
}
