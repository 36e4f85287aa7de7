/** Creates the organization, workspace and application of the first start, with the client pair of the settings when there is one. */
import { Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { type Db, isUniqueViolation } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { newId, newSecret } from '../../values/ids.ts'
import { makeOrganization } from '../organizations/organizations.ts'
import { type ApplicationRow, findApplicationById, insertApplication, updateClientPair } from '../sql/applications.ts'
import { insertState, readState } from '../sql/installation-state.ts'
import { hashSecret, isSecret } from './client-secret.ts'

type StartParts = Pick<Parts, 'database' | 'source' | 'dataKeys' | 'settings'>
type OperatorClient = Settings['operatorClient']

interface Pair {
  readonly clientId: string
  readonly secret: Secret<string>
  readonly hash: string
}

/**
 * Creates the first organization and application if missing, on one node at a time. An application that exists stays as it is, whatever the
 * settings say: a variable that somebody left in a shell must not end the secret that clients have.
 */
export async function startFirst(parts: StartParts): Promise<FirstApplication> {
  const known = await findFirst(parts.database.db)
  if (known !== undefined) return describeFirst(parts, known)
  const { operatorClient: given } = parts.settings
  const pair = buildPair(given, newId(parts.source), parts.source)
  const made = await parts.database.exclusive(async (db) => ((await findFirst(db)) === undefined ? make(parts, db, pair) : undefined))
  if (made !== undefined)
    return { ...made, ...(given === undefined ? { clientSecret: pair.secret, settings: 'none' } : { settings: 'same' }) }
  return describeFirst(parts, (await findFirst(parts.database.db)) ?? failLost())
}

interface OwnedApplication {
  readonly application: ApplicationRow
  readonly organizationId: string
}

async function findFirst(db: Db): Promise<OwnedApplication | undefined> {
  const [applicationId, organizationId] = [await readState(db, 'first_application'), await readState(db, 'first_organization')]
  const application = applicationId === undefined ? undefined : await findApplicationById(db, applicationId)
  return application === undefined || organizationId === undefined ? undefined : { application, organizationId }
}

const failLost = (): never => {
  throw new Error('the first application was deleted while it was looked for')
}

/** Returns the row of the first application, which no command deletes. */
export const requireFirst = async (db: Db): Promise<ApplicationRow> => ((await findFirst(db)) ?? failLost()).application

async function describeFirst({ settings }: StartParts, { application, organizationId }: OwnedApplication): Promise<FirstApplication> {
  const first = { organizationId, clientId: application.client_id }
  const { operatorClient: given } = settings
  if (given === undefined) return { ...first, settings: 'none' }
  const isSame = given.id === application.client_id && isSecret(given.secret.reveal(), application.secret_hash)
  return { ...first, settings: isSame ? 'same' : 'ignored' }
}

/** Builds a pair: the given one, else a new secret for a client id. */
export function buildPair(given: OperatorClient, clientId: string, { randomBytes }: Pick<Parts['source'], 'randomBytes'>): Pair {
  const secret = given?.secret ?? new Secret(newSecret(randomBytes))
  return { clientId: given?.id ?? clientId, secret, hash: hashSecret(secret.reveal(), randomBytes) }
}

async function make(parts: StartParts, db: Db, { clientId, hash }: Pair): Promise<Pick<FirstApplication, 'organizationId' | 'clientId'>> {
  const id = newId(parts.source)
  await insertApplication(db, { id, client_id: clientId, name: 'First application', secret_hash: hash, created_at: parts.source.clock() })
  const organization = await makeOrganization(parts, db, { name: 'Default', applicationId: id, isOwn: false })
  await insertState(db, 'first_application', id)
  await insertState(db, 'first_organization', organization.id)
  return { organizationId: organization.id, clientId }
}

/**
 * Replaces the pair of an application, which ends its MCP tokens.
 * @throws FerruleError `setting_invalid` when another application has the client id
 */
export async function replacePair(db: Db, id: string, { clientId, hash }: Pick<Pair, 'clientId' | 'hash'>): Promise<void> {
  try {
    await updateClientPair(db, id, { client_id: clientId, secret_hash: hash })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw fail('setting_invalid', { name: 'FERRULE_OPERATOR_CLIENT_ID', reason: 'another application has this client id' })
  }
}

/** The application that the first start prints. */
export interface FirstApplication {
  readonly organizationId: string
  readonly clientId: string
  /** Present only in the start that created it; stored as a hash, so it cannot be shown again. */
  readonly clientSecret?: Secret<string>
  /** Whether the settings have a pair for it: none, the one that it has, or another one, which the start ignored. */
  readonly settings: 'none' | 'same' | 'ignored'
}
