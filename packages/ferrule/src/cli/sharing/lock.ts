/** Pins which package, version and bytes the kinds of a folder are. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatJson } from '../../values/json/json.ts'
import { lockName, type Pin, parsePins } from '../../values/kind-files.ts'
import { failSetting, readErrorCode } from '../failure.ts'
import { replaceFile } from '../replace-file.ts'

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
