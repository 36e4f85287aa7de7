/** Reads files that can be missing, and replaces files at once: a reader finds the old content or the new. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { readErrorCode } from './failure.ts'

/** Reads a file; undefined if it does not exist. */
export const readPresent = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((thrown: unknown) => {
    if (readErrorCode(thrown) === 'ENOENT') return undefined
    throw thrown
  })

/**
 * Writes a file beside the old one, and gives it the old one's name. A link of that name is replaced, and what it leads to stays as it is.
 * @param mode of the new file, whatever the process's own mask is
 * @throws the error of Node when it cannot be written; no part of it stays then
 */
export async function replaceFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const part = `${path}.${process.pid}.part`
  try {
    const file = await open(part, 'wx', mode)
    try {
      if (process.platform !== 'win32') await file.chmod(mode)
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, path)
  } catch (thrown) {
    await rm(part, { force: true }).catch(() => undefined)
    throw thrown
  }
}
