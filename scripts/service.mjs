// Keeps one file of the service's sources built, for `npm start`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root } from './paths.mjs'
import { runNode } from './run-node.mjs'
import { digestOf } from './web.mjs'

/** The service in the sources. */
const sources = 'packages/server/src/main.ts'

/** The service in one file. */
export const bundled = join(cache, 'service.js')

/** Begins the last line of that file: the folder of the project, and the digests of all sources. */
export const seal = '// made of '

/**
 * Builds the service when its sources have changed.
 * @returns {Promise<string>} the program to run: the sources themselves where the bundle cannot be built
 */
export async function ensureService() {
  return isFresh() || (await runNode(['scripts/build-service.mjs'])) === 0 ? bundled : sources
}

/** Returns whether the last build was made here, of all sources as they are. */
function isFresh() {
  try {
    const text = readFileSync(bundled, 'utf8')
    /** @type {{ root: string, digests: Record<string, string> }} */
    const made = JSON.parse(text.slice(text.lastIndexOf(seal) + seal.length))
    return made.root === root && Object.entries(made.digests).every(([file, digest]) => digestOf(file) === digest)
  } catch {
    return false
  }
}
