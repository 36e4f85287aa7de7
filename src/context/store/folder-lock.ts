/** One process for one folder. PGlite itself opens a folder twice and spoils it. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fail } from '../../errors.ts'

/**
 * Holds the operating system's lock on a file of the folder. It ends with the process, however that ends, so there is no stale lock;
 * and it holds between containers, where process ids mean nothing.
 * @param folder made when it is missing
 * @returns what gives the folder back
 * @throws FerruleError `setting_invalid` when another process has the folder, or it cannot be written
 */
export function lockFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, 'context.lock')
    closeSync(openSync(file, 'a', 0o600))
    return hold(file)
  } catch (error) {
    const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
    const reason =
      code === 'ERR_SQLITE_ERROR' ? 'is in use by another process of this service; stop it first' : `cannot be written (${code})`
    throw fail('setting_invalid', { name: 'FERRULE_CONTEXT_FOLDER', reason: `the folder ${folder} ${reason}` }, { cause: error })
  }
}

function hold(file: string): () => void {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    throw error
  }
  return () => lock.close()
}
