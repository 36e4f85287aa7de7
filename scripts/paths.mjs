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

/**
 * What every task finds in its environment: `node` means the project's Node, and compiled sources are kept between starts.
 * @returns {Record<string, string>}
 */
export function environment() {
  const modules = join(root, 'node_modules')
  return { ...pathWith(join(modules, '.bin')), NODE_COMPILE_CACHE: join(modules, '.cache', 'node-compile') }
}

/**
 * PATH, under the name that this system gives it, with a folder at its front.
 * @param {string} folder
 * @returns {Record<string, string>}
 */
export function pathWith(folder) {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  const others = (process.env[key] ?? '').split(delimiter).filter((entry) => entry !== folder)
  return { [key]: [folder, ...others].join(delimiter) }
}
