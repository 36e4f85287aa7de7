/** An embedded database without records for tests to copy: creating one takes seconds of a core, and the store's own tables half of each opening. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createDatabaseFiles, databaseFolder, hasDatabase } from '../../packages/server/src/copies/store/database/embedded/folder.ts'
import { buildOwnStatements } from '../../packages/server/src/copies/store/database/requirements.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { cache, root } from '../../scripts/paths.mjs'

/** Names the template after what made it: the database's version, the program that creates one, and the store's own tables. */
function nameTemplate(): string {
  const entry = createRequire(join(root, 'packages/server/package.json')).resolve('@electric-sql/pglite')
  const made = [join(dirname(dirname(entry)), 'package.json'), join(root, 'packages/server/src/copies/store/database/embedded/create.ts')]
  const hash = createHash('sha256')
  for (const file of made) hash.update(readFileSync(file))
  for (const statement of buildOwnStatements('embedded')) hash.update(statement)
  return `embedded-${hash.digest('hex').slice(0, 16)}`
}

/**
 * Finds the template of this checkout, and creates it when it is missing. Creation is complete or leaves nothing, whatever ends it.
 * @returns a folder with a database that a store has prepared; nobody opens it
 */
export async function ensureTemplate(): Promise<string> {
  const folder = join(cache, nameTemplate())
  if (hasDatabase(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'embedded-new-'))
  try {
    await createDatabaseFiles(fresh)
    await prepare(fresh)
    renameSync(fresh, folder)
  } catch (error) {
    // Another run was faster: a folder that is not empty is never replaced.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

/** Lets a store make its own tables, as at its first start. */
async function prepare(folder: string): Promise<void> {
  const settings = { engine: 'embedded', folder, memoryMb: 16, waiting: 1, searchSeconds: 10 } as const
  const store = new ContextStore({ settings, kinds: [] })
  await store.openDatabase()
  await store.close()
  for (const name of readdirSync(folder)) if (join(folder, name) !== databaseFolder(folder)) rmSync(join(folder, name))
}
