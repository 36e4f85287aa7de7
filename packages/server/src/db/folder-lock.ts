/** Locks folders for one process: the state of a node, its name, and the embedded copy, which two processes would corrupt. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fail } from 'ferrule/internal'

/** Creates a folder for this user only, unless it exists. @throws Error of Node when it cannot be created */
export const createFolder = (folder: string): void => void mkdirSync(folder, { recursive: true, mode: 0o700 })

/** Creates a file for this user only, unless it exists. @throws Error of Node when it cannot be created */
export const createFile = (file: string): void => closeSync(openSync(file, 'a', 0o600))

/**
 * Locks a file of a folder through the operating system, and creates both when they are missing. The lock ends with the process, so it is
 * never stale. It also works between containers, where process ids mean nothing.
 * @returns a function that releases the lock
 * @throws Error of Node when another process holds the lock (code `ERR_SQLITE_ERROR`), or the folder cannot be written
 */
export function holdLock(folder: string, name: string): () => void {
  createFolder(folder)
  const file = join(folder, name)
  createFile(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    throw error
  }
  return () => lock.close()
}

/** A folder, and the setting that names it. */
export interface SettingFolder {
  readonly folder: string
  /** For example `FERRULE_DATA`. */
  readonly setting: string
}

/**
 * Runs work that locks or creates a folder.
 * @returns what the work returns
 * @throws FerruleError `setting_invalid` when another process holds the folder, or the folder cannot be written
 */
export function useFolder<T>({ folder, setting }: SettingFolder, work: (folder: string) => T): T {
  try {
    return work(folder)
  } catch (error) {
    const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
    const reason =
      code === 'ERR_SQLITE_ERROR' ? 'is in use by another process of this service; stop it first' : `cannot be written (${code})`
    throw fail('setting_invalid', { name: setting, reason: `the folder ${folder} ${reason}` }, { cause: error })
  }
}
