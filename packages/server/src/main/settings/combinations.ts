/** Rules that hold between settings. */
import { Secret } from 'ferrule/engine'
import type { Proxies } from 'ferrule/internal'
import type { ContextStoreSettings } from '../../copies/store/database/settings.ts'
import type { PasswordSource } from '../../db/connections/passwords.ts'
import type { ValuesOf } from './rows.ts'
import type { settingsTable } from './table.ts'
import { settingInvalid } from './value-types.ts'

/** The values of the rows, one by one. */
export type SettingValues = ValuesOf<typeof settingsTable>

/** Checks that a database server comes with a master key, since nodes cannot share a key file. @throws FerruleError `setting_invalid` */
export function checkMasterKey({ databaseUrl, masterKey }: SettingValues): void {
  if (databaseUrl !== undefined && masterKey === undefined)
    throw settingInvalid('FERRULE_MASTER_KEY', 'it is required with DATABASE_URL; `openssl rand -base64 32` makes one')
}

/** Checks that only nodes with a shared database have a role. @throws FerruleError `setting_invalid` */
export function checkRole({ role, databaseUrl }: SettingValues): void {
  if (role !== 'all' && databaseUrl === undefined)
    throw settingInvalid('FERRULE_ROLE', 'the embedded database has one process, so its role is all; set DATABASE_URL')
}

/** The pair that the operator chose for the first application. */
export interface ClientPair {
  readonly id: string
  readonly secret: Secret<string>
}

/** Builds the pair of the first application; undefined when both are left out. @throws FerruleError `setting_invalid` for half of it */
export function toClient({ operatorClientId: id, operatorClientSecret: secret }: SettingValues): ClientPair | undefined {
  if (id === undefined && secret === undefined) return undefined
  if (id === undefined) throw settingInvalid('FERRULE_OPERATOR_CLIENT_ID', 'it is required with FERRULE_OPERATOR_CLIENT_SECRET')
  if (secret === undefined) throw settingInvalid('FERRULE_OPERATOR_CLIENT_SECRET', 'it is required with FERRULE_OPERATOR_CLIENT_ID')
  return { id, secret }
}

/** Builds the source of passwords for URLs without one. @throws FerruleError `setting_invalid` when both are set */
export function toPasswordSource({
  databasePasswordFile: file,
  databasePasswordCommand: command,
}: SettingValues): PasswordSource | undefined {
  if (file !== undefined && command !== undefined)
    throw settingInvalid('DATABASE_PASSWORD_COMMAND', 'DATABASE_PASSWORD_FILE is set too; remove one of them')
  if (file !== undefined) return { file }
  return command === undefined ? undefined : { command }
}

/** Builds the forward proxies. */
export const toProxies = ({ httpProxy, httpsProxy, noProxy }: SettingValues): Secret<Proxies> =>
  new Secret({ http: httpProxy?.reveal() ?? '', https: httpsProxy?.reveal() ?? '', none: noProxy })

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
export function toContextStore(values: SettingValues): ContextStoreSettings {
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
