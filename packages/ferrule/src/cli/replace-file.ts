/** Replaces a file at once: a reader finds the old content or the new. */
import { open, rename, rm } from 'node:fs/promises'

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
