/** What the entry of a client depends on: the machine, its user, and this installation. */
import { readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

/** The machine of a client. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder of the user. */
  readonly home: string
  /** Folder of the project. */
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
