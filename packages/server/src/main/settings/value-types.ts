/** The types of settings: what a value looks like, and how its string is read. */
import type { FerruleError } from 'ferrule'
import { Secret } from 'ferrule/engine'
import { fail, parseProxyUrl, proxyRule } from 'ferrule/internal'
import ipaddr from 'ipaddr.js'
import { parseDatabaseUrl, UrlProblem } from '../../db/connections/url.ts'

/** What a value is read with. */
export interface ReadingContext {
  /** Name of the setting, for errors. */
  readonly name: string
  /** Slugs of the known kinds. */
  readonly kinds: readonly string[]
}

/** The type of a setting. */
export interface ValueType<T> {
  /** What a value looks like, for the settings page. */
  readonly says: string
  /** Whether a value is a secret: never logged, shown or named in an error. */
  readonly secret: boolean
  /**
   * Reads a value that is not empty.
   * @throws FerruleError `setting_invalid`, one sentence that never holds the value of a secret
   */
  read(text: string, context: ReadingContext): T
}

/** Builds the error of a setting. @param reason half a sentence about the value, without the value of a secret */
export const settingInvalid = (name: string, reason: string): FerruleError => fail('setting_invalid', { name, reason })

const stringType = (says: string): ValueType<string> => ({ says, secret: false, read: (text) => text })

/** Address of this machine, or a name of it. */
export const address = stringType('address')
/** Hosts, as other programs list them. */
export const hosts = stringType('comma list of hosts')
/** Path of a folder, absolute or from the working directory. */
export const folder = stringType('folder')
/** Path of a file, absolute or from the working directory. */
export const file = stringType('file')
/** Path of a file or folder with kinds, or name of a package. */
export const kindName = stringType('file, folder or package')
/** Command that the shell runs. */
export const command = stringType('shell command')

function readInteger(text: string, name: string, [low, high]: readonly [number, number]): number {
  const number = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN
  if (number >= low && number <= high) return number
  throw settingInvalid(name, `it must be an integer from ${low} to ${high}`)
}

/** Builds the type of integers in a range. @param low smallest value @param high largest value */
export const integer = (low: number, high: number): ValueType<number> => ({
  says: `integer from ${low} to ${high}`,
  secret: false,
  read: (text, { name }) => readInteger(text, name, [low, high]),
})

/** Builds the type of megabytes in a range, read as bytes. */
export function megabytes(low: number, high: number): ValueType<number> {
  const type = integer(low, high)
  return { ...type, read: (text, context) => type.read(text, context) * 1_048_576 }
}

/** Builds the type of one of some words. Upper and lower case are the same. */
export const oneOf = <const C extends string>(...choices: readonly C[]): ValueType<C> => ({
  says: `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`,
  secret: false,
  read: (text, { name }) => {
    const found = choices.find((choice) => choice === text.trim().toLowerCase())
    if (found === undefined) throw settingInvalid(name, `it must be one of ${choices.join(', ')}`)
    return found
  },
})

const switchWords = oneOf('on', 'off')
/** A boolean, given as a word. */
export const onOrOff: ValueType<boolean> = { ...switchWords, read: (text, context) => switchWords.read(text, context) === 'on' }

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Builds the type of a list, separated by commas. @param plural what the list holds */
export const listOf = <T>(type: ValueType<T>, plural: string): ValueType<readonly T[]> => ({
  says: `comma list of ${plural}`,
  secret: type.secret,
  read: (text, context) => splitList(text).map((part) => type.read(part, context)),
})

const urlType = (isReplica: boolean): ValueType<Secret<string>> => ({
  says: 'postgresql:// URL',
  secret: true,
  read: (text, { name }) => {
    try {
      parseDatabaseUrl(text, { isReplica })
    } catch (thrown) {
      throw thrown instanceof UrlProblem ? settingInvalid(name, thrown.message) : thrown
    }
    return new Secret(text)
  },
})

/** URL of a PostgreSQL database: a secret, since it may hold a password. */
export const databaseUrl = urlType(false)
/** URL of a PostgreSQL database that is only read. */
export const replicaUrl = urlType(true)

/** A master key. Only canonical base64 is taken: any other string lost or gained a character. */
export const masterKey: ValueType<Secret<Buffer>> = {
  says: '32 bytes in base64 or base64url',
  secret: true,
  read: (text, { name }) => {
    const plain = text.trim().replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
    const bytes = Buffer.from(plain, 'base64')
    if (bytes.length === 32 && bytes.toString('base64').replace(/=+$/, '') === plain) return new Secret(bytes)
    throw settingInvalid(name, 'a key must be 32 bytes in base64 or base64url; `openssl rand -base64 32` makes one')
  },
}

/** Client id of an application. */
export const clientId: ValueType<string> = {
  says: 'string of 1 to 128 visible ASCII characters',
  secret: false,
  read: (text, { name }) => {
    if (!/^[\x21-\x7e]{1,128}$/.test(text)) throw settingInvalid(name, 'it must be 1 to 128 visible ASCII characters')
    return text
  },
}

/** Client secret of an application. */
export const clientSecret: ValueType<Secret<string>> = {
  says: 'string of 1 to 256 characters; at least 32 random ones outside of a trial',
  secret: true,
  read: (text, { name }) => {
    if (text.length > 256) throw settingInvalid(name, 'it must have at most 256 characters')
    return new Secret(text)
  },
}

/** Reads an origin: scheme, host and port. @throws FerruleError `setting_invalid` */
export function readOrigin(name: string, text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  const isBare = url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && !/[?#@]/.test(String(text))
  if (!isBare) throw settingInvalid(name, 'an origin must be http:// or https:// with a host and no path, query or user')
  return url.origin
}

/** An origin: scheme, host and port. */
export const origin: ValueType<string> = { says: 'origin', secret: false, read: (text, { name }) => readOrigin(name, text) }

/** A host as a request names it: a name or an address, in the form that a URL gives it. */
export const hostName: ValueType<string> = {
  says: 'host name or address',
  secret: false,
  read: (text, { name }) => {
    const host = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text
    const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined
    if (url === undefined || !/^(\[[^\]]*\]|[^/?#@:*]+)$/.test(host))
      throw settingInvalid(name, 'a host must be a name or an address, without scheme, port, path and wildcard')
    return url.hostname
  },
}

/** URL of this service as clients reach it, read without a trailing slash. */
export const publicUrl: ValueType<string> = {
  says: 'http or https URL',
  secret: false,
  read: (text, { name }) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || !['http:', 'https:'].includes(url.protocol) || /[?#@]/.test(text))
      throw settingInvalid(name, 'it must be an http:// or https:// URL without query or user')
    return url.href.replace(/\/+$/, '')
  },
}

/** Address of a forward proxy: a secret, since it may hold a password. */
export const proxyUrl: ValueType<string> = {
  says: 'http or https URL',
  secret: true,
  read: (text, { name }) => {
    const url = parseProxyUrl(text.trim())
    if (url === undefined) throw settingInvalid(name, proxyRule)
    return url
  },
}

/** Proxies, by their addresses or by their number. */
export const proxies: ValueType<readonly string[] | number> = {
  says: 'comma list of addresses and CIDR blocks, or a number of hops from 0 to 32',
  secret: false,
  read: (text, { name }) => {
    if (/^\d+$/.test(text.trim())) return readInteger(text, name, [0, 32])
    const list = splitList(text)
    if (list.every((entry) => (entry.includes('/') ? ipaddr.isValidCIDR(entry) : ipaddr.isValid(entry)))) return list
    throw settingInvalid(name, 'it must be a list of IP addresses and CIDR blocks, or a number of hops')
  },
}
