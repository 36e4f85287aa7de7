/** An empty embedded database for tests to copy: creating one takes seconds of a core. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createDatabaseFiles, hasDatabase } from '../../packages/server/src/copies/store/database/embedded/folder.ts'
import { cache, root } from '../../scripts/paths.mjs'

/** Names the template after what made it: the database's version and the program that creates one. */
function nameTemplate(): string {
  const entry = createRequire(join(root, 'packages/server/package.json')).resolve('@electric-sql/pglite')
  const made = [join(dirname(dirname(entry)), 'package.json'), join(root, 'packages/server/src/copies/store/database/embedded/create.ts')]
  const hash = createHash('sha256')
  for (const file of made) hash.update(readFileSync(file))
  return `embedded-${hash.digest('hex').slice(0, 16)}`
}

/**
 * Finds the template of this checkout, and creates it when it is missing. Creation is complete or leaves nothing, whatever ends it.
 * @returns a folder with an empty database; nobody opens it
 */
export async function ensureTemplate(): Promise<string> {
  const folder = join(cache, nameTemplate())
  if (hasDatabase(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'embedded-new-'))
  try {
    await createDatabaseFiles(fresh)
    renameSync(fresh, folder)
  } catch (error) {
    // Another run was faster: a folder that is not empty is never replaced.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}
