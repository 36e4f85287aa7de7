/** `login`, `whoami`, `logout`, `use` and `config`. */
import type { Transport } from '../../client/transport.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { OrganizationRecord } from '../../wire/organizations.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { readObject } from '../params.ts'
import { changeProfile, type Profile, readProfiles, writeProfiles } from '../profiles.ts'
import { callOptions, openSession, openTransport } from '../session.ts'
import { type Caller, readSettings, type Sourced } from '../settings.ts'

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

/** Deletes the identity of the profile; `--all` deletes every profile. */
export async function logout({ flags, env, options, note }: CommandContext): Promise<void> {
  if (readFlag(options, 'all')) {
    await writeProfiles(env, { current: 'default', profiles: {} })
    return note('Deleted every profile.')
  }
  const { profile } = await readSettings(flags, env)
  if (!profile.exists) throw failUsage(`There is no profile ${profile.value}.`, 'Run `ferrule use` for the profiles.')
  await changeProfile(env, profile.value, () => null)
  note(`Deleted the profile ${profile.value}.`)
}

const describe = (name: string, profile: Profile, isCurrent: boolean) => ({
  profile: name,
  current: isCurrent,
  url: profile.url ?? null,
  organization: profile.organization_id ?? null,
  workspace: profile.workspace ?? null,
})

/** Chooses the profile and its defaults. */
export async function use({ args, flags, env, output, note }: CommandContext): Promise<void> {
  const before = await readProfiles(env)
  const { organization, workspace } = flags
  const [given] = args
  if (given === undefined && organization === undefined && workspace === undefined) {
    const rows = Object.entries(before.profiles).map(([name, profile]) => describe(name, profile, name === before.current))
    await output.list([rows])
    return
  }
  const name = given ?? (await readSettings(flags, env)).profile.value
  const profile = Object.hasOwn(before.profiles, name) ? before.profiles[name] : undefined
  if (profile === undefined) {
    const known = Object.keys(before.profiles).join(', ') || 'none'
    throw failUsage(`There is no profile ${name}. There are: ${known}.`, `Run: ferrule login --profile ${name}`)
  }
  const changed: Profile = {
    ...profile,
    ...(organization === undefined ? {} : { organization_id: organization }),
    ...(workspace === undefined ? {} : { workspace }),
  }
  await writeProfiles(env, { current: given ?? before.current, profiles: { ...before.profiles, [name]: changed } })
  note(`Using the profile ${name}: workspace ${changed.workspace ?? 'default'}, organization ${changed.organization_id ?? 'of the token'}.`)
}

/** Settings that `config` sets, and their names in the file. */
const changeable = { url: 'url', organization: 'organization_id', workspace: 'workspace' } as const

const isChangeable = (name: string): name is keyof typeof changeable => Object.hasOwn(changeable, name)

const describeCaller = (caller: Caller): Sourced =>
  caller.type === 'token' ? { value: 'a token', source: caller.source } : { value: `client ${caller.clientId}`, source: caller.source }

/** Shows the settings, or sets one. */
export async function config(context: CommandContext): Promise<void> {
  const { args, flags, env, output, note } = context
  const [name, value] = args
  const settings = await readSettings(flags, env)
  const { profile, url, caller, organization, workspace, file } = settings
  if (name !== undefined && value !== undefined) {
    if (!isChangeable(name)) throw failUsage(`${name} cannot be set.`, `Set one of: ${Object.keys(changeable).join(', ')}.`)
    await changeProfile(env, profile.value, ({ [changeable[name]]: _, ...others }) =>
      value === '' ? others : { ...others, [changeable[name]]: value },
    )
    return note(`Set ${name} of the profile ${profile.value}.`)
  }
  const identity = caller === undefined ? undefined : describeCaller(caller)
  const rows = Object.entries({ profile, url, identity, organization, workspace, file: { value: file, source: '' } }).map(
    ([setting, sourced]) => ({ setting, value: sourced?.value ?? null, source: sourced?.source ?? 'not set' }),
  )
  if (name === undefined) return void (await output.list([rows]))
  const row = rows.find(({ setting }) => setting === name)
  if (row === undefined) throw failUsage(`There is no setting ${name}.`, `Settings: ${rows.map(({ setting }) => setting).join(', ')}.`)
  await output.value(row)
}
