// Keeps each program of this checkout built in one file, which Node reads in a fraction of the time of a thousand sources.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root } from './paths.mjs'
import { runNode } from './run-node.mjs'
import { digestOf } from './web.mjs'

/** The sources of each program. */
export const programs = {
  service: 'packages/server/src/main.ts',
  'ferrule-server': 'packages/server/src/cli.ts',
  ferrule: 'packages/ferrule/src/cli.ts',
}

/** @typedef {keyof typeof programs} ProgramName */

/** @type {readonly ProgramName[]} */
export const programNames = ['service', 'ferrule-server', 'ferrule']

/**
 * Returns where the program is in one file.
 * @param {ProgramName} name
 */
export const bundleOf = (name) => join(cache, `${name}.js`)

/** Begins the last line of that file: the folder of the project, and the digests of all sources. */
export const seal = '// made of '

/**
 * Builds a program when its sources have changed.
 * @param {ProgramName} name
 * @returns {Promise<string>} the program to run: the sources themselves where the file cannot be built
 */
export async function ensureBundle(name) {
  return isFresh(name) || (await runNode(['scripts/build-program.mjs', name])) === 0 ? bundleOf(name) : programs[name]
}

/**
 * Returns whether the last build was made here, of all sources as they are.
 * @param {ProgramName} name
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
