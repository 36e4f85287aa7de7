/** `kind add` and `kind search`: kinds that others share as npm packages. */

import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { createDeadline, defaultDeadlineMs } from '../../client/deadline.ts'
import { isObject } from '../../definition/object.ts'
import { FerruleError, withHint } from '../../errors.ts'
import type { Mistake } from '../../kind-file/index.ts'
import { formatJson, parseJson } from '../../values/json/json.ts'
import {
  findRecordingsPath,
  isKindPackage,
  isUnsafeName,
  kindFile,
  lockName,
  manifestName,
  type Pin,
  parsePins,
  readKindManifest,
} from '../../values/kind-files.ts'
import { isLoopback } from '../../values/texts.ts'
import { type CommandContext, readText } from '../context.ts'
import { failSetting, failUsage, readCause } from '../failure.ts'
import { readBody } from '../read-body.ts'
import { readPresent, replaceFile } from '../replace-file.ts'

/** Lists packages with kinds that fit some words. */
export async function searchKinds(context: CommandContext): Promise<void> {
  const { args, env, output } = context
  await output.list([await searchPackages(findRegistry(env), args, context)])
}

function checkPin({ name, version }: FoundPackage, isSame: boolean, folder: string): void {
  if (isSame) return
  throw failUsage(
    `${name}@${version} is not what ${join(folder, lockName)} pins: a published version never changes.`,
    'Nothing was written. Ask the author what happened, and take another version.',
  )
}

async function isWhole(pin: Pin, folder: string): Promise<boolean> {
  for (const [file, digest] of pin.files) if ((await hashFile(join(folder, file))) !== digest) return false
  return true
}

/** Refuses to replace a file that somebody else wrote or changed. */
async function refuseForeignFiles(next: ReadonlyMap<string, string>, pin: Pin | undefined, folder: string): Promise<void> {
  for (const file of new Set([...next.keys(), ...(pin?.files.keys() ?? [])])) {
    const present = await hashFile(join(folder, file))
    if (present === undefined || present === next.get(file) || present === pin?.files.get(file)) continue
    throw failUsage(
      `${join(folder, file)} is there already, and its content is of somebody else.`,
      'Nothing was written. Move the file, or name another folder with --to.',
    )
  }
}

async function writeFiles({ files }: SharedKind, before: Pin | undefined, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [file, text] of files) await replaceFile(join(folder, file), text, 0o644)
  for (const file of before?.files.keys() ?? []) if (!files.has(file)) await rm(join(folder, file), { force: true })
}

/**
 * Adds the kind of a package to a folder, and pins it. The same version again changes nothing.
 * @throws FerruleError `validation_failed` for what is refused; `kind_invalid` with the mistakes of the kind; those of the registry
 */
export async function addKind(context: CommandContext): Promise<void> {
  const { args, options, env, output, note } = context
  const wanted = parsePackage(args[0] ?? '')
  const folder = readText(options, 'to') ?? '.'
  const pins = await readPins(folder)
  const found = await findVersion(findRegistry(env), wanted, context)
  const { name, version, integrity } = found
  const pin = pins.get(name)
  const isPinned = pin?.version === version
  if (pin !== undefined && isPinned) {
    checkPin(found, pin.integrity === integrity, folder)
    if (await isWhole(pin, folder)) {
      const file = [...pin.files.keys()].find((each) => kindFile.test(each)) ?? ''
      note(`${name}@${version} is there already: nothing was changed.`)
      return output.value({ package: name, version, before: version, kind: file.replace(kindFile, ''), file: join(folder, file) })
    }
  }
  const shared = await readSharedKind(await downloadArchive(found, context), found)
  const files = new Map([...shared.files].map(([file, text]) => [file, hashText(text)] as const))
  if (pin !== undefined && isPinned) {
    const isSame = files.size === pin.files.size && [...files].every(([file, digest]) => pin.files.get(file) === digest)
    checkPin(found, isSame, folder)
  }
  await refuseForeignFiles(files, pin, folder)
  await writeFiles(shared, pin, folder)
  await writePins(folder, new Map([...pins, [name, { version, integrity, files }]]))
  const kind = shared.file.replace(kindFile, '')
  await output.value({ package: name, version, before: pin?.version ?? null, kind, file: join(folder, shared.file) })
  const change = pin === undefined || isPinned ? '' : ` It was ${pin.version}: read the difference before you use it.`
  note(`Wrote ${[...files.keys()].join(', ')} of ${name}@${version}: no mistakes, ${shared.doubts} doubts.${change}`)
}

const hashText = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

async function hashFile(path: string): Promise<string | undefined> {
  const content = await readPresent(path)
  return content && hashText(content)
}

/** Reads the lock of a folder; a folder without one has no pins. */
async function readPins(folder: string): Promise<ReadonlyMap<string, Pin>> {
  const path = join(folder, lockName)
  const content = await readPresent(path)
  if (content === undefined) return new Map()
  const pins = parsePins(content.toString())
  if (pins === undefined) throw failSetting(`${path} is not a lock of kinds.`, 'Restore it, or delete it and add the packages again.')
  return pins
}

