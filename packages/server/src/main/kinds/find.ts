/** Finds the files that FERRULE_KINDS names: files, the kinds of folders, and what packages list. */
import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import {
  findRecordingsPath,
  isKindPackage,
  isObject,
  kindFile,
  lockName,
  manifestName,
  type Pin,
  parsePins,
  readKindManifest,
} from 'ferrule/internal'

/** A file with a kind. */
export interface KindSource {
  readonly path: string
  /** Whether rules may lie beside it: never in a package, whose code nobody here has read. */
  readonly mayHaveRules: boolean
  /** What the index of a package or the lock says of the file. With it, a file that was checked before is not read again. */
  readonly sha256?: string
  /** What lists the digest, if it is not the index of the package. */
  readonly listedBy?: string
}

/** What was found under one name, or why there is nothing. */
export type Found = { readonly sources: readonly KindSource[] } | { readonly problem: string }

/** Name of a package: a path begins with a dot or a slash, or has an ending. */
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/

/** Returns the code of an error of Node, for sentences. */
export const readCode = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : '')

/** Finds the folder of a package, from the working directory and from this program. */
function findPackage(name: string): string | undefined {
  for (const base of [join(process.cwd(), 'package.json'), import.meta.url])
    try {
      const manifest = findPackageJSON(name, base)
      if (manifest !== undefined) return dirname(manifest)
    } catch {
      // the next place
    }
  return undefined
}

/** Returns whether a value is the path of a JSON file inside of the package. */
const isInside = (file: unknown): file is string =>
  typeof file === 'string' && !isAbsolute(file) && !normalize(file).startsWith('..') && file.endsWith('.json')

/** Reads the files of an index: `{"kinds": [{"kind": "acme", "file": "acme.json", "sha256": "…"}]}`. */
function readIndex(text: string, folder: string): readonly KindSource[] | undefined {
  let index: unknown
  try {
    index = JSON.parse(text)
  } catch {
    return undefined
  }
  const listed = isObject(index) ? index['kinds'] : undefined
  if (!Array.isArray(listed)) return undefined
  const sources = listed.flatMap((each: unknown): readonly KindSource[] => {
    const { file, sha256 } = isObject(each) ? each : {}
    if (!isInside(file)) return []
    return [{ path: join(folder, file), mayHaveRules: false, ...(typeof sha256 === 'string' ? { sha256 } : {}) }]
  })
  return sources.length === listed.length ? sources : undefined
}

/** Returns whether a file lies in a folder when links are followed. A file that does not exist lies nowhere else. */
async function liesIn(folder: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined)
  return real === undefined || real.startsWith(`${await realpath(folder)}${sep}`)
}

/** Reads what the lock in the working directory says of a package; a text says what is wrong with the lock. */
async function findPin(name: string): Promise<Pin | string | undefined> {
  const path = join(process.cwd(), lockName)
  try {
    const pins = parsePins(await readFile(path, 'utf8'))
    return pins === undefined ? `${path} is not a lock of kinds` : pins.get(name)
  } catch (thrown) {
    return isObject(thrown) && thrown['code'] === 'ENOENT' ? undefined : `${path} cannot be read${readCode(thrown)}`
  }
}

/** Finds the digest that a lock has of a file with a kind, or of recordings. Their names there follow the kind, not the package. */
const findDigest = ({ files }: Pin, ending: RegExp): string | undefined => [...files].find(([file]) => ending.test(file))?.[1]

/** Finds the kind of a package named `ferrule-kind-…`: its manifest names one file (docs/decisions/kind-packages.md). */
async function findSharedKind(name: string, folder: string): Promise<Found> {
  const manifest = readKindManifest(await readFile(join(folder, manifestName), 'utf8'), name)
  const refuse = (reason: string): Found => ({ problem: `the package ${name} is refused: ${reason}` })
  if (typeof manifest === 'string') return refuse(manifest)
  const path = join(folder, manifest.path)
  const recordings = findRecordingsPath(path)
  for (const file of [path, recordings]) if (!(await liesIn(folder, file))) return refuse(`${file} is a link that leads out of it`)
  const pin = await findPin(name)
  if (typeof pin === 'string') return { problem: pin }
  if (pin === undefined) return { sources: [{ path, mayHaveRules: false }] }
  if (pin.version !== manifest.version) return refuse(`${lockName} pins version ${pin.version}, and ${manifest.version} is installed`)
  const bytes = await readFile(recordings).catch(() => undefined)
  const digest = bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex')
  if (digest !== findDigest(pin, /\.recordings\.json$/)) return refuse(`${recordings} is not what ${lockName} pins`)
  return { sources: [{ path, mayHaveRules: false, sha256: findDigest(pin, kindFile) ?? '', listedBy: lockName }] }
}

async function findInPackage(name: string): Promise<Found> {
  const folder = findPackage(name)
  if (folder === undefined) return { problem: `there is no file, folder or installed package ${name}` }
  if (isKindPackage(name)) return findSharedKind(name, folder)
  const sources = readIndex(await readFile(join(folder, 'index.json'), 'utf8').catch(() => ''), folder)
  if (sources !== undefined) return { sources }
  return { problem: `the package ${name} has no index of kinds: index.json with {"kinds": [{"file": "acme.json"}]}` }
}

async function findInFolder(folder: string): Promise<Found> {
  const files = (await readdir(folder)).filter((file) => kindFile.test(file)).toSorted()
  if (files.length === 0) return { problem: `the folder ${folder} has no file *.kind.yaml or *.kind.json` }
  return { sources: files.map((file) => ({ path: join(folder, file), mayHaveRules: true })) }
}

/** Finds the files of one name of the setting. */
export async function findSources(name: string): Promise<Found> {
  try {
    const found = await stat(name)
    return found.isDirectory() ? await findInFolder(name) : { sources: [{ path: name, mayHaveRules: true }] }
  } catch (thrown) {
    if (packageName.test(name) && !kindFile.test(name)) return findInPackage(name)
    return { problem: `${name} cannot be read${readCode(thrown)}` }
  }
}
