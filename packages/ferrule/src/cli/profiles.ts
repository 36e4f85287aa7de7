/** The file of profiles: where a service is and who calls it, by name. It holds secrets, so only its owner may read it. */
import { chmod, mkdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isObject } from '../definition/object.ts'
import { formatJson, parseJson } from '../values/json/json.ts'
import { failSetting, readErrorCode } from './failure.ts'
import { replaceFile } from './replace-file.ts'

/** What a profile keeps. */
export interface Profile {
  readonly url?: string | undefined
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  readonly token?: string | undefined
  readonly organization_id?: string | undefined
  readonly workspace?: string | undefined
}

/** The content of the file. */
export interface Profiles {
  /** Name of the profile that is used when none is named. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Members of a profile, in the order in which they are shown. */
export const profileMembers = ['url', 'client_id', 'client_secret', 'token', 'organization_id', 'workspace'] as const

/** Returns the folder of the configuration. */
export function findFolder(env: Environment): string {
  const given = env['FERRULE_CONFIG_DIR']
  if (given) return given
  const appData = env['APPDATA']
  if (process.platform === 'win32' && appData) return join(appData, 'ferrule')
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'ferrule')
}

/** Returns the path of the file. */
export const findProfilesFile = (env: Environment): string => join(findFolder(env), 'credentials.json')

const none: Profiles = { current: 'default', profiles: {} }

function readProfile(value: unknown): Profile {
  if (!isObject(value)) return {}
  return Object.fromEntries(profileMembers.flatMap((name) => (typeof value[name] === 'string' ? [[name, value[name]]] : [])))
}

function parseProfiles(text: string, path: string): Profiles {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw failSetting(`The profile file ${path} is not JSON.`, 'Correct it, or delete it and log in again.')
  }
  const profiles = isObject(value) ? value['profiles'] : undefined
  if (!isObject(value) || !isObject(profiles))
    throw failSetting(`The profile file ${path} has no profiles.`, 'Correct it, or delete it and log in again.')
  const current = value['current']
  return {
    current: typeof current === 'string' ? current : none.current,
    profiles: Object.fromEntries(Object.entries(profiles).map(([name, profile]) => [name, readProfile(profile)])),
  }
}

/** Refuses a file that other users of the machine can read or change. Windows has no such mode. */
async function checkMode(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const { mode } = await stat(path)
  if ((mode & 0o077) === 0) return
  const shown = (mode & 0o777).toString(8)
  throw failSetting(`Other users can read the profile file ${path} (mode ${shown}), and it holds secrets.`, `Run: chmod 600 ${path}`)
}

/** Reads the profiles; a missing file has none. @throws FerruleError `setting_invalid` when the file is broken, or open to others */
export async function readProfiles(env: Environment): Promise<Profiles> {
  const path = findProfilesFile(env)
  try {
    await checkMode(path)
    return parseProfiles(await readFile(path, 'utf8'), path)
  } catch (thrown) {
    const code = readErrorCode(thrown)
    if (code === 'ENOENT') return none
    if (code === 'EACCES' || code === 'EISDIR' || code === 'ENOTDIR')
      throw failSetting(`The profile file ${path} cannot be read (${code}).`, 'Correct its permissions, or set FERRULE_CONFIG_DIR.')
    throw thrown
  }
}

/**
 * Replaces the file at once: a reader finds the old content or the new.
 * @throws FerruleError `setting_invalid` when the folder cannot be written
 */
export async function writeProfiles(env: Environment, profiles: Profiles): Promise<void> {
  const folder = findFolder(env)
  const path = findProfilesFile(env)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32') await chmod(folder, 0o700)
    await replaceFile(path, `${formatJson(profiles)}\n`, 0o600)
  } catch (thrown) {
    throw failSetting(
      `The profile file ${path} cannot be written (${readErrorCode(thrown) ?? String(thrown)}).`,
      'Correct the permissions of its folder, or set FERRULE_CONFIG_DIR.',
    )
  }
}

/** Changes one profile; null deletes it. */
export async function changeProfile(env: Environment, name: string, change: (profile: Profile) => Profile | null): Promise<void> {
  const { current, profiles } = await readProfiles(env)
  const { [name]: before = {}, ...others } = profiles
  const after = change(before)
  await writeProfiles(env, { current, profiles: after === null ? others : { ...others, [name]: after } })
}