/** Writes the lock of a folder, in the order of the names. */
async function writePins(folder: string, pins: ReadonlyMap<string, Pin>): Promise<void> {
  const sorted = [...pins].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const kinds = Object.fromEntries(sorted.map(([name, pin]) => [name, { ...pin, files: Object.fromEntries(pin.files) }]))
  await replaceFile(join(folder, lockName), `${formatJson({ kinds })}\n`, 0o644)
}

const mostUnpacked = { bytes: 16 * 1024 * 1024, entries: 1_000 } as const

const rulesFile = /\.rules\.[cm]?[jt]s$/

interface SharedKind {
  /** Texts by the names of their files: the kind, and its recordings if there are any. */
  readonly files: ReadonlyMap<string, string>
  /** Name of the file with the kind. */
  readonly file: string
  readonly doubts: number
}

const adviseAuthor = ({ name }: WantedPackage): string => `Nothing was written. Tell the author of ${name}.`

const refusePackage = (from: WantedPackage, reason: string): FerruleError =>
  failUsage(`${from.name}@${from.version} is refused: ${reason}.`, adviseAuthor(from))

async function unpack(archive: Buffer, from: WantedPackage): Promise<Buffer> {
  try {
    return await promisify(gunzip)(archive, { maxOutputLength: mostUnpacked.bytes })
  } catch (thrown) {
    const isLarge = thrown instanceof RangeError
    throw refusePackage(from, isLarge ? `it unpacks to more than ${mostUnpacked.bytes} bytes` : 'its archive cannot be unpacked')
  }
}

/** Names without the first folder, which npm leaves out too. */
type ArchiveEntries = ReadonlyMap<string, string | undefined>

/** Walks the whole archive, checks every entry, and reads the wanted files. */
async function readArchive(tar: Buffer, wanted: readonly string[], from: WantedPackage): Promise<ArchiveEntries> {
  const { unpackTar } = await import('modern-tar')
  const names = new Map<string, string | undefined>()
  let refusal: FerruleError | undefined
  const cut = (name: string): string => name.slice(name.indexOf('/') + 1)
  const check = (name: string, type = 'file'): string | undefined => {
    if (isUnsafeName(name)) return `it has an entry outside of its folder: ${name}`
    if (type === 'directory') return undefined
    if (type !== 'file') return `${name} is a ${type}, not a file`
    if (names.has(cut(name))) return `it has ${name} twice`
    return names.size < mostUnpacked.entries ? undefined : `it has more than ${mostUnpacked.entries} files`
  }
  let folders = 0
  const filter = ({ name, type }: { readonly name: string; readonly type?: string }): boolean => {
    if (type === 'directory') folders += 1
    const reason = folders > mostUnpacked.entries ? `it has more than ${mostUnpacked.entries} folders` : check(name, type)
    if (reason !== undefined) {
      refusal = refusePackage(from, reason)
      throw refusal
    }
    if (type !== 'directory') names.set(cut(name), undefined)
    return type !== 'directory' && wanted.includes(cut(name))
  }
  try {
    for (const { header, data } of await unpackTar(tar, { strict: true, filter }))
      names.set(cut(header.name), new TextDecoder('utf-8', { fatal: true }).decode(data))
  } catch {
    throw refusal ?? refusePackage(from, 'its archive is damaged, or a file in it is no text')
  }
  return names
}

function readKindPath(text: string | undefined, from: WantedPackage): string {
  const manifest = readKindManifest(text, from.name)
  if (typeof manifest === 'string') throw refusePackage(from, manifest)
  if (manifest.version !== from.version) throw refusePackage(from, `its ${manifestName} is that of another package`)
  return manifest.path
}

async function failFile(mistakes: readonly Mistake[], from: WantedPackage): Promise<FerruleError> {
  const { failMistakes } = await import('../../kind-file/mistakes.ts')
  return withHint(failMistakes(mistakes), adviseAuthor(from))
}

/** Checks the texts, and names their files after the kind: a name of the package's own could hide another file. */
async function checkTexts(path: string, entries: ArchiveEntries, from: WantedPackage): Promise<SharedKind> {
  const [{ readKind }, { readRecordings }] = await Promise.all([
    import('../../kind-file/index.ts'),
    import('../../kind-recordings/index.ts'),
  ])
  const text = entries.get(path)
  if (text === undefined) throw refusePackage(from, `it has no file ${path}`)
  const { definition, mistakes, doubts } = await readKind(text, { name: path })
  if (definition === undefined) throw await failFile(mistakes, from)
  const file = `${definition.kind}${kindFile.exec(path)?.[0] ?? ''}`
  const beside = findRecordingsPath(path)
  const recordings = entries.get(beside)
  if (recordings === undefined) return { file, files: new Map([[file, text]]), doubts: doubts.length }
  const read = await readRecordings(recordings, { name: beside })
  if (read.file === undefined) throw await failFile(read.mistakes, from)
  const files = [
    [file, text],
    [findRecordingsPath(file), recordings],
  ] as const
  return { file, files: new Map(files), doubts: doubts.length }
}

