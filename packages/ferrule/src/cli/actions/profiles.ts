/** `logout`, `use` and `config`: the profiles themselves. */
import { type CommandContext, readFlag } from '../context.ts'
import { failUsage } from '../failure.ts'
import { changeProfile, type Profile, readProfiles, writeProfiles } from '../profiles.ts'
import { type Caller, readSettings, type Sourced } from '../settings.ts'

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
