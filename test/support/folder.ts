import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/**
 * Makes a folder for the test file, or for the suite around. It is removed after everything that was opened later is closed.
 * @param later takes what removes the folder: `onTestFinished` for that of one test
 * @param parent where it lies; it is made if it is missing
 */
export function makeFolder(name: string, later: (remove: () => void) => void = afterAll, parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, `ferrule-${name}-`))
  later(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
