/** Where the settings of a call come from: flag, environment, profile, default. */
import type { ServiceOptions } from '../client/settings.ts'
import { failSetting, failUsage } from './failure.ts'
import { findProfilesFile, type Profile, readProfiles } from './profiles.ts'

/** A value and its source, for `doctor` and `config`. */
export interface Sourced {
  readonly value: string
  /** For example `--url`, `FERRULE_URL`, `profile default`, `default`. */
  readonly source: string
}

/** The flags that choose a service. */
export interface ServiceFlags {
  readonly profile?: string | undefined
  readonly url?: string | undefined
  readonly organization?: string | undefined
  readonly workspace?: string | undefined
}

/** Who calls the service. */
export type Caller =
  | { readonly type: 'token'; readonly token: string; readonly source: string }
  | { readonly type: 'client'; readonly clientId: string; readonly clientSecret: string; readonly source: string }

/** All settings with their sources; undefined: not set. */
export interface Settings {
  readonly file: string
  readonly profile: Sourced & { readonly exists: boolean }
  readonly url: Sourced | undefined
  readonly caller: Caller | undefined
  readonly organization: Sourced | undefined
  readonly workspace: Sourced
}

type Environment = Readonly<Record<string, string | undefined>>
type Candidate = readonly [value: string | undefined, source: string]

/** Returns the first value that is set. */
function choose(...candidates: readonly Candidate[]): Sourced | undefined {
  for (const [value, source] of candidates) if (value !== undefined && value !== '') return { value, source }
  return undefined
}

/** Takes the identity whole from one source, so that an id never meets the secret of another application. */
function chooseCaller(env: Environment, profile: Profile, source: string): Caller | undefined {
  const { FERRULE_TOKEN: token, FERRULE_CLIENT_ID: id, FERRULE_CLIENT_SECRET: secret } = env
  if (token) return { type: 'token', token, source: 'FERRULE_TOKEN' }
  if (id && secret) return { type: 'client', clientId: id, clientSecret: secret, source: 'FERRULE_CLIENT_ID, FERRULE_CLIENT_SECRET' }
  if (id || secret) {
    const [given, missing] = id ? ['FERRULE_CLIENT_ID', 'FERRULE_CLIENT_SECRET'] : ['FERRULE_CLIENT_SECRET', 'FERRULE_CLIENT_ID']
    throw failSetting(`${given} is set without ${missing}.`, `Set ${missing} too, or unset ${given} to use the profile.`)
  }
  if (profile.token !== undefined) return { type: 'token', token: profile.token, source }
  const { client_id: clientId, client_secret: clientSecret } = profile
  if (clientId === undefined || clientSecret === undefined) return undefined
  return { type: 'client', clientId, clientSecret, source }
}

/**
 * Reads the settings.
 * @throws FerruleError `setting_invalid` for a broken file or a half identity; `validation_failed` for an unknown profile
 */
export async function readSettings(flags: ServiceFlags, env: Environment): Promise<Settings> {
  const { current, profiles } = await readProfiles(env)
  const chosen = choose(
    [flags.profile, '--profile'],
    [env['FERRULE_PROFILE'], 'FERRULE_PROFILE'],
    [Object.keys(profiles).length > 0 ? current : undefined, 'the profile file'],
  )
  const name = chosen ?? { value: 'default', source: 'default' }
  const exists = Object.hasOwn(profiles, name.value)
  const profile = (exists ? profiles[name.value] : undefined) ?? {}
  const source = `profile ${name.value}`
  return {
    file: findProfilesFile(env),
    profile: { ...name, exists },
    url: choose([flags.url, '--url'], [env['FERRULE_URL'], 'FERRULE_URL'], [profile.url, source]),
    caller: chooseCaller(env, profile, source),
    organization: choose(
      [flags.organization, '--organization'],
      [env['FERRULE_ORGANIZATION_ID'], 'FERRULE_ORGANIZATION_ID'],
      [profile.organization_id, source],
    ),
    workspace: choose([flags.workspace, '--workspace'], [env['FERRULE_WORKSPACE'], 'FERRULE_WORKSPACE'], [profile.workspace, source]) ?? {
      value: 'default',
      source: 'default',
    },
  }
}

const trim = (url: string): string => url.replace(/\/+$/, '')

/** Refuses to send the identity of a profile to another service than the one that it belongs to. */
async function checkOwner({ url, caller, profile }: Settings, env: Environment): Promise<void> {
  if (url === undefined || caller?.source !== `profile ${profile.value}` || url.source === caller.source) return
  const owner = (await readProfiles(env)).profiles[profile.value]?.url
  if (owner === undefined || trim(owner) === trim(url.value)) return
  throw failUsage(
    `${url.source} names ${url.value}, and the profile ${profile.value} belongs to ${owner}: its secret is not sent elsewhere.`,
    `Run: ferrule login --profile NAME --url ${url.value}, or set FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET.`,
  )
}

/** Makes the options of the client. @throws FerruleError when no service or no identity is set */
export async function buildServiceOptions(settings: Settings, env: Environment): Promise<ServiceOptions & { readonly url: string }> {
  const { url, caller, organization, workspace, profile } = settings
  const named = profile.source === 'default' || profile.source === 'the profile file' ? '' : ` --profile ${profile.value}`
  if (!profile.exists && profile.source === '--profile' && (url === undefined || caller === undefined))
    throw failUsage(`There is no profile ${profile.value} in ${settings.file}.`, `Run: ferrule login${named}`)
  if (url === undefined) throw failUsage('No service is set.', `Run: ferrule login${named}, or give --url, or set FERRULE_URL.`)
  if (caller === undefined)
    throw failUsage(
      `No identity is set for ${url.value}.`,
      `Run: ferrule login${named}, or set FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET, or FERRULE_TOKEN.`,
    )
  await checkOwner(settings, env)
  return {
    url: url.value,
    workspace: workspace.value,
    ...(organization === undefined ? {} : { organizationId: organization.value }),
    ...(caller.type === 'token' ? { token: caller.token } : { clientId: caller.clientId, clientSecret: caller.clientSecret }),
  }
}
