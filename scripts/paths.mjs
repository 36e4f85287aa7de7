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
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  const bin = join(root, 'node_modules', '.bin')
  const path = (process.env[key] ?? '').split(delimiter).filter((entry) => entry !== bin)
  return { [key]: [bin, ...path].join(delimiter), NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node-compile') }
}
