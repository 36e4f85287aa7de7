/** Asks an npm registry for packages with kinds. No token and no cookie is sent. */
import { createHash } from 'node:crypto'
import { createDeadline, defaultDeadlineMs } from '../../client/deadline.ts'
import { isObject } from '../../definition/object.ts'
import { FerruleError } from '../../errors.ts'
import { parseJson } from '../../values/json/json.ts'
import { isKindPackage } from '../../values/kind-files.ts'
import { isLoopback } from '../../values/texts.ts'
import type { CommandContext } from '../context.ts'
import { failSetting, failUsage, readCause } from '../failure.ts'

const publicRegistry = 'https://registry.npmjs.org/'
/** Variable of npm's own with the address of the registry. */
const variable = 'npm_config_registry'
/** Largest answers, in bytes. */
const most = { record: 4 * 1024 * 1024, archive: 4 * 1024 * 1024 } as const
/** Packages of one search. */
const searchSize = 100

const exactVersion = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/
const tagOrVersion = /^[0-9A-Za-z][0-9A-Za-z.+-]*$/
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/

/** What the user asks for. */
export interface WantedPackage {
  readonly name: string
  /** A version or a tag. */
  readonly version: string
}

/** A version of a package, as the registry has it. */
export interface FoundPackage extends WantedPackage {
  readonly archive: URL
  /** `sha512-` and the digest of the archive. */
  readonly integrity: string
}

/** A row of a search. */
export interface ListedPackage {
  readonly name: string
  readonly version: string
  readonly description: string | null
  readonly date: string | null
}

/** How long requests may take, and what ends them. */
export type Patience = Pick<CommandContext, 'signal' | 'deadlineMs'>

/**
 * Parses `PACKAGE[@VERSION]`.
 * @throws FerruleError `validation_failed`
 */
export function parsePackage(text: string): WantedPackage {
  const at = text.indexOf('@', 1)
  const [name, version] = at < 0 ? [text, 'latest'] : [text.slice(0, at), text.slice(at + 1)]
  const hint = 'Write ferrule-kind-acme, or ferrule-kind-acme@1.2.0.'
  if (!isKindPackage(name)) throw failUsage(`${name} is not the name of a package with a kind: ferrule-kind-….`, hint)
  if (version.length > 64 || !tagOrVersion.test(version)) throw failUsage(`${version} is neither a version nor a tag.`, hint)
  return { name, version }
}

/** Parses an address that can be asked: https, or http to this machine. */
function parseAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.username !== '' || url.password !== '') return undefined
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)) ? url : undefined
}

/**
 * Finds the registry: that of npm's own setting, else the public one.
 * @throws FerruleError `setting_invalid`, without the value: it could hold a password
 */
export function findRegistry(env: CommandContext['env']): URL {
  const url = parseAddress(env[variable] || publicRegistry)
  if (url !== undefined && url.search === '' && url.hash === '') return new URL(`${url.href.replace(/\/+$/, '')}/`)
  throw failSetting(
    `${variable} is not the address of a registry that can be asked.`,
    'Set an https address without a user and a password, or http to this machine.',
  )
}

const failAnswer = ({ origin }: URL, reason: string): FerruleError =>
  new FerruleError(
    'service_answer_invalid',
    {
      message: `The answer of the registry ${origin} cannot be used: ${reason}.`,
      hint: `Nothing was written. Check ${variable}; report it to whoever runs the registry if it persists.`,
    },
    { retryable: false },
  )

function failStatus(url: URL, status: number, what: string): FerruleError {
  if (status === 404)
    return new FerruleError(
      'not_found',
      { message: `The registry ${url.origin} has no ${what}.`, hint: 'Look for it: ferrule kind search WORDS' },
      {},
    )
  if (status < 500 && status !== 429) return failAnswer(url, `its status is ${status}`)
  return new FerruleError(
    'service_unreachable',
    { message: `The registry ${url.origin} answers with status ${status}.`, hint: 'Try again later.' },
    {},
  )
}

