/** `organizations`, `applications`, `workspaces` and `tokens`; `login`, `whoami`, `logout`, `use` and `config`. */
import { Applications } from '../../client/resources/applications.ts'
import { McpTokens } from '../../client/resources/mcp-tokens.ts'
import { Organizations } from '../../client/resources/organizations.ts'
import { Workspaces } from '../../client/resources/workspaces.ts'
import type { Transport } from '../../client/transport.ts'
import { FerruleError } from '../../errors.ts'
import { uuid } from '../../values/texts.ts'
import type { ApplicationRecord } from '../../wire/applications.ts'
import type { McpTokenRecord } from '../../wire/mcp-tokens.ts'
import type { OrganizationRecord } from '../../wire/organizations.ts'
import type { WorkspaceRecord } from '../../wire/workspaces.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { readObject } from '../params.ts'
import { changeProfile, type Profile, readProfiles, writeProfiles } from '../profiles.ts'
import { callOptions, openSession, openTransport } from '../session.ts'
import { type Caller, readSettings, type Sourced } from '../settings.ts'
import { findConnector } from '../target/target.ts'
import { collectPages } from '../walk.ts'

const organizationColumns = 'id,name,role,created_at'
const workspaceColumns = 'id,name,status,created_at'

/** Lists the organizations. */
export async function listOrganizations(context: CommandContext): Promise<void> {
  const organizations = new Organizations(await openSession(context))
  await context.output.list([await organizations.list(callOptions(context))], organizationColumns)
}

