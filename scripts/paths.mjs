import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Scratch files of the launcher; removed together with node_modules. */
export const cache = join(root, 'node_modules', '.cache', 'ferrule')

/** The tools' scripts, relative to the root; each runs on the project's Node. */
export const tsc = 'node_modules/typescript/bin/tsc'
export const biome = 'node_modules/@biomejs/biome/bin/biome'
export const vitest = 'node_modules/vitest/vitest.mjs'

/** Our packages, in the order of their dependencies. */
export const packages = ['ferrule', 'sandbox', 'server']

/** The condition in `exports` of our packages for their sources; packed packages lack it. */
export const sourceCondition = '@ferrule/source'

/**
 * Adds the condition to the options of Node, for a process and all that it starts.
 * @param {string | undefined} given NODE_OPTIONS as it is
 */
export function sourceOptions(given = '') {
  const option = `--conditions=${sourceCondition}`
  return given.includes(option) ? given : `${given} ${option}`.trim()
}

/**
 * Returns the environment of every task: `node` means the project's Node, and compiled sources are kept between starts. The compiler, a
 * program in Go, collects garbage seldom: it takes a fifth less CPU time for checks of the project and of the tests.
 * @returns {Record<string, string>}
 */
export function buildEnvironment() {
  const modules = join(root, 'node_modules')
  return {
    ...pathWith(join(modules, '.bin')),
    NODE_COMPILE_CACHE: join(modules, '.cache', 'node-compile'),
    NODE_OPTIONS: sourceOptions(process.env['NODE_OPTIONS']),
    GOGC: process.env['GOGC'] ?? '400',
  }
}

/**
 * Puts a folder at the front of PATH, under the name that this system has for it.
 * @param {string} folder
 * @returns {Record<string, string>}
 */
export function pathWith(folder) {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  const others = (process.env[key] ?? '').split(delimiter).filter((entry) => entry !== folder)
  return { [key]: [folder, ...others].join(delimiter) }
}