/** Reads the kind of a package in memory, and checks it as `kind check` does: nothing of it is run, and nothing is written. */
async function readSharedKind(archive: Buffer, from: WantedPackage): Promise<SharedKind> {
  const tar = await unpack(archive, from)
  const listed = await readArchive(tar, [manifestName], from)
  if ([...listed.keys()].some((name) => rulesFile.test(name))) throw refusePackage(from, 'it has rules, which are code')
  const path = readKindPath(listed.get(manifestName), from)
  return checkTexts(path, await readArchive(tar, [path, findRecordingsPath(path)], from), from)
}

const publicRegistry = 'https://registry.npmjs.org/'
const registryVariable = 'npm_config_registry'
/** Largest answer, in bytes: a record, or an archive. */
const mostBytes = 4 * 1024 * 1024
const searchSize = 100

const exactVersion = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/
const tagOrVersion = /^[0-9A-Za-z][0-9A-Za-z.+-]*$/
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/

interface WantedPackage {
  readonly name: string
  readonly version: string
}

/** A version of a package, as the registry has it. */
interface FoundPackage extends WantedPackage {
  readonly archive: URL
  /** `sha512-` and the digest of the archive. */
  readonly integrity: string
}

interface ListedPackage {
  readonly name: string
  readonly version: string
  readonly description: string | null
  readonly date: string | null
}

type Patience = Pick<CommandContext, 'signal' | 'deadlineMs'>

/** Parses `PACKAGE[@VERSION]`. */
function parsePackage(text: string): WantedPackage {
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
function findRegistry(env: CommandContext['env']): URL {
  const url = parseAddress(env[registryVariable] || publicRegistry)
  if (url !== undefined && url.search === '' && url.hash === '') return new URL(`${url.href.replace(/\/+$/, '')}/`)
  throw failSetting(
    `${registryVariable} is not the address of a registry that can be asked.`,
    'Set an https address without a user and a password, or http to this machine.',
  )
}

const failAnswer = ({ origin }: URL, reason: string): FerruleError =>
  new FerruleError(
    'service_answer_invalid',
    {
      message: `The answer of the registry ${origin} cannot be used: ${reason}.`,
      hint: `Nothing was written. Check ${registryVariable}; report it to whoever runs the registry if it persists.`,
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

/** Reads an answer within its bound. Redirects are not followed: they could lead to this machine. @param what the request is about */
async function askRegistry(url: URL, what: string, { signal, deadlineMs }: Patience): Promise<Buffer> {
  const deadline = createDeadline(deadlineMs ?? defaultDeadlineMs, signal)
  try {
    const response = await fetch(url, { signal: deadline.signal, redirect: 'manual', credentials: 'omit' })
    if (response.ok) return await readBody(response, mostBytes, (reason) => failAnswer(url, reason))
    await response.body?.cancel()
    throw failStatus(url, response.status, what)
  } catch (thrown) {
    if (deadline.signal.aborted) throw deadline.signal.reason
    if (thrown instanceof FerruleError) throw thrown
    const message = `The registry ${url.origin} cannot be reached: ${readCause(thrown)}.`
    throw new FerruleError(
      'service_unreachable',
      { message, hint: `Check ${registryVariable} and the network, and try again.` },
      { cause: thrown },
    )
  } finally {
    deadline.release()
  }
}

async function askRecord(url: URL, what: string, patience: Patience): Promise<Record<string, unknown>> {
  const body = await askRegistry(url, what, patience)
  let record: unknown
  try {
    record = parseJson(body.toString())
  } catch {
    throw failAnswer(url, 'it is not JSON')
  }
  if (isObject(record)) return record
  throw failAnswer(url, 'it is no object')
}

async function findVersion(registry: URL, wanted: WantedPackage, patience: Patience): Promise<FoundPackage> {
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

async function downloadArchive({ name, version, archive, integrity }: FoundPackage, patience: Patience): Promise<Buffer> {
  const bytes = await askRegistry(archive, `archive of ${name}@${version}`, patience)
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

/** Searches the packages that have the keyword `ferrule-kind` and a name that `kind add` takes. */
async function searchPackages(registry: URL, words: readonly string[], patience: Patience): Promise<readonly ListedPackage[]> {
  const url = new URL('-/v1/search', registry)
  url.searchParams.set('text', ['keywords:ferrule-kind', ...words].join(' '))
  url.searchParams.set('size', String(searchSize))
  const { objects } = await askRecord(url, 'search', patience)
  if (!Array.isArray(objects)) throw failAnswer(url, 'it lists no packages')
  return objects.flatMap(readListed)
}