async function readBody(response: Response, url: URL, bytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.length
    // Leaving the loop closes the connection.
    if (length > bytes) throw failAnswer(url, `it is larger than ${bytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A request: how much of the answer is read, and what it is about. */
interface Asked {
  readonly bytes: number
  readonly what: string
}

/** Reads an answer within its bounds. Redirects are not followed: they could lead to this machine. */
async function ask(url: URL, { bytes, what }: Asked, { signal, deadlineMs }: Patience): Promise<Buffer> {
  const deadline = createDeadline(deadlineMs ?? defaultDeadlineMs, signal)
  try {
    const response = await fetch(url, { signal: deadline.signal, redirect: 'manual', credentials: 'omit' })
    if (response.ok) return await readBody(response, url, bytes)
    await response.body?.cancel()
    throw failStatus(url, response.status, what)
  } catch (thrown) {
    if (deadline.signal.aborted) throw deadline.signal.reason
    if (thrown instanceof FerruleError) throw thrown
    const message = `The registry ${url.origin} cannot be reached: ${readCause(thrown)}.`
    throw new FerruleError('service_unreachable', { message, hint: `Check ${variable} and the network, and try again.` }, { cause: thrown })
  } finally {
    deadline.release()
  }
}

async function askRecord(url: URL, what: string, patience: Patience): Promise<Record<string, unknown>> {
  const body = await ask(url, { bytes: most.record, what }, patience)
  let record: unknown
  try {
    record = parseJson(body.toString())
  } catch {
    throw failAnswer(url, 'it is not JSON')
  }
  if (isObject(record)) return record
  throw failAnswer(url, 'it is no object')
}

/**
 * Finds a version of a package.
 * @throws FerruleError `not_found`, `service_unreachable`, `service_answer_invalid`
 */
export async function findVersion(registry: URL, wanted: WantedPackage, patience: Patience): Promise<FoundPackage> {
  const url = new URL(`${wanted.name.replace('/', '%2f')}/${encodeURIComponent(wanted.version)}`, registry)
  const { name, version, dist } = await askRecord(url, `${wanted.name}@${wanted.version}`, patience)
  if (name !== wanted.name || typeof version !== 'string' || version.length > 64 || !exactVersion.test(version))
    throw failAnswer(url, `it is about something else than ${wanted.name}`)
  if (exactVersion.test(wanted.version) && version !== wanted.version) throw failAnswer(url, `it is about version ${version}`)
  const { tarball, integrity } = isObject(dist) ? dist : {}
  const archive = typeof tarball === 'string' ? parseAddress(tarball) : undefined
  if (archive === undefined || (isLoopback(archive.hostname) && !isLoopback(registry.hostname)))
    throw failAnswer(url, 'it has no https address of the archive')
  const digest = typeof integrity === 'string' ? integrity.split(/\s+/).find((each) => sha512.test(each)) : undefined
  if (digest === undefined) throw failAnswer(url, 'it has no sha512 of the archive')
  return { name, version, archive, integrity: digest }
}

/**
 * Downloads the archive of a version.
 * @throws FerruleError as `findVersion`; `service_answer_invalid` when the archive is not the one that the registry lists
 */
export async function downloadArchive({ name, version, archive, integrity }: FoundPackage, patience: Patience): Promise<Buffer> {
  const bytes = await ask(archive, { bytes: most.archive, what: `archive of ${name}@${version}` }, patience)
  if (`sha512-${createHash('sha512').update(bytes).digest('base64')}` === integrity) return bytes
  throw failAnswer(archive, `the archive of ${name}@${version} does not have the sha512 that the registry lists`)
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function readListed(row: unknown): readonly ListedPackage[] {
  const found = isObject(row) ? row['package'] : undefined
  const { name, version, description, date } = isObject(found) ? found : {}
  if (typeof name !== 'string' || !isKindPackage(name) || typeof version !== 'string') return []
  return [{ name, version, description: textOf(description), date: textOf(date) }]
}

/**
 * Searches the packages that have the keyword `ferrule-kind` and a name that `kind add` takes.
 * @throws FerruleError `not_found`, `service_unreachable`, `service_answer_invalid`
 */
export async function searchPackages(registry: URL, words: readonly string[], patience: Patience): Promise<readonly ListedPackage[]> {
  const url = new URL('-/v1/search', registry)
  url.searchParams.set('text', ['keywords:ferrule-kind', ...words].join(' '))
  url.searchParams.set('size', String(searchSize))
  const { objects } = await askRecord(url, 'search', patience)
  if (!Array.isArray(objects)) throw failAnswer(url, 'it lists no packages')
  return objects.flatMap(readListed)
}
