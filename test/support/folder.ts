import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Makes a folder for the test file, or for the suite around. It is removed after everything that was opened later is closed. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ferrule-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
