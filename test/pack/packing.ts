/** Packs our packages from a copy of the sources, and installs what a test needs from npm. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { packages, root, tsc } from '../../scripts/paths.mjs'
import { webFolder } from '../../scripts/web.mjs'
import { run } from '../support/commands.ts'

/** Files of the packed packages, by the name of the package. */
export interface Packed {
  readonly ferrule: string
  readonly sandbox: string
  readonly server: string
  readonly kinds: string
}

/** What the copy needs beside the packages. */
const parts = ['package.json', 'package-lock.json', '.npmrc', 'scripts', 'docs', 'tsconfig.json', 'LICENSE', 'README.md', 'CHANGELOG.md']

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
  for (const name of [...packages, 'kinds', 'web'])
    cpSync(join(root, 'packages', name), join(copy, 'packages', name), { recursive: true, filter: isSource })
  linkModules(copy)
  // Pages are built again only if their sources differ from those of the last build.
  if (existsSync(webFolder)) cpSync(webFolder, join(copy, relative(root, webFolder)), { recursive: true })
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
  return {
    ferrule: find(/^ferrule-\d/),
    sandbox: find(/^ferrule-sandbox-\d/),
    server: find(/^ferrule-server-\d/),
    kinds: find(/^ferrule-kinds-\d/),
  }
}

/** Links installed packages of the project into another one: what users install beside ours, without the time of an installation. */
export function linkPackages(project: string, names: readonly string[]): void {
  for (const name of names) symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction')
}

/** Reads the version of an installed package of the project. */
export function readVersion(name: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return version
}

/** Runs the project's compiler in another project. One checker repeats nothing that several share: two thirds of the CPU time. */
export const compile = (project: string, ...args: readonly string[]): string =>
  run(project, process.execPath, [join(root, tsc), '-p', '.', '--checkers', '1', ...args]).stdout

/** Lists the files of a folder with all folders below it, as paths below it with slashes. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
