/** Names of files with kinds, and what packages with kinds and their lock say (docs/decisions/kind-files.md). */
import { isObject } from '../definition/object.ts'
import { parseJson } from './json/json.ts'

/** End of the name of a file with a kind. */
export const kindFile = /\.kind\.(?:yaml|json)$/

/** Returns the path of a file beside a kind: `github.recordings.json` beside `github.kind.yaml`. */
export const nameBeside = (path: string, ending: string): string => `${path.replace(/(?:\.kind)?\.(?:ya?ml|json)$/i, '')}.${ending}`

/** Returns the path of the recordings of a kind file. */
export const findRecordingsPath = (path: string): string => nameBeside(path, 'recordings.json')

const packageName = /^(?:@[a-z0-9][a-z0-9._-]*\/)?ferrule-kind-[a-z0-9][a-z0-9._-]*$/

/** Returns whether a text is the name of a package with one kind. */
export const isKindPackage = (text: string): boolean => text.length <= 214 && packageName.test(text)

/** Name of the file that says what a package is. */
export const manifestName = 'package.json'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unsafe = /[\u0000-\u001f\u007f\\]|^\/|^[a-z]:/i

/** Returns whether a name leads out of its folder, or is written in a way that systems read differently. */
export const isUnsafeName = (name: string): boolean => unsafe.test(name) || name.split('/').includes('..')

/** What the manifest of a package says of its kind. */
export interface KindManifest {
  readonly version: string
  /** Path of the kind, inside of the package. */
  readonly path: string
}

/** Reads the manifest of a package: `"ferrule": {"kind": "./acme.kind.yaml"}`. A text says why the package cannot be used. */
export function readKindManifest(text: string | undefined, packageName: string): KindManifest | string {
  let manifest: unknown
  try {
    manifest = parseJson(text ?? '')
  } catch {
    return `it has no ${manifestName} that is JSON`
  }
  const { name, version, ferrule } = isObject(manifest) ? manifest : {}
  if (name !== packageName || typeof version !== 'string') return `its ${manifestName} is that of another package`
  const { kind, rules } = isObject(ferrule) ? ferrule : {}
  if (rules !== undefined) return 'it has rules, which are code'
  if (typeof kind !== 'string') return `its ${manifestName} names no kind: "ferrule": {"kind": "./acme.kind.yaml"}`
  const path = kind.replace(/^\.\//, '')
  if (isUnsafeName(path) || !kindFile.test(path)) return `${kind} is not the path of a file *.kind.yaml or *.kind.json in it`
  return { version, path }
}

/** Name of the lock, in the folder of the kinds. No service takes it for a kind. */
export const lockName = 'ferrule-kinds.lock.json'

/** A pinned package. */
export interface Pin {
  readonly version: string
  readonly integrity: string
  /** Names of its files, and their sha256. */
  readonly files: ReadonlyMap<string, string>
}

/** Names that are written: the lock of somebody else could name any file. */
const pinnedName = /^[a-z][a-z0-9-]*\.(?:kind\.(?:yaml|json)|recordings\.json)$/

function readPin(value: unknown): Pin | undefined {
  const { version, integrity, files } = isObject(value) ? value : {}
  if (typeof version !== 'string' || typeof integrity !== 'string' || !isObject(files)) return undefined
  const read = Object.entries(files).flatMap(([name, digest]) =>
    pinnedName.test(name) && typeof digest === 'string' ? [[name, digest] as const] : [],
  )
  return read.length === Object.keys(files).length ? { version, integrity, files: new Map(read) } : undefined
}

/** Parses a lock: pins by the names of packages; undefined for a text that is no lock. */
export function parsePins(text: string): ReadonlyMap<string, Pin> | undefined {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return undefined
  }
  const kinds = isObject(value) ? value['kinds'] : undefined
  if (!isObject(kinds)) return undefined
  const pins = Object.entries(kinds).flatMap(([name, each]) => {
    const pin = readPin(each)
    return pin === undefined ? [] : [[name, pin] as const]
  })
  return pins.length === Object.keys(kinds).length ? new Map(pins) : undefined
}
