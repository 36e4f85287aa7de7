/** Reads the settings of the process: the rows of the table, then the rules between settings. */
import { readFileSync } from 'node:fs'
import { Secret } from 'ferrule/engine'
import { clientVariables, countEdits, cutFinalNewline, type Proxies } from 'ferrule/internal'
import type { ContextStoreSettings } from '../../copies/store/database/settings.ts'
import type { PasswordSource } from '../../db/connections/passwords.ts'
import {
  type Environment,
  readRows,
  type SettingRow,
  type SettingRows,
  type ShownSetting,
  showRows,
  type ValuesOf,
} from './setting-rows.ts'
import { settingsTable } from './table.ts'
import { settingInvalid } from './value-types.ts'

/** Name of the variable that holds the path of a file with the secret. */
const nameFile = (name: string): string => `${name}_FILE`

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
 */
const readGiven = (rows: SettingRows, env: Environment): Environment =>
  Object.fromEntries(Object.values(rows).map((row) => [row.name, findGiven(row, env)]))

/** Settings that are read only as parts of `operatorClient`, `databasePassword`, `proxies` or `context`. */
type GroupedSetting =
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
export interface Settings extends Omit<SettingValues, GroupedSetting> {
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
    proxies: new Secret({ http: values.httpProxy ?? '', https: values.httpsProxy ?? '', none: values.noProxy }),
    shown: showRows(settingsTable, given),
  }
}

/** Rows that are read before the others, which are checked with the slugs of the kinds. */
const kindRows = { kinds: settingsTable.kinds, dataFolder: settingsTable.dataFolder }

/** Reads what FERRULE_KINDS names, and the folder that keeps what was checked. */
export const readKindSettings = (env: Environment): ValuesOf<typeof kindRows> => readRows(kindRows, env, { kinds: [] })

function refuseUnknown(env: Environment): void {
  const names = listNames(settingsTable)
  const known = new Set<string>([...names, ...clientVariables])
  const unknown = Object.keys(env).find((name) => name.startsWith('FERRULE_') && !known.has(name) && !testNames.test(name))
  if (unknown === undefined) return
  const [nearest] = names.toSorted((a, b) => countEdits(a, unknown) - countEdits(b, unknown))
  throw settingInvalid(unknown, `there is no such setting; the nearest is ${nearest}`)
}

type SettingValues = ValuesOf<typeof settingsTable>

/** Checks that a database server comes with a master key, since nodes cannot share a key file. @throws FerruleError `setting_invalid` */
function checkMasterKey({ databaseUrl, masterKey }: SettingValues): void {
  if (databaseUrl !== undefined && masterKey === undefined)
    throw settingInvalid('FERRULE_MASTER_KEY', 'it is required with DATABASE_URL; `openssl rand -base64 32` makes one')
}

/** Checks that only nodes with a shared database have a role. @throws FerruleError `setting_invalid` */
function checkRole({ role, databaseUrl }: SettingValues): void {
  if (role !== 'all' && databaseUrl === undefined)
    throw settingInvalid('FERRULE_ROLE', 'the embedded database has one process, so its role is all; set DATABASE_URL')
}

/** The pair that the operator chose for the first application. */
interface ClientPair {
  readonly id: string
  readonly secret: Secret<string>
}

/** Builds the pair of the first application; undefined when both are left out. @throws FerruleError `setting_invalid` for half of it */
function toClient({ operatorClientId: id, operatorClientSecret: secret }: SettingValues): ClientPair | undefined {
  if (id === undefined && secret === undefined) return undefined
  if (id === undefined) throw settingInvalid('FERRULE_OPERATOR_CLIENT_ID', 'it is required with FERRULE_OPERATOR_CLIENT_SECRET')
  if (secret === undefined) throw settingInvalid('FERRULE_OPERATOR_CLIENT_SECRET', 'it is required with FERRULE_OPERATOR_CLIENT_ID')
  return { id, secret }
}

/** Builds the source of passwords for URLs without one. @throws FerruleError `setting_invalid` when both are set */
function toPasswordSource({ databasePasswordFile: file, databasePasswordCommand: command }: SettingValues): PasswordSource | undefined {
  if (file !== undefined && command !== undefined)
    throw settingInvalid('DATABASE_PASSWORD_COMMAND', 'DATABASE_PASSWORD_FILE is set too; remove one of them')
  if (file !== undefined) return { file }
  return command === undefined ? undefined : { command }
}

/** Maximum number of read replicas: each has connections and is looked at. */
const mostReplicas = 8

/** Checks that replicas have a primary. @throws FerruleError `setting_invalid` */
function checkReplicas({ contextDatabaseUrl, contextReadUrls }: SettingValues): void {
  if (contextReadUrls.length > mostReplicas) throw settingInvalid('CONTEXT_READ_URLS', `it names more than ${mostReplicas} replicas`)
  if (contextReadUrls.length === 0 || contextDatabaseUrl !== undefined) return
  const reason = 'the embedded copy of the records has no replicas; set CONTEXT_DATABASE_URL, or leave it out'
  throw settingInvalid('CONTEXT_READ_URLS', reason)
}

/**
 * Builds the settings of the context store: PostgreSQL with a URL, else embedded.
 * @throws FerruleError `setting_invalid` for a folder beside a URL: several nodes could not share the folder
 */
function toContextStore(values: SettingValues): ContextStoreSettings {
  const { contextReadUrls: replicas } = values
  const { contextDatabaseUrl: url, contextFolder: folder, contextMemoryMb: memoryMb } = values
  const common = { waiting: values.contextQueue, searchSeconds: values.searchSeconds, indexes: values.contextIndexes }
  checkReplicas(values)
  if (folder !== undefined && url === undefined) return { engine: 'embedded', folder, memoryMb, ...common }
  if (folder === undefined && url !== undefined)
    return {
      engine: 'postgres',
      url,
      password: toPasswordSource(values),
      searches: values.contextSearches,
      writers: values.contextWriters,
      distribution: values.contextDistribution,
      ...(replicas.length === 0 ? {} : { replicas }),
      ...common,
    }
  const reason = 'with DATABASE_URL or CONTEXT_DATABASE_URL the copy of the records is kept in PostgreSQL; remove one of them'
  throw settingInvalid('FERRULE_CONTEXT_FOLDER', reason)
}
