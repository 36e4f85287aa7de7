/** `mcp install` and `mcp uninstall`: the entry of Ferrule in the file of an MCP client. */
import { stringify as formatToml } from 'smol-toml'
import { buildPlacements, type FileClient, fileClients, type Placement, type Reach } from '../clients/clients.ts'
import { makeChange, prepareChange } from '../clients/file.ts'
import { placeInJson } from '../clients/json-text.ts'
import { clientNames, editedClientNames, type FileClientName, type HostedClientName, hostedClientNames } from '../clients/names.ts'
import { findPath, type Machine, type Place, readMachine } from '../clients/places.ts'
import { findAddress, isPassing, readReach } from '../clients/reach.ts'
import { formatSteps } from '../clients/steps.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { failUsage } from '../failure.ts'

/** Names of entries that every client takes. */
const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** @throws FerruleError `validation_failed` for a name that no client has */
function readClientName([given]: readonly string[]): FileClientName | HostedClientName {
  const name = clientNames.find((each) => each === given)
  if (name === undefined) throw failUsage(`There is no client ${given}.`, `Clients: ${clientNames.join(', ')}.`)
  return name
}

const isHosted = (name: FileClientName | HostedClientName): name is HostedClientName => hostedClientNames.some((each) => each === name)

function readEntryName({ options }: CommandContext): string {
  const name = readText(options, 'name') ?? 'ferrule'
  if (namePattern.test(name)) return name
  throw failUsage('--name is no name of an entry.', 'Use letters, digits, - and _, with a letter first and at most 64 of them.')
}

async function print({ output }: CommandContext, text: string): Promise<void> {
  await output.sink.write(text)
  await output.sink.flush()
}

/** A client on a machine. */
interface Target {
  readonly client: FileClient
  readonly machine: Machine
}

function findPlace({ options }: CommandContext, { client, machine }: Target): Place {
  const place = (readFlag(options, 'project') ? client.findProjectFile : client.findUserFile)?.(machine)
  if (place === undefined) throw failUsage(`${client.title} has no files of projects.`, 'Leave --project out.')
  return place
}

const isEdited = (name: FileClientName): boolean => editedClientNames.some((each) => each === name)

/** Formats the parts alone, as the client's file would have them. */
function format(name: FileClientName, placements: readonly Placement[]): string {
  if (isEdited(name)) return placeInJson('', placements)
  return formatToml(Object.fromEntries(placements.map((each) => [each.container, { [each.name]: each.value }])))
}

/** Shows the difference, asks, and writes. @returns whether the file was changed */
async function change(context: CommandContext, target: Target, placements: readonly Placement[]): Promise<boolean> {
  const prepared = await prepareChange(target.machine, findPlace(context, target), placements)
  if (prepared === undefined) return false
  context.note(prepared.difference)
  await context.ask.confirm(`Write ${prepared.path}`, readFlag(context.options, 'yes'))
  const backup = await makeChange(prepared, readFlag(context.options, 'project') ? 'project' : 'user')
  context.note(`Wrote ${prepared.path}.${backup === undefined ? '' : ` The old content is in ${backup}.`}`)
  return true
}

/** Says what the user still has to do. */
function noteNext({ note }: CommandContext, { client, machine }: Target, reach: Reach): void {
  if ('url' in reach) {
    note('Create a token for it: ferrule tokens create NAME')
    note(
      client.buildInput === undefined ? `Set ${reach.variable} to it where ${client.title} starts.` : `${client.title} asks for it once.`,
    )
  } else if (isPassing(machine.script))
    note('This installation lies in the cache of npx, which npm empties. To keep it: npm install --global ferrule, and install again.')
  note(client.next)
}

/** Adds the entry to a client's file, prints it, or prints the steps for a client without a file. */
export async function installInto(context: CommandContext, machine: Machine): Promise<void> {
  const name = readClientName(context.args)
  if (isHosted(name)) return print(context, formatSteps(name, await findAddress(context)))
  const client = fileClients[name]
  const target = { client, machine }
  const reach = await readReach(context, client, machine)
  const entryName = readEntryName(context)
  const placements = buildPlacements(client, entryName, reach)
  if (readFlag(context.options, 'print')) return print(context, format(name, placements))
  if (!isEdited(name)) {
    const path = findPath(machine, findPlace(context, target))
    await print(context, format(name, placements))
    context.note(`Paste this into ${path}, in place of any older [${client.container}.${entryName}]. The command changes no TOML.`)
  } else if (!(await change(context, target, placements)))
    return context.note(`${client.title} has this entry already. Nothing was changed.`)
  noteNext(context, target, reach)
}

/** Takes the entry out of a client's file. */
export async function uninstallFrom(context: CommandContext, machine: Machine): Promise<void> {
  const name = readClientName(context.args)
  if (isHosted(name)) throw failUsage(`${name} keeps the entry itself.`, 'Remove it on the page where you added it.')
  const target = { client: fileClients[name], machine }
  const { title, container } = target.client
  const entryName = readEntryName(context)
  if (!isEdited(name))
    throw failUsage(
      `${title} keeps its servers in TOML, which the command does not change.`,
      `Delete [${container}.${entryName}] in ${findPath(machine, findPlace(context, target))}, and the tables below it.`,
    )
  if (!(await change(context, target, buildPlacements(target.client, entryName, undefined))))
    context.note(`${title} has no such entry. Nothing was changed.`)
}

/** Adds the entry on this machine. */
export const installClient = (context: CommandContext): Promise<void> => installInto(context, readMachine(context.env))

/** Takes the entry out on this machine. */
export const uninstallClient = (context: CommandContext): Promise<void> => uninstallFrom(context, readMachine(context.env))
