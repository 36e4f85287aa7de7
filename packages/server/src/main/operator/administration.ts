/** Commands on the state of the service. They can run while the service runs, with the same settings. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { FerruleError } from 'ferrule'
import { createEngine, type Secret } from 'ferrule/engine'
import { type ServedKind, summarize } from '../../connectors/connector-types.ts'
import type { ApplicationRecord, OrganizationReach } from '../../tenancy/applications/applications.ts'
import { readServedKinds } from '../kinds/served.ts'
import { openPlatform } from '../platform.ts'
import type { Platform } from '../platform-types.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { showSecret } from './show-secret.ts'

/** Prints a line. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`)

const formatPair = (clientId: string, secret: Secret<string>): string =>
  `Client id ${clientId}, client secret ${showSecret(secret)} (shown this once: keep it)`

/** Pause between two looks for a database that does not answer, in milliseconds. */
const pauseMs = 1_000

/** The opened state, with what it was opened from. */
export interface StateParts {
  readonly platform: Platform
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
}

/** Opens the state. A database that does not answer yet gets some seconds. @throws FerruleError `unavailable` afterwards */
async function open(waitSeconds: number): Promise<StateParts> {
  const kinds = await readServedKinds(process.env)
  const settings = readSettings(process.env, { kinds: kinds.map((each) => summarize(each).kind) })
  const until = performance.now() + waitSeconds * 1_000
  for (let looks = 0; ; looks += 1)
    try {
      return { platform: await openPlatform({ settings, kinds, engine: createEngine, role: 'administration' }), settings, kinds }
    } catch (thrown) {
      const isLast = performance.now() + pauseMs > until
      if (isLast || !(thrown instanceof FerruleError) || thrown.code !== 'unavailable') throw thrown
      if (looks === 0) process.stderr.write(`The database does not answer yet. Waiting for ${waitSeconds} seconds.\n`)
      await sleep(pauseMs)
    }
}

/** Opens the state for one command, and closes it after success and failure. */
export async function withPlatform(run: (platform: Platform, parts: StateParts) => Promise<void>, waitSeconds = 0): Promise<void> {
  const parts = await open(waitSeconds)
  const { platform } = parts
  try {
    const { clientId, clientSecret } = platform.first
    if (clientSecret !== undefined) print(`First start. ${formatPair(clientId, clientSecret)}`)
    await run(platform, parts)
  } finally {
    await platform.close()
  }
}

const formatApplication = ({ client_id, name, organization_ids }: ApplicationRecord): string =>
  `${client_id}  ${name}  (${organization_ids.join(', ')})`

const createApplication = (name: string, { organization }: { readonly organization?: string }) =>
  withPlatform(async ({ applications, first }) => {
    const made = await applications.create({ name, organizationId: organization ?? first.organizationId })
    print(formatPair(made.clientId, made.clientSecret))
  })

const rotate = (clientId: string | undefined) =>
  withPlatform(async ({ applications }) => {
    const { clientId: id, clientSecret } = await applications.rotate(clientId)
    print(clientSecret === undefined ? `Client id ${id}, client secret of FERRULE_OPERATOR_CLIENT_SECRET` : formatPair(id, clientSecret))
  })

const formatOrganization = ({ id, name, client_ids }: OrganizationReach): string => `${id}  ${name}  (${client_ids.join(', ')})`

/** Builds `ferrule-server organizations …`. */
export function buildOrganizationCommand(): Command {
  const command = new Command('organizations').description('organizations and their applications')
  command
    .command('list')
    .description('list organizations with the client ids of their applications')
    .action(() => withPlatform(async ({ applications }) => print((await applications.organizations()).map(formatOrganization).join('\n'))))
  return command
}

const deleteApplication = (clientId: string) => withPlatform(({ applications }) => applications.delete(clientId))
const grant = (clientId: string, organizationId: string) => withPlatform(({ applications }) => applications.grant(clientId, organizationId))
const revoke = (clientId: string, organizationId: string) =>
  withPlatform(({ applications }) => applications.revoke(clientId, organizationId))

/** Builds `ferrule-server applications …`. */
export function buildApplicationCommand(): Command {
  const command = new Command('applications').description('applications: client ids and secrets')
  command
    .command('list')
    .description('list applications with the ids of their organizations')
    .action(() => withPlatform(async ({ applications }) => print((await applications.list()).map(formatApplication).join('\n'))))
  command
    .command('create')
    .description('create an application and show its secret once')
    .argument('<name>', 'display name')
    .option('--organization <id>', 'organization that the application may reach; default: the first one')
    .action(createApplication)
  command
    .command('grant')
    .description('let an application reach another organization')
    .argument('<client id>')
    .argument('<organization id>')
    .action(grant)
  command
    .command('revoke')
    .description('revoke a grant; issued tokens expire within 20 minutes')
    .argument('<client id>')
    .argument('<organization id>')
    .action(revoke)
  command
    .command('delete')
    .description('delete an application and its grants; issued tokens expire within 20 minutes')
    .argument('<client id>')
    .action(deleteApplication)
  command
    .command('rotate')
    .description('replace the secret of an application and show the new one once')
    .argument(
      '[client id]',
      'default: the first application, which gets the pair of FERRULE_OPERATOR_CLIENT_ID and _SECRET if they are set',
    )
    .action(rotate)
  return command
}

/** Reads a number of seconds, an hour at most. */
function readSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3_600) return Number(text)
  throw new InvalidArgumentError('It must be an integer from 0 to 3600.')
}

/** Builds `ferrule-server migrate`: opening the state does all of it. */
export const buildMigrateCommand = (): Command =>
  new Command('migrate')
    .description('bring the tables of the state to this version, then end; nodes do the same when they start')
    .addOption(new Option('--wait <seconds>', 'time for a database that does not answer yet').default(60).argParser(readSeconds))
    .action(({ wait }: { readonly wait: number }) => withPlatform(async () => print('The tables are those of this version.'), wait))

/** Builds `ferrule-server vault …`. */
export function buildVaultCommand(): Command {
  const command = new Command('vault').description('keys of the stored credentials')
  command
    .command('rotate-master-key')
    .description('wrap every data key with the current master key')
    .action(() => withPlatform(async ({ vault }) => print(`${(await vault.rotateMasterKey()).rewrapped} data keys wrapped again`)))
  command
    .command('rotate-data-keys')
    .description('create a new data key for each workspace and encrypt all credentials with it')
    .action(() => withPlatform(async ({ vault }) => print(`${(await vault.rotateDataKeys()).resealed} credentials encrypted again`)))
  return command
}
