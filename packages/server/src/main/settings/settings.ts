/** Reads the settings of the process: the rows of the table, then the rules between settings. */

import { readFileSync } from 'node:fs'
import type { Secret } from 'ferrule/engine'
import { clientVariables, countEdits, cutFinalNewline, type Proxies } from 'ferrule/internal'
import type { ContextStoreSettings } from '../../copies/store/database/settings.ts'
import type { PasswordSource } from '../../db/connections/passwords.ts'
import {
  type ClientPair,
  checkMasterKey,
  checkRole,
  type SettingValues,
  toClient,
  toContextStore,
  toPasswordSource,
  toProxies,
} from './combinations.ts'
import { type Environment, readRows, type SettingRow, type SettingRows, type ShownSetting, showRows } from './rows.ts'
import { settingsTable } from './table.ts'
import { settingInvalid } from './value-types.ts'

/** Name of the variable that holds the path of a file with the secret. */
const nameFile = (name: string): string => `${name}_FILE`

/** Lists the names that an environment may have for the rows. */
const listNames = (rows: SettingRows): readonly string[] =>
  Object.values(rows).flatMap(({ name, type }) => (type.secret ? [name, nameFile(name)] : [name]))

function readFile(setting: string, path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : ''
    throw settingInvalid(setting, `the file ${path} cannot be read${code}`)
  }
  if (cutFinalNewline(text) === '') throw settingInvalid(setting, `the file ${path} is empty`)
  return text
}

/** Finds the string of a setting. @throws FerruleError `setting_invalid` */
function findGiven({ name, otherNames = [], type }: SettingRow, env: Environment): string {
  const text = [...otherNames, name].map((each) => env[each] ?? '').find((each) => each !== '') ?? ''
  if (!type.secret) return text
  const path = env[nameFile(name)] ?? ''
  if (path === '') return cutFinalNewline(text)
  if (text !== '') throw settingInvalid(nameFile(name), `${name} is set too; remove one of them`)
  return cutFinalNewline(readFile(nameFile(name), path))
}

/**
 * Reads what is given for each setting, by its name. Files of secrets are read once, since a pipe can be read only once.
 * @returns secrets without a newline at their end
 * @throws FerruleError `setting_invalid` for a file that cannot be read, or a secret that is given twice
 */
const readGiven = (rows: SettingRows, env: Environment): Environment =>
  Object.fromEntries(Object.values(rows).map((row) => [row.name, findGiven(row, env)]))

/** Settings that are read only as parts of `operatorClient`, `databasePassword`, `proxies` or `context`. */
type Part =
  | 'databasePasswordFile'
  | 'databasePasswordCommand'
  | 'operatorClientId'
  | 'operatorClientSecret'
  | 'httpProxy'
  | 'httpsProxy'
  | 'noProxy'
  | 'searchSeconds'
  | Extract<keyof SettingValues, `context${string}`>

/** Settings of the process, checked. `table.ts` says what each means, with its unit; `readSettings` makes them. */
export interface Settings extends Omit<SettingValues, Part> {
  /** The pair that the operator chose for the first application. */
  readonly operatorClient: ClientPair | undefined
  /** Source of the password of database URLs that have none. */
  readonly databasePassword: PasswordSource | undefined
  readonly context: ContextStoreSettings
  readonly proxies: Secret<Proxies>
  /** All settings as the operator may see them: without secrets. */
  readonly shown: readonly ShownSetting[]
}

/** Names of the project's own tests, which the service may inherit from their environment. */
const testNames = /^FERRULE_(TEST_\w+|SOAK)$/

/**
 * Reads and checks the settings. An empty value counts as not given.
 * @param env the environment, for example `process.env`
 * @param options `kinds`: slugs that FERRULE_ORIGINS may name
 * @throws FerruleError `setting_invalid`, one sentence that never holds a secret
 */
export function readSettings(env: Environment, options: { readonly kinds: readonly string[] }): Settings {
  refuseUnknown(env)
  const given = readGiven(settingsTable, env)
  const values = readRows(settingsTable, given, options)
  checkMasterKey(values)
  checkRole(values)
  const { databasePasswordFile, databasePasswordCommand, operatorClientId, operatorClientSecret, ...without } = values
  const { httpProxy, httpsProxy, noProxy, searchSeconds, ...rest } = without
  const {
    contextDatabaseUrl,
    contextReadUrls,
    contextFolder,
    contextMemoryMb,
    contextSearches,
    contextWriters,
    contextDistribution,
    contextQueue,
    contextIndexes,
    ...own
  } = rest
  return {
    ...own,
    operatorClient: toClient(values),
    databasePassword: toPasswordSource(values),
    context: toContextStore(values),
    proxies: toProxies(values),
    shown: showRows(settingsTable, given),
  }
}

function refuseUnknown(env: Environment): void {
  const names = listNames(settingsTable)
  const known = new Set<string>([...names, ...clientVariables])
  const unknown = Object.keys(env).find((name) => name.startsWith('FERRULE_') && !known.has(name) && !testNames.test(name))
  if (unknown === undefined) return
  const [nearest] = names.toSorted((a, b) => countEdits(a, unknown) - countEdits(b, unknown))
  throw settingInvalid(unknown, `there is no such setting; the nearest is ${nearest}`)
}
