/** The settings of the process: one table that is validated and documented. */
import { totalmem } from 'node:os'
import ipaddr from 'ipaddr.js'
import type { ContextStoreSettings } from '../context/store/types.ts'
import { isObject } from '../definition/object.ts'
import type { OriginOverride } from '../engine/connection.ts'
import { Secret } from '../engine/secret.ts'
import { fail } from '../errors.ts'
import { readContextSettings } from './settings-context.ts'
import { settingsTable } from './settings-table.ts'

const roles = ['all', 'api', 'worker'] as const
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Settings of the process, checked. Made by `readSettings`. */
export interface Settings {
  readonly host: string
  /** 0: a free port is chosen. */
  readonly port: number
  /** Folder of the embedded database and of its master key. */
  readonly dataFolder: string
  /** Absent: the embedded database. */
  readonly databaseUrl?: Secret<string>
  /** 32 bytes; always present with `databaseUrl`. */
  readonly masterKey?: Secret<Buffer>
  /** Earlier master keys that may still wrap data keys. */
  readonly previousMasterKeys: readonly Secret<Buffer>[]
  /** The first application's pair, when it is given from outside. */
  readonly client?: { readonly id: string; readonly secret: Secret<string> }
  /** Kind → origins that replace those of its definition. */
  readonly origins: Readonly<Record<string, OriginOverride>>
  /** Whether the service runs its stand-ins of the vendors and takes connectors of `environment.sandbox`. */
  readonly sandbox: boolean
  /** Addresses and CIDR blocks of proxies, or the number of hops; `[]`: none is trusted. */
  readonly trustedProxies: readonly string[] | number
  /** Origins that browsers may call from. */
  readonly corsOrigins: readonly string[]
  /** Execute calls per minute for an organization; 0: unlimited. */
  readonly rateLimit: number
  /** Execute calls at one time for an organization; 0: unlimited. */
  readonly concurrency: number
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  /** Memory for the answers of vendors, in bytes. */
  readonly bodyMemory: number
  readonly logLevel: (typeof logLevels)[number]
  /** Seconds between a signal to stop and the end of taking requests. */
  readonly shutdownDelay: number
  /** Seconds that running requests get after that. */
  readonly shutdownSeconds: number
  /** Seconds until an operation gives up. */
  readonly operationSeconds: number
  /** What this process does: `api` answers requests, `worker` fills the context store, `all` does both. */
  readonly role: (typeof roles)[number]
  /** Syncs at one time on this node. */
  readonly syncConcurrency: number
  /** Seconds between two syncs of a connector that has no interval of its own. */
  readonly syncIntervalSeconds: number
  /** Days after which a sync that asks for changes reads everything again. */
  readonly syncFullDays: number
  /** Address that clients use, without a trailing slash. Absent: taken from the request. */
  readonly publicUrl?: string
  /** Where the copy of the records is kept. */
  readonly context: ContextStoreSettings
}

/** Names of the project's own tests, which the service may inherit from their environment. */
const testNames = /^FERRULE_(TEST_\w+|SOAK)$/

type Environment = Readonly<Record<string, string | undefined>>
const invalid = (name: string, reason: string) => fail('setting_invalid', { name, reason })

/**
 * Reads and checks the settings. An empty value counts as not given.
 * @param env the environment, for example `process.env`
 * @param options `kinds`: slugs that FERRULE_ORIGINS may name
 * @throws FerruleError `setting_invalid`, one sentence that never holds a secret
 */
