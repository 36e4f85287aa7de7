import { spawnSync } from 'node:child_process'

/** How a finished program ended. */
export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program to its end in a folder, without the settings that an outer `npm run` leaves in the environment.
 * @throws with the program's own words when it fails
 */
export function run(folder: string, command: string, args: readonly string[]): Finished {
  const outer = /^(npm_(package|lifecycle|config_local_prefix|config_loglevel|command)|INIT_CWD|NODE_OPTIONS|VITEST|FERRULE_)/i
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)))
  // On Windows npm is a script that only a shell can start.
  const shell = process.platform === 'win32' && command === 'npm'
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env, shell })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}\n${stderr}`}`)
  return { status, stdout, stderr }
}