/** Creates an organization. */
export async function createOrganization(context: CommandContext): Promise<void> {
  const [name = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  await context.output.value(await organizations.create({ name }, callOptions(context)), organizationColumns)
}

/** Finds an organization by its id or its name. Names are not unique, so a name of several organizations is refused. */
async function findOrganization(organizations: Organizations, given: string, context: CommandContext): Promise<OrganizationRecord> {
  const known = await organizations.list(callOptions(context))
  const named = known.filter(({ name }) => name === given)
  const found = known.find(({ id }) => id === given) ?? (named.length === 1 ? named[0] : undefined)
  if (found !== undefined) return found
  const [message, hint] =
    named.length === 0
      ? [`There is no organization ${given}.`, `Organizations: ${known.map(({ name }) => name).join(', ')}.`]
      : [`Several organizations have the name ${given}.`, `Name one by its id: ${named.map(({ id }) => id).join(', ')}.`]
  throw new FerruleError('organization_not_found', { message, hint }, {})
}

/** Renames an organization. */
export async function renameOrganization(context: CommandContext): Promise<void> {
  const [given = '', name = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  const { id } = await findOrganization(organizations, given, context)
  await context.output.value(await organizations.update(id, { name }, callOptions(context)), organizationColumns)
}

/** Deletes an organization with everything in it. */
export async function deleteOrganization(context: CommandContext): Promise<void> {
  const [given = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  const { id, name } = await findOrganization(organizations, given, context)
  const question = `Delete the organization ${name} with its workspaces, connectors and copies`
  await context.ask.confirm(question, readFlag(context.options, 'yes'))
  await context.output.value(await organizations.delete(id, callOptions(context)))
  context.note(`Deleted. Within 30 days: ferrule organizations restore ${id}`)
}

/** Restores a deleted organization. */
export async function restoreOrganization(context: CommandContext): Promise<void> {
  const [id = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  await context.output.value(await organizations.restore(id, callOptions(context)), organizationColumns)
}

const openWorkspaces = async (context: CommandContext): Promise<Workspaces> => new Workspaces(await openSession(context))

/** Lists the workspaces. */
export async function listWorkspaces(context: CommandContext): Promise<void> {
  const workspaces = await openWorkspaces(context)
  await context.output.list(collectPages(workspaces.list({}, callOptions(context))), workspaceColumns)
}

/** Creates a workspace. */
export async function createWorkspace(context: CommandContext): Promise<void> {
  const [name = ''] = context.args
  const workspaces = await openWorkspaces(context)
  await context.output.value(await workspaces.create({ name }, callOptions(context)), workspaceColumns)
}

async function findWorkspace(
  workspaces: Workspaces,
  given: string,
  context: CommandContext,
): Promise<Pick<WorkspaceRecord, 'id' | 'name'>> {
  if (uuid.test(given)) return workspaces.get(given, callOptions(context))
  const known: string[] = []
  for await (const each of workspaces.list({}, callOptions(context))) {
    if (each.name === given) return each
    known.push(each.name)
  }
  const details = { hint: `Workspaces: ${known.join(', ') || 'none'}.` }
  throw new FerruleError('workspace_not_found', { message: `There is no workspace ${given}.`, ...details }, {})
}

/** Renames a workspace. */
export async function renameWorkspace(context: CommandContext): Promise<void> {
  const [given = '', name = ''] = context.args
  const workspaces = await openWorkspaces(context)
  const { id } = await findWorkspace(workspaces, given, context)
  await context.output.value(await workspaces.update(id, { name }, callOptions(context)), workspaceColumns)
}

/** Deletes a workspace with its connectors. */
export async function deleteWorkspace(context: CommandContext): Promise<void> {
  const [given = ''] = context.args
  const workspaces = await openWorkspaces(context)
  const { id, name } = await findWorkspace(workspaces, given, context)
  await context.ask.confirm(`Delete the workspace ${name} and its connectors`, readFlag(context.options, 'yes'))
  await context.output.value(await workspaces.delete(id, callOptions(context)))
  context.note(`Deleted. Within 30 days: ferrule workspaces restore ${id}`)
}

/** Restores a deleted workspace. */
export async function restoreWorkspace(context: CommandContext): Promise<void> {
  const [id = ''] = context.args
  const workspaces = await openWorkspaces(context)
  await context.output.value(await workspaces.restore(id, callOptions(context)), workspaceColumns)
}

const applicationColumns = 'id,name,client_id,is_caller,created_at'
const applicationSecretColumns = 'name,client_id,client_secret'

const openApplications = async (context: CommandContext): Promise<Applications> => new Applications(await openSession(context))

async function findApplication(applications: Applications, context: CommandContext): Promise<ApplicationRecord> {
  const [given = ''] = context.args
  const known = await applications.list(callOptions(context))
  const fitting = known.filter(({ id, client_id, name }) => id === given || client_id === given || name === given)
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  const message = only === undefined ? `There is no application ${given}.` : `Several applications have the name ${given}.`
  const hint = `Applications: ${known.map(({ name, id }) => `${name} (${id})`).join(', ')}.`
  throw new FerruleError('application_not_found', { message, hint }, {})
}

/** Lists the applications of the organization. */
export async function listApplications(context: CommandContext): Promise<void> {
  const applications = await openApplications(context)
  await context.output.list([await applications.list(callOptions(context))], applicationColumns)
}

/** Creates an application and prints its secret. */
export async function createApplication(context: CommandContext): Promise<void> {
  const [name = ''] = context.args
  const applications = await openApplications(context)
  await context.output.value(await applications.create({ name }, callOptions(context)), applicationSecretColumns)
  context.note('The secret is shown this once: keep it.')
}

/** Renames an application. */
export async function renameApplication(context: CommandContext): Promise<void> {
  const [, name = ''] = context.args
  const applications = await openApplications(context)
  const { id } = await findApplication(applications, context)
  await context.output.value(await applications.update(id, { name }, callOptions(context)), applicationColumns)
}

/** Replaces the secret of an application and prints the new one. */
export async function rotateApplicationSecret(context: CommandContext): Promise<void> {
  const applications = await openApplications(context)
  const { id, name } = await findApplication(applications, context)
  await context.ask.confirm(`Replace the secret of the application ${name}`, readFlag(context.options, 'yes'))
  await context.output.value(await applications.rotateSecret(id, callOptions(context)), applicationSecretColumns)
  context.note('The old secret fails from now on. The new one is shown this once: keep it.')
}

/** Deletes an application. */
export async function deleteApplication(context: CommandContext): Promise<void> {
  const applications = await openApplications(context)
  const { id, name } = await findApplication(applications, context)
  await context.ask.confirm(`Delete the application ${name}`, readFlag(context.options, 'yes'))
  await context.output.value(await applications.delete(id, callOptions(context)))
}

const tokenColumns = 'id,name,workspaces.name,scopes,expires_at,last_used_at'
const tokenSecretColumns = 'name,token,expires_at'

/** Finds a connector in each of the workspaces that has it. @throws FerruleError `connector_not_found` when none has it */
async function findInAny(sessions: readonly Transport[], given: string, context: CommandContext): Promise<readonly string[]> {
  const looks = await Promise.allSettled(sessions.map((session) => findConnector(session, given, context)))
  const found = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value.id] : []))
  const failed = looks.find((look) => look.status === 'rejected' && !isMissing(look.reason)) ?? looks.at(-1)
  if (failed?.status === 'rejected' && (found.length === 0 || !isMissing(failed.reason))) throw failed.reason
  return found
}

const isMissing = (thrown: unknown): boolean => thrown instanceof FerruleError && thrown.code === 'connector_not_found'

/** Finds the ids of the connectors of the options, which are named by their id, name or kind. */
async function findConnectorIds(workspaces: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const given = readList(context.options, 'connector')
  if (given.length === 0) return []
  const flags = workspaces.length === 0 ? [context.flags] : workspaces.map((workspace) => ({ ...context.flags, workspace }))
  const sessions = await Promise.all(flags.map((each) => openSession({ ...context, flags: each })))
  const ids = await Promise.all(given.map((each) => findInAny(sessions, each, context)))
  return [...new Set(ids.flat())]
}

/** Creates an MCP token and prints it. */
export async function createToken(context: CommandContext): Promise<void> {
  const { args, options, output } = context
  const transport = await openSession(context)
  const workspaces = readList(options, 'in')
  const connectors = await findConnectorIds(workspaces, context)
  const days = readNumber(options, 'days', 1)
  const body = {
    name: args[0] ?? '',
    ...(workspaces.length === 0 ? {} : { workspace_names: workspaces }),
    ...(connectors.length === 0 ? {} : { connector_ids: connectors }),
    ...(readFlag(options, 'write') ? { scopes: ['connectors:read', 'execute:read', 'execute:write'] as const } : {}),
    ...(days === undefined ? {} : { expires_in_days: days }),
  }
  await output.value(await new McpTokens(transport).create(body, callOptions(context)), tokenSecretColumns)
  context.note('The token is shown this once: keep it.')
}

/** Lists the MCP tokens of the organization. */
export async function listTokens(context: CommandContext): Promise<void> {
  const tokens = new McpTokens(await openSession(context))
  await context.output.list(collectPages(tokens.list({}, callOptions(context))), tokenColumns)
}

async function findToken(tokens: McpTokens, context: CommandContext): Promise<McpTokenRecord> {
  const [given = ''] = context.args
  const fitting: McpTokenRecord[] = []
  for await (const token of tokens.list({}, callOptions(context))) {
    if (token.id === given) return token
    if (token.name === given) fitting.push(token)
  }
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  const message = only === undefined ? `There is no token ${given}.` : `Several tokens have the name ${given}.`
  const hint = only === undefined ? 'List them: ferrule tokens list' : `Name one by its id: ${fitting.map(({ id }) => id).join(', ')}.`
  throw new FerruleError('mcp_token_not_found', { message, hint }, {})
}

/** Revokes an MCP token. */
export async function revokeToken(context: CommandContext): Promise<void> {
  const tokens = new McpTokens(await openSession(context))
  const { id, name } = await findToken(tokens, context)
  await context.ask.confirm(`Revoke the token ${name}`, readFlag(context.options, 'yes'))
  await context.output.value(await tokens.revoke(id, callOptions(context)))
}

type Identity = Pick<Profile, 'client_id' | 'client_secret' | 'token'>

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
  const { client_id: clientId, client_secret: clientSecret, token } = identity
  const transport = openTransport({ url, token, clientId, clientSecret })
  const organizations = await new Organizations(transport).list(callOptions(context))
  if (organization !== undefined && !organizations.some(({ id }) => id === organization))
    throw failUsage(`The identity does not reach the organization ${organization}.`, `It reaches: ${nameAll(organizations)}.`)
  const chosen = organization ?? (organizations.length > 1 ? await askOrganization(context, organizations) : undefined)
  const profile: Profile = { url, ...identity, organization_id: chosen, workspace }
  const isFirst = Object.keys(before.profiles).length === 0
  const current = isFirst || flags.profile === undefined ? named : before.current
  await writeProfiles(env, { current, profiles: { ...before.profiles, [named]: profile } })
  note(`Logged in to ${url} as the profile ${named}: ${nameAll(organizations)}.`)
}

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
  const organizations = await new Organizations(transport).list(callOptions(context))
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

const describeProfile = (name: string, profile: Profile, isCurrent: boolean) => ({
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
    const rows = Object.entries(before.profiles).map(([name, profile]) => describeProfile(name, profile, name === before.current))
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