export function readSettings(env: Environment, { kinds }: { readonly kinds: readonly string[] }): Settings {
  refuseUnknown(env)
  const value = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const urlOf = (name: string): Secret<string> | undefined => readDatabaseUrl(name, value(name))
  const databaseUrl = urlOf('DATABASE_URL')
  const masterKey = readKey('FERRULE_MASTER_KEY', value('FERRULE_MASTER_KEY'))
  if (databaseUrl !== undefined && masterKey === undefined)
    throw invalid('FERRULE_MASTER_KEY', 'it is required with DATABASE_URL; `openssl rand -base64 32` makes one')
  const client = readClient(value('FERRULE_CLIENT_ID'), value('FERRULE_CLIENT_SECRET'))
  const publicUrl = readPublicUrl(value('FERRULE_PUBLIC_URL'))
  const dataFolder = value('FERRULE_DATA') ?? './data'
  const integer = (name: string, standard: number, range: readonly [number, number]) =>
    readInteger(name, value(name) ?? String(standard), range)
  return {
    host: value('FERRULE_HOST') ?? '127.0.0.1',
    port: integer('FERRULE_PORT', 8080, [0, 65_535]),
    dataFolder,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(masterKey === undefined ? {} : { masterKey }),
    previousMasterKeys: listOf(value('FERRULE_MASTER_KEY_PREVIOUS')).flatMap((key) => readKey('FERRULE_MASTER_KEY_PREVIOUS', key) ?? []),
    ...(client === undefined ? {} : { client }),
    origins: readOrigins(value('FERRULE_ORIGINS'), kinds),
    sandbox: readChoice('FERRULE_SANDBOX', value('FERRULE_SANDBOX') ?? (databaseUrl === undefined ? 'on' : 'off'), ['on', 'off']) === 'on',
    trustedProxies: readProxies(value('FERRULE_TRUSTED_PROXIES')),
    corsOrigins: listOf(value('FERRULE_CORS_ORIGINS')).map((text) => readOrigin('FERRULE_CORS_ORIGINS', text)),
    rateLimit: integer('FERRULE_RATE_LIMIT', 600, [0, 1_000_000_000]),
    concurrency: integer('FERRULE_CONCURRENCY', 60, [0, 1_000_000]),
    bodyLimit: integer('FERRULE_BODY_LIMIT', 1_048_576, [1_024, 67_108_864]),
    bodyMemory: integer('FERRULE_BODY_MEMORY', usualBodyMemory(), [32, 65_536]) * 1_048_576,
    logLevel: readChoice('FERRULE_LOG_LEVEL', value('FERRULE_LOG_LEVEL') ?? 'info', logLevels),
    shutdownDelay: integer('FERRULE_SHUTDOWN_DELAY', 0, [0, 300]),
    shutdownSeconds: integer('FERRULE_SHUTDOWN_SECONDS', 30, [0, 3_600]),
    operationSeconds: integer('FERRULE_OPERATION_SECONDS', 60, [1, 3_600]),
    role: readRole(value('FERRULE_ROLE') ?? 'all', databaseUrl !== undefined),
    syncConcurrency: integer('FERRULE_SYNC_CONCURRENCY', 8, [1, 256]),
    syncIntervalSeconds: integer('FERRULE_SYNC_INTERVAL', 3_600, [60, 2_592_000]),
    syncFullDays: integer('FERRULE_SYNC_FULL_DAYS', 7, [1, 365]),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    context: readContextSettings({ value, integer, databaseUrl: urlOf, dataFolder }),
  }
}

/** A quarter of what the container or the machine has, 1024 at most; in megabytes. */
function usualBodyMemory(): number {
  const constrained = process.constrainedMemory()
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.max(32, Math.min(1_024, Math.floor(bytes / 4 / 1_048_576)))
}

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function refuseUnknown(env: Environment): void {
  const names = settingsTable.map((setting) => setting.name)
  const unknown = Object.keys(env).find((name) => name.startsWith('FERRULE_') && !names.includes(name) && !testNames.test(name))
  if (unknown === undefined) return
  const [nearest] = names.toSorted((a, b) => distance(a, unknown) - distance(b, unknown))
  throw invalid(unknown, `there is no such setting; the nearest is ${nearest}`)
}

