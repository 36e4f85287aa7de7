/** Decides what a client is told: how to start this installation with a profile, or the service's address. */
import { posix, win32 } from 'node:path'
import { readServiceSettings } from '../../client/settings.ts'
import { type CommandContext, readFlag, readList, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { findFolder } from '../profiles.ts'
import { readSettings } from '../settings.ts'
import type { AddressReach, CommandReach, FileClient, Reach } from './clients.ts'
import { type Machine, pathsOf } from './places.ts'

/** Variable that holds the token when no other is named. */
const usualVariable = 'FERRULE_MCP_TOKEN'

/** Returns the address of the service's MCP endpoint; undefined: no service is set. */
export async function findAddress({ flags, env }: CommandContext): Promise<string | undefined> {
  const { url } = await readSettings(flags, env)
  // The check of the address needs an identity, and sends none.
  return url === undefined ? undefined : `${readServiceSettings({ url: url.value, token: 'unused' }).url}/mcp`
}

/** Refuses what would have no effect. */
function refuse(options: CommandContext['options'], names: readonly string[], why: string): void {
  const given = names.find((name) => options[name] !== undefined && options[name] !== false)
  if (given !== undefined) throw failUsage(`--${given} has no effect here: ${why}.`, `Leave --${given} out.`)
}

async function readAddress(context: CommandContext): Promise<AddressReach> {
  const { options } = context
  refuse(options, ['write', 'workspace', 'organization'], 'the token names what the client reaches')
  const url = await findAddress(context)
  if (url === undefined) throw failUsage('No service is set.', 'Give --url, or set FERRULE_URL, or run: ferrule login')
  const variable = readText(options, 'tokenVariable') ?? usualVariable
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable) || variable.startsWith('frl_'))
    throw failUsage(
      '--token-variable is no name of a variable.',
      `Give the name, such as ${usualVariable}. The token itself is never written.`,
    )
  return { url, variable }
}

/** Returns the variables by which the process finds the profile of this terminal. */
function findVariables(machine: Machine): Readonly<Record<string, string>> {
  const { env, folder } = machine
  if (!env['FERRULE_CONFIG_DIR'] && !env['XDG_CONFIG_HOME']) return {}
  return { FERRULE_CONFIG_DIR: pathsOf(machine).resolve(folder, findFolder(env)) }
}

async function readCommand(context: CommandContext, machine: Machine): Promise<CommandReach> {
  const { flags, env, options } = context
  refuse(options, ['tokenVariable'], 'it goes with --remote')
  refuse(options, ['url'], 'the profile names the service')
  const { profile, file } = await readSettings(flags, env)
  if (!profile.exists)
    throw failUsage(
      `There is no profile ${profile.value} in ${file}, and the client's file holds no secret.`,
      `Run: ferrule login --profile ${profile.value}`,
    )
  const named = { profile: profile.value, organization: flags.organization, workspace: flags.workspace }
  const args = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
  return {
    command: machine.runtime,
    args: [machine.script, 'mcp', ...args, ...(readFlag(options, 'write') ? ['--write'] : [])],
    env: findVariables(machine),
  }
}

/**
 * Reads what the client is told.
 * @throws FerruleError `validation_failed` without a profile or a service, or for an option that has no effect
 */
export async function readReach(context: CommandContext, client: FileClient, machine: Machine): Promise<Reach> {
  if (readList(context.options, 'local').length > 0)
    throw failUsage(
      "--local needs credentials of a vendor, and a client's file holds no secret.",
      'Use a profile. `ferrule mcp --local` runs where a shell sets the credentials.',
    )
  if (!readFlag(context.options, 'remote')) return readCommand(context, machine)
  if (client.buildAddress === undefined)
    throw failUsage(`${client.title} takes no token for an address.`, 'Leave --remote out: the client starts the command.')
  return readAddress(context)
}

/** Returns whether the script lies in the cache of npx, which npm empties. */
export const isPassing = (script: string): boolean => script.split(posix.sep).join(win32.sep).includes('\\_npx\\')
