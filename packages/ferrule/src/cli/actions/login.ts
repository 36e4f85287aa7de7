/** `login` and `whoami`. */
import type { Transport } from '../../client/transport.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { OrganizationRecord } from '../../wire/organizations.ts'
import { type CommandContext, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { readObject } from '../input.ts'
import { type Profile, readProfiles, writeProfiles } from '../profiles.ts'
import { callOptions, openSession, openTransport } from '../session.ts'
import { readSettings } from '../settings.ts'

type Identity = Pick<Profile, 'client_id' | 'client_secret' | 'token'>

const listOrganizations = async (transport: Transport, context: CommandContext): Promise<readonly OrganizationRecord[]> =>
  (await transport.json<{ readonly data: readonly OrganizationRecord[] }>(endpoints.listOrganizations, callOptions(context))).data

/** Reads an identity from a file. Errors never quote its values. */
async function readIdentityFile(path: string): Promise<Identity> {
  const { client_id: id, client_secret: secret, token } = await readObject(path)
  if (typeof token === 'string' && token !== '') return { token }
  if (typeof id === 'string' && id !== '' && typeof secret === 'string' && secret !== '') return { client_id: id, client_secret: secret }
  throw failUsage('The file has neither client_id and client_secret nor token.', 'Write {"client_id": "…", "client_secret": "…"}.')
}

async function askIdentity({ ask, options, env }: CommandContext): Promise<Identity> {
  const given = readText(options, 'clientId') ?? env['FERRULE_CLIENT_ID']
  const instead = '--from-file with client_id and client_secret, or set FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET'
  const client_id = given || (await ask.text({ message: 'Client id', instead }))
  const client_secret = env['FERRULE_CLIENT_SECRET'] || (await ask.secret({ message: 'Client secret', instead }))
  return { client_id, client_secret }
}

const isAddress = (text: string): string | undefined =>
  URL.canParse(text) ? undefined : 'Give an address such as https://ferrule.example.com.'

/** Stores an identity, after the service has accepted it. */
export async function login(context: CommandContext): Promise<void> {
  const { flags, env, options, ask, note } = context
  const before = await readProfiles(env)
  const named = flags.profile ?? (env['FERRULE_PROFILE'] || before.current)
  const stored = Object.hasOwn(before.profiles, named) ? before.profiles[named] : undefined
  const instead = '--url, or set FERRULE_URL'
  const suggested = stored?.url ?? 'http://127.0.0.1:8080'
  const known = flags.url ?? (env['FERRULE_URL'] || undefined)
  const url = known ?? (await ask.text({ message: 'Address of the service', instead, initial: suggested, check: isAddress }))
  const file = readText(options, 'fromFile')
  const identity = file === undefined ? await askIdentity(context) : await readIdentityFile(file)
  const { organization = stored?.organization_id, workspace = stored?.workspace } = flags
  const organizations = await listOrganizations(openTransport({ url, ...toClientOptions(identity) }), context)
  if (organization !== undefined && !organizations.some(({ id }) => id === organization))
    throw failUsage(`The identity does not reach the organization ${organization}.`, `It reaches: ${nameAll(organizations)}.`)
  const chosen = organization ?? (organizations.length > 1 ? await askOrganization(context, organizations) : undefined)
  const profile: Profile = {
    url,
    ...identity,
    organization_id: chosen,
    workspace,
  }
  const isFirst = Object.keys(before.profiles).length === 0
  const current = isFirst || flags.profile === undefined ? named : before.current
  await writeProfiles(env, { current, profiles: { ...before.profiles, [named]: profile } })
  note(`Logged in to ${url} as the profile ${named}: ${nameAll(organizations)}.`)
}

const toClientOptions = ({ client_id: clientId, client_secret: clientSecret, token }: Identity) => ({
  token,
  clientId,
  clientSecret,
})

const nameAll = (organizations: readonly OrganizationRecord[]): string => organizations.map(({ id, name }) => `${name} (${id})`).join(', ')

/** Asks for the default organization. Without a terminal the profile gets no default; the service refuses requests that need one. */
async function askOrganization({ ask }: CommandContext, organizations: readonly OrganizationRecord[]): Promise<string | undefined> {
  if (!ask.canAsk) return undefined
  const options = organizations.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))
  return ask.select({ message: 'Default organization', instead: '--organization', options })
}

/** Shows who calls which service. */
export async function whoami(context: CommandContext): Promise<void> {
  const transport = await openSession(context)
  const { profile, caller, organization, workspace } = await readSettings(context.flags, context.env)
  const organizations = await listOrganizations(transport, context)
  await context.output.value({
    url: transport.settings.url,
    profile: profile.exists ? profile.value : null,
    identity: caller?.type === 'client' ? caller.clientId : 'token',
    organization: organization?.value ?? (organizations.length === 1 ? organizations[0]?.id : null),
    workspace: workspace.value,
    organizations: organizations.map(({ id, name, role }) => ({ id, name, role })),
  })
}
