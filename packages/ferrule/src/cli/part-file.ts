/** Files in transfer: bytes go to a part file beside the target, which gets its name at the end. */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { failUsage, readErrorCode } from './failure.ts'

/** A file in transfer. */
export interface Part {
  /** Path of the whole file. */
  readonly path: string
  readonly partPath: string
  /** Bytes that an earlier run has written. */
  readonly offset: number
  write(bytes: Uint8Array): Promise<void>
  /** Closes the part file at the end of the transfer. */
  close(): Promise<void>
  /** Closes the part file of a transfer that failed; it stays if a later run can continue it, which is returned. */
  abandon(): Promise<boolean>
}

/** The part name carries a digest of the file's tag, so that a later run continues the same file only. */
const digest = (tag: string): string => createHash('sha256').update(tag).digest('hex').slice(0, 12)

/** A weak tag does not prove that two files have the same bytes. */
const isStrong = (tag: string | null): tag is string => tag !== null && !tag.startsWith('W/')

const namePart = (path: string, tag: string | null): string => (isStrong(tag) ? `${path}.${digest(tag)}.part` : `${path}.part`)

/** Fails when the file exists. @throws FerruleError `validation_failed` */
export async function refuseExisting(path: string, isForced: boolean): Promise<void> {
  if (isForced) return
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (exists) throw failUsage(`The file ${path} exists.`, 'Give --force to overwrite it, or another name.')
}

/** Finds the part of an earlier run. */
export async function findPart(path: string): Promise<{ readonly bytes: number; isOf(tag: string | null): boolean } | undefined> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const escaped = basename(path).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(`^${escaped}\\.[0-9a-f]{12}\\.part$`)
  for (const name of names) {
    if (!pattern.test(name)) continue
    const { size } = await stat(join(folder, name))
    if (size > 0) return { bytes: size, isOf: (tag) => isStrong(tag) && join(folder, name) === join(namePart(path, tag)) }
  }
  return undefined
}

async function openFile(path: string, flags: string): Promise<FileHandle> {
  try {
    return await open(path, flags)
  } catch (thrown) {
    throw failUsage(
      `The file ${path} cannot be written (${readErrorCode(thrown) ?? String(thrown)}).`,
      'Check the folder, or give another path.',
    )
  }
}

/**
 * Opens the part file.
 * @param tag of the file; null: a later run cannot continue
 * @param offset bytes of an earlier run that stay
 */
export async function openPart(path: string, tag: string | null, offset = 0): Promise<Part> {
  const partPath = namePart(path, tag)
  const file = await openFile(partPath, offset > 0 ? 'a' : 'w')
  let written = 0
  return {
    path,
    partPath,
    offset,
    write: async (bytes) => {
      await file.writeFile(bytes)
      written += bytes.byteLength
    },
    close: () => file.close(),
    abandon: async () => {
      await file.close()
      const canContinue = isStrong(tag) && offset + written > 0
      if (!canContinue) await rm(partPath, { force: true })
      return canContinue
    },
  }
}

/**
 * Gives the whole file its name.
 * @throws FerruleError `validation_failed` when the file exists by now
 */
export async function finishFile(part: Part, isForced: boolean): Promise<void> {
  await refuseExisting(part.path, isForced)
  await part.close()
  await rename(part.partPath, part.path)
}
