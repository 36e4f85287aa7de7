import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kinds } from 'ferrule/internal'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import type { Settings } from '../../packages/server/src/main/settings/settings.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { root } from '../../scripts/paths.mjs'

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

/** The environment that the image of the service sets. */
export const imageSettings: Readonly<Record<string, string>> = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' ').map((pair) => pair.split('=', 2))),
)

/** Paths of the service's routes. */
export const servedPaths: readonly string[] = routes.map(({ path }) => path)

/**
 * Reads the settings of a node as `ferrule-server serve --role ROLE` does.
 * @throws FerruleError `setting_invalid` for what the service would refuse
 */
export function readNodeSettings(env: Readonly<Record<string, string>>, command: readonly string[]): Settings {
  const [program, word, option, role] = command
  if (program !== 'ferrule-server' || word !== 'serve' || option !== '--role' || role === undefined) throw new Error(command.join(' '))
  return readSettings({ ...env, FERRULE_ROLE: role }, { kinds: Object.keys(kinds) })
}
