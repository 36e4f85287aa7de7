/** Commands on the service's own state. They run beside a running service, with the same settings. */
import { Command } from 'commander'
import { kinds } from '../../connectors/index.ts'
import type { Secret } from '../../engine/secret.ts'
import { openPlatform } from '../../platform/platform.ts'
import type { ApplicationRecord, OrganizationReach } from '../../platform/records.ts'
import { readSettings } from '../../platform/settings.ts'
import type { Platform } from '../../platform/types.ts'
import { showSecret } from '../show-secret.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const pairText = (clientId: string, secret: Secret<string>): string =>
  `Client id ${clientId}, client secret ${showSecret(secret)} (shown this once: keep it)`

/** Opens the state for one command and closes it, however the command ends. */
async function withPlatform(run: (platform: Platform) => Promise<void>): Promise<void> {
  const settings = readSettings(process.env, { kinds: Object.keys(kinds) })
  const platform = await openPlatform({ settings, kinds: Object.values(kinds), role: 'administration' })
  try {
    const { clientId, clientSecret } = platform.first
    if (clientSecret !== undefined) print(`First start. ${pairText(clientId, clientSecret)}`)
    await run(platform)
  } finally {
    await platform.close()
  }
}

const lineOf = ({ client_id, name, organization_ids }: ApplicationRecord): string =>
  `${client_id}  ${name}  (${organization_ids.join(', ')})`

const createApplication = (name: string, { organization }: { readonly organization?: string }) =>
  withPlatform(async ({ applications, first }) => {
    const made = await applications.create({ name, organizationId: organization ?? first.organizationId })
    print(pairText(made.clientId, made.clientSecret))
  })

const rotateSecret = (clientId: string) =>
  withPlatform(async ({ applications }) => {
    const secret = await applications.rotateSecret(clientId)
    print(pairText(clientId, secret))
  })

const reachText = ({ id, name, client_ids }: OrganizationReach): string => `${id}  ${name}  (${client_ids.join(', ')})`

/** `ferrule organization …` */
export function organizationCommand(): Command {
  const command = new Command('organization').description('Organizations and the applications that reach them')
  command
    .command('list')
    .description('list organizations with the client ids of their applications')
    .action(() => withPlatform(async ({ applications }) => print((await applications.organizations()).map(reachText).join('\n'))))
  return command
}

const deleteApplication = (clientId: string) => withPlatform(({ applications }) => applications.delete(clientId))
const grant = (clientId: string, organizationId: string) => withPlatform(({ applications }) => applications.grant(clientId, organizationId))
const revoke = (clientId: string, organizationId: string) =>
  withPlatform(({ applications }) => applications.revoke(clientId, organizationId))

/** `ferrule application …` */
export function applicationCommand(): Command {
  const command = new Command('application').description('Applications: client ids and their secrets')
  command
    .command('list')
    .description('list applications with the ids of their organizations')
    .action(() => withPlatform(async ({ applications }) => print((await applications.list()).map(lineOf).join('\n'))))
  command
    .command('create')
    .description('make an application and show its secret once')
    .argument('<name>', 'display name')
    .option('--organization <id>', 'organization that it may reach; default: the first one')
    .action(createApplication)
  command
    .command('grant')
    .description('let an application reach one more organization')
    .argument('<client id>')
    .argument('<organization id>')
    .action(grant)
  command
    .command('revoke')
    .description('take back a grant; tokens that are out end within 20 minutes')
    .argument('<client id>')
    .argument('<organization id>')
    .action(revoke)
  command
    .command('delete')
    .description('remove an application and its grants; tokens that are out end within 20 minutes')
    .argument('<client id>')
    .action(deleteApplication)
  command
    .command('rotate-secret')
    .description('replace the secret of an application and show the new one once')
    .argument('<client id>')
    .action(rotateSecret)
  return command
}

/** `ferrule vault …` */
export function vaultCommand(): Command {
  const command = new Command('vault').description('Keys of the stored credentials')
  command
    .command('rotate-master-key')
    .description('wrap every data key with the current master key')
    .action(() => withPlatform(async ({ vault }) => print(`${(await vault.rotateMasterKey()).rewrapped} data keys wrapped anew`)))
  command
    .command('rotate-data-keys')
    .description('give every workspace a new data key and seal all credentials with it')
    .action(() => withPlatform(async ({ vault }) => print(`${(await vault.rotateDataKeys()).resealed} credentials sealed anew`)))
  return command
}
