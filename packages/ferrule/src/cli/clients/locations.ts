/** Where clients keep their files on a machine. */
import { readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import { failSetting } from '../failure.ts'

/** The machine of a client. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of the user. */
  readonly home: string
  readonly folder: string
  /** Absolute path of the runtime. */
  readonly runtime: string
  /** Absolute path of the command's file. */
  readonly script: string
  /** Lists the names in a folder; none when it cannot be read. */
  listNames(folder: string): readonly string[]
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Reads the machine of this process. */
export const readMachine = (env: Machine['env']): Machine => ({
  platform: process.platform,
  env,
  home: homedir(),
  folder: process.cwd(),
  runtime: process.execPath,
  // npm starts the command by a link of `.bin`, which another installation can replace.
  script: realpathSync(process.argv[1] ?? '.'),
  listNames,
})

/** Returns how the machine joins paths. */
export const pathsOf = ({ platform }: Machine): typeof posix => (platform === 'win32' ? win32 : posix)

/** A file of a client. */
export interface Location {
  /** Folder that the user or the system has chosen. Below it no folder is a link. */
  readonly base: string
  /** Names from the base to the file. */
  readonly names: readonly string[]
}

/** Finds the file of a client. */
export type FindLocation = (machine: Machine) => Location

/** A file below the folder of the user. */
export const inHome =
  (...names: readonly string[]): FindLocation =>
  ({ home }) => ({ base: home, names })

/** A file below the folder of the project. */
export const inProject =
  (...names: readonly string[]): FindLocation =>
  ({ folder }) => ({ base: folder, names })

/** A file below the folder that a variable names; without the variable, elsewhere. */
export const inNamed =
  (variable: string, names: readonly string[], otherwise: FindLocation): FindLocation =>
  (machine) => {
    const base = machine.env[variable]
    return base !== undefined && pathsOf(machine).isAbsolute(base) ? { base, names } : otherwise(machine)
  }

/** A file below the system's folder of settings, as Electron finds it. */
export const inSettings = (...names: readonly string[]): FindLocation => {
  const onWindows = inNamed('APPDATA', names, inHome('AppData', 'Roaming', ...names))
  const onMacos = inHome('Library', 'Application Support', ...names)
  const elsewhere = inNamed('XDG_CONFIG_HOME', names, inHome('.config', ...names))
  const locations: Readonly<Partial<Record<NodeJS.Platform, FindLocation>>> = { win32: onWindows, darwin: onMacos }
  return (machine) => (locations[machine.platform] ?? elsewhere)(machine)
}

/**
 * A file below the settings that Windows keeps for a packaged program: the program never sees those of the system's folder.
 * @param prefix of the package's name; its end is the publisher's
 * @param otherwise where the file is when no such package is installed
 */
export const inPackage =
  (prefix: string, names: readonly string[], otherwise: FindLocation): FindLocation =>
  (machine) => {
    if (machine.platform !== 'win32') return otherwise(machine)
    const { join } = pathsOf(machine)
    const packages = join(machine.env['LOCALAPPDATA'] || join(machine.home, 'AppData', 'Local'), 'Packages')
    const [found, another] = machine.listNames(packages).filter((name) => name.startsWith(prefix))
    if (found === undefined) return otherwise(machine)
    if (another === undefined) return { base: join(packages, found, 'LocalCache', 'Roaming'), names }
    throw failSetting(
      `${packages} has several packages: ${found} and ${another}.`,
      'Add the entry by hand: with --print the command prints it only.',
    )
  }

/** Lists the paths of a file's folders below its base, and at last the file's own. */
export const listPaths = (machine: Machine, { base, names }: Location): readonly string[] =>
  names.map((_, index) => pathsOf(machine).join(base, ...names.slice(0, index + 1)))

/** Returns the path of a file. */
export const findPath = (machine: Machine, { base, names }: Location): string => pathsOf(machine).join(base, ...names)
