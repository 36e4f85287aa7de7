/** Reads a kind out of the archive of a package, in memory: nothing of it is run, and nothing is written. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type FerruleError, withHint } from '../../errors.ts'
import type { Mistake } from '../../kind-file/index.ts'
import { formatJson } from '../../values/json/json.ts'
import {
  findRecordingsPath,
  isUnsafeName,
  kindFile,
  lockName,
  manifestName,
  type Pin,
  parsePins,
  readKindManifest,
} from '../../values/kind-files.ts'
import { failSetting, failUsage, readErrorCode } from '../failure.ts'
import { replaceFile } from '../replace-file.ts'
import type { WantedPackage } from './registry.ts'

/** Digests a text. */
export const hashText = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** Digests a file; undefined without the file. */
export async function hashFile(path: string): Promise<string | undefined> {
  try {
    return hashText(await readFile(path))
  } catch (thrown) {
    if (readErrorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/**
 * Reads the lock of a folder; a folder without one has no pins.
 * @throws FerruleError `setting_invalid`
 */
export async function readPins(folder: string): Promise<ReadonlyMap<string, Pin>> {
  const path = join(folder, lockName)
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if (readErrorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  })
  if (text === undefined) return new Map()
  const pins = parsePins(text)
  if (pins === undefined) throw failSetting(`${path} is not a lock of kinds.`, 'Restore it, or delete it and add the packages again.')
  return pins
}

/** Writes the lock of a folder, in the order of the names. */
export async function writePins(folder: string, pins: ReadonlyMap<string, Pin>): Promise<void> {
  const sorted = [...pins].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const kinds = Object.fromEntries(sorted.map(([name, pin]) => [name, { ...pin, files: Object.fromEntries(pin.files) }]))
  await replaceFile(join(folder, lockName), `${formatJson({ kinds })}\n`, 0o644)
}

/** Bounds of an unpacked archive. */
const most = { bytes: 16 * 1024 * 1024, entries: 1_000 } as const

const rulesFile = /\.rules\.[cm]?[jt]s$/

/** A kind of a package, checked. */
export interface SharedKind {
  /** Texts by the names of their files: the kind, and its recordings if there are any. */
  readonly files: ReadonlyMap<string, string>
  /** Name of the file with the kind. */
  readonly file: string
  readonly doubts: number
}

const adviseAuthor = ({ name }: WantedPackage): string => `Nothing was written. Tell the author of ${name}.`

/** Makes the error of a package that cannot be used. The caller throws it. */
const refuse = (from: WantedPackage, reason: string): FerruleError =>
  failUsage(`${from.name}@${from.version} is refused: ${reason}.`, adviseAuthor(from))

async function unpack(archive: Buffer, from: WantedPackage): Promise<Buffer> {
  try {
    return await promisify(gunzip)(archive, { maxOutputLength: most.bytes })
  } catch (thrown) {
    const isLarge = thrown instanceof RangeError
    throw refuse(from, isLarge ? `it unpacks to more than ${most.bytes} bytes` : 'its archive cannot be unpacked')
  }
}

/** Names without the first folder, which npm leaves out too. */
type Entries = ReadonlyMap<string, string | undefined>

/** Walks the whole archive, checks every entry, and reads the wanted files. */
async function readEntries(tar: Buffer, wanted: readonly string[], from: WantedPackage): Promise<Entries> {
  const { unpackTar } = await import('modern-tar')
  const names = new Map<string, string | undefined>()
  let refusal: FerruleError | undefined
  const cut = (name: string): string => name.slice(name.indexOf('/') + 1)
  const check = (name: string, type = 'file'): string | undefined => {
    if (isUnsafeName(name)) return `it has an entry outside of its folder: ${name}`
    if (type === 'directory') return undefined
    if (type !== 'file') return `${name} is a ${type}, not a file`
    if (names.has(cut(name))) return `it has ${name} twice`
    return names.size < most.entries ? undefined : `it has more than ${most.entries} files`
  }
  let folders = 0
  const filter = ({ name, type }: { readonly name: string; readonly type?: string }): boolean => {
    if (type === 'directory') folders += 1
    const reason = folders > most.entries ? `it has more than ${most.entries} folders` : check(name, type)
    if (reason !== undefined) {
      refusal = refuse(from, reason)
      throw refusal
    }
    if (type !== 'directory') names.set(cut(name), undefined)
    return type !== 'directory' && wanted.includes(cut(name))
  }
  try {
    for (const { header, data } of await unpackTar(tar, { strict: true, filter }))
      names.set(cut(header.name), new TextDecoder('utf-8', { fatal: true }).decode(data))
  } catch {
    throw refusal ?? refuse(from, 'its archive is damaged, or a file in it is no text')
  }
  return names
}

/** Reads which file of a package is the kind. */
function readKindPath(text: string | undefined, from: WantedPackage): string {
  const manifest = readKindManifest(text, from.name)
  if (typeof manifest === 'string') throw refuse(from, manifest)
  if (manifest.version !== from.version) throw refuse(from, `its ${manifestName} is that of another package`)
  return manifest.path
}

async function failFile(mistakes: readonly Mistake[], from: WantedPackage): Promise<FerruleError> {
  const { failMistakes } = await import('../../kind-file/mistakes.ts')
  return withHint(failMistakes(mistakes), adviseAuthor(from))
}

/** Checks the texts, and names their files after the kind: a name of the package's own could hide another file. */
async function checkTexts(path: string, entries: Entries, from: WantedPackage): Promise<SharedKind> {
  const [{ readKind }, { readRecordings }] = await Promise.all([
    import('../../kind-file/index.ts'),
    import('../../kind-recordings/index.ts'),
  ])
  const text = entries.get(path)
  if (text === undefined) throw refuse(from, `it has no file ${path}`)
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

/**
 * Reads the kind of a package, and checks it as `kind check` does.
 * @throws FerruleError `validation_failed` for a package that is refused; `kind_invalid` with all mistakes of its files
 */
export async function readSharedKind(archive: Buffer, from: WantedPackage): Promise<SharedKind> {
  const tar = await unpack(archive, from)
  const listed = await readEntries(tar, [manifestName], from)
  if ([...listed.keys()].some((name) => rulesFile.test(name))) throw refuse(from, 'it has rules, which are code')
  const path = readKindPath(listed.get(manifestName), from)
  return checkTexts(path, await readEntries(tar, [path, findRecordingsPath(path)], from), from)
}