/** Edit distance of Levenshtein. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (previous[j + 1] ?? 0) + 1, (previous[j] ?? 0) + (letter === other ? 0 : 1)))
    previous = next
  }
  return previous.at(-1) ?? 0
}

function readInteger(name: string, text: string, [low, high]: readonly [number, number]): number {
  const number = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
  if (number >= low && number <= high) return number
  throw invalid(name, `it must be an integer from ${low} to ${high}`)
}

function readChoice<const C extends string>(name: string, text: string, choices: readonly C[]): C {
  const found = choices.find((choice) => choice === text.trim().toLowerCase())
  if (found === undefined) throw invalid(name, `it must be one of ${choices.join(', ')}`)
  return found
}

function readRole(text: string, isShared: boolean): Settings['role'] {
  const role = readChoice('FERRULE_ROLE', text, roles)
  if (role !== 'all' && !isShared)
    throw invalid('FERRULE_ROLE', 'the embedded database has one process, so its role is all; set DATABASE_URL')
  return role
}

function readDatabaseUrl(name: string, text: string | undefined): Secret<string> | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) throw invalid(name, 'it must be a postgresql:// URL')
  return new Secret(text)
}

/** Canonical base64 or base64url, padded or not: what does not encode back to itself lost or gained a character. */
function readKey(name: string, text: string | undefined): Secret<Buffer> | undefined {
  if (text === undefined) return undefined
  const plain = text.trim().replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  const bytes = Buffer.from(plain, 'base64')
  if (bytes.length === 32 && bytes.toString('base64').replace(/=+$/, '') === plain) return new Secret(bytes)
  throw invalid(name, 'a key must be 32 bytes in base64 or base64url; `openssl rand -base64 32` makes one')
}

function readClient(id: string | undefined, secret: string | undefined): Settings['client'] {
  if (id === undefined && secret === undefined) return undefined
  if (id === undefined) throw invalid('FERRULE_CLIENT_ID', 'it is required with FERRULE_CLIENT_SECRET')
  if (secret === undefined) throw invalid('FERRULE_CLIENT_SECRET', 'it is required with FERRULE_CLIENT_ID')
  if (!/^[\x21-\x7e]{1,128}$/.test(id)) throw invalid('FERRULE_CLIENT_ID', 'it must be 1 to 128 visible ASCII characters')
  if (secret.length > 256) throw invalid('FERRULE_CLIENT_SECRET', 'it must have at most 256 characters')
  return { id, secret: new Secret(secret) }
}

function readOrigin(name: string, text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  const bare = url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && !/[?#@]/.test(String(text))
  if (!bare) throw invalid(name, 'an origin must be http:// or https:// with a host and no path, query or user')
  return url.origin
}

function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || /[?#@]/.test(text))
    throw invalid('FERRULE_PUBLIC_URL', 'it must be an http:// or https:// URL without query or user')
  return url.href.replace(/\/+$/, '')
}

function readOrigins(text: string | undefined, kinds: readonly string[]): Settings['origins'] {
  const name = 'FERRULE_ORIGINS'
  const given = text === undefined ? {} : parsed(text)
  if (!isObject(given)) throw invalid(name, 'it must be a JSON object of kind to origin, or kind to {api, oauth, media}')
  const unknown = Object.keys(given).find((kind) => !kinds.includes(kind))
  if (unknown !== undefined) throw invalid(name, `there is no kind ${unknown.slice(0, 40)}; known: ${kinds.join(', ')}`)
  return Object.fromEntries(Object.entries(given).map(([kind, value]) => [kind, overrideOf(name, value)]))
}

function overrideOf(name: string, value: unknown): OriginOverride {
  if (!isObject(value)) {
    const api = readOrigin(name, value)
    return { api, oauth: api }
  }
  const unknown = Object.keys(value).find((key) => !['api', 'oauth', 'media'].includes(key))
  if (unknown !== undefined) throw invalid(name, `there is no origin ${unknown.slice(0, 40)}; known: api, oauth, media`)
  const optional = (key: 'oauth' | 'media') => (value[key] === undefined ? {} : { [key]: readOrigin(name, value[key]) })
  return { api: readOrigin(name, value['api']), ...optional('oauth'), ...optional('media') }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readProxies(text: string | undefined): readonly string[] | number {
  if (text !== undefined && /^\d+$/.test(text.trim())) return readInteger('FERRULE_TRUSTED_PROXIES', text, [0, 32])
  const list = listOf(text)
  const wrong = list.some((entry) => !(entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry)))
  if (wrong) throw invalid('FERRULE_TRUSTED_PROXIES', 'it must be a list of IP addresses and CIDR blocks, or a number of hops')
  return list
}
