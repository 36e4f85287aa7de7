import { spawnSync } from 'node:child_process'
import { sourceOptions } from '../../scripts/paths.mjs'

/** How a finished program ended. */
export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Settings of ours, of the tests, and those that an outer `npm run` leaves in the environment. */
const outer =
  /^(npm_(package|lifecycle|config_local_prefix|config_loglevel|command)|INIT_CWD|NODE_OPTIONS|NODE_ENV|VITEST|FERRULE_|SANDBOX_|(CONTEXT_)?DATABASE_URL|(HTTPS?|NO)_PROXY)/i

/** Ends a program that this process waits for without looking: it would hold all test files of its process forever. */
export const programLimit = { timeout: 10 * 60_000, killSignal: 'SIGKILL' } as const

/** Returns the environment without the settings of an outer run. */
export const withoutOuterSettings = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined || outer.test(name) ? [] : [[name, value]])),
  )

/**
 * Runs a program to its end in a folder, without the settings that an outer `npm run` leaves in the environment.
 * @throws with the program's own words when it fails
 */
export function run(folder: string, command: string, args: readonly string[]): Finished {
  const env = withoutOuterSettings()
  // On Windows npm is a script that only a shell can start.
  const shell = process.platform === 'win32' && command === 'npm'
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...programLimit, cwd: folder, encoding: 'utf8', env, shell })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}\n${stderr}`}`)
  return { status, stdout, stderr }
}

/** Returns the environment for a program that runs from our sources, without the settings and options of an outer run. */
export const buildSourceEnvironment = (): Record<string, string> => ({ ...withoutOuterSettings(), NODE_OPTIONS: sourceOptions() })
