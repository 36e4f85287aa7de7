/** Pins which package, version and bytes the kinds of a folder are. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../definition/object.ts'
import { formatJson, parseJson } from '../../values/json/json.ts'
import { failSetting, readErrorCode } from '../failure.ts'
import { replaceFile } from '../replace-file.ts'

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
const fileName = /^[a-z][a-z0-9-]*\.(?:kind\.(?:yaml|json)|recordings\.json)$/

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

function readPin(value: unknown): Pin | undefined {
  const { version, integrity, files } = isObject(value) ? value : {}
  if (typeof version !== 'string' || typeof integrity !== 'string' || !isObject(files)) return undefined
  const read = Object.entries(files).flatMap(([name, digest]) =>
    fileName.test(name) && typeof digest === 'string' ? [[name, digest] as const] : [],
  )
  return read.length === Object.keys(files).length ? { version, integrity, files: new Map(read) } : undefined
}

/**
 * Reads the lock of a folder; a folder without one has no pins.
 * @throws FerruleError `setting_invalid`
 */
export async function readPins(folder: string): Promise<ReadonlyMap<string, Pin>> {
  const path = join(folder, lockName)
  const failLock = () => failSetting(`${path} is not a lock of kinds.`, 'Restore it, or delete it and add the packages again.')
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if (readErrorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  })
  if (text === undefined) return new Map()
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw failLock()
  }
  const kinds = isObject(value) ? value['kinds'] : undefined
  if (!isObject(kinds)) throw failLock()
  return new Map(
    Object.entries(kinds).map(([name, each]) => {
      const pin = readPin(each)
      if (pin === undefined) throw failLock()
      return [name, pin] as const
    }),
  )
}

/** Writes the lock of a folder, in the order of the names. */
export async function writePins(folder: string, pins: ReadonlyMap<string, Pin>): Promise<void> {
  const sorted = [...pins].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const kinds = Object.fromEntries(sorted.map(([name, pin]) => [name, { ...pin, files: Object.fromEntries(pin.files) }]))
  await replaceFile(join(folder, lockName), `${formatJson({ kinds })}\n`, 0o644)
}
