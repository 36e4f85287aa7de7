// Keeps the programs built: Node reads one file in half the time of a thousand sources. The command `ferrule` is a few files, of which a run
// reads those that it needs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root } from './paths.mjs'
import { runNode } from './run-node.mjs'
import { digestOf } from './web.mjs'

/** The programs with their sources. */
export const sources = {
  service: 'packages/server/src/main.ts',
  'ferrule-server': 'packages/server/src/cli.ts',
  ferrule: 'packages/ferrule/src/cli.ts',
}

/** @typedef {keyof typeof sources} BundleName */

/** @type {readonly BundleName[]} */
export const bundleNames = ['service', 'ferrule-server', 'ferrule']

/**
 * Returns where the bundle of a program is. Its ending says that it is a module: Node would try to compile it as CommonJS first.
 * @param {BundleName} name
 */
export const bundleOf = (name) => join(cache, `${name}.mjs`)

/** Begins the last line of that file: the folder of the project, and the digests of all sources. */
export const seal = '// made of '

/**
 * Builds the bundle of a program when its sources have changed.
 * @param {BundleName} name
 * @returns {Promise<string>} the program to run: the sources themselves where the file cannot be built
 */
export async function ensureBundle(name) {
  return isFresh(name) || (await runNode(['scripts/build-bundle.mjs', name])) === 0 ? bundleOf(name) : sources[name]
}

/**
 * Returns whether the last build was made here, of all sources as they are.
 * @param {BundleName} name
 */
function isFresh(name) {
  try {
    const text = readFileSync(bundleOf(name), 'utf8')
    /** @type {{ root: string, digests: Record<string, string> }} */
    const made = JSON.parse(text.slice(text.lastIndexOf(seal) + seal.length))
    return made.root === root && Object.entries(made.digests).every(([file, digest]) => digestOf(file) === digest)
  } catch {
    return false
  }
}
