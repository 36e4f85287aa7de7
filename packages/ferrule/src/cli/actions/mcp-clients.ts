/** `mcp install` and `mcp uninstall`: the entry of Ferrule in the file of an MCP client. */
import { buildPlacements, type FileClient, fileClients, type Reach } from '../clients/clients.ts'
import type { Placement } from '../clients/entry.ts'
import { makeChange, prepareChange } from '../clients/file.ts'
import { printJson } from '../clients/json-text.ts'
import { type Machine, readMachine } from '../clients/machine.ts'
import { clientNames, type FileClientName, type HostedClientName, hostedClientNames } from '../clients/names.ts'
import { findAddress, isPassing, readReach } from '../clients/reach.ts'
import { formatSteps } from '../clients/steps.ts'
import { printToml } from '../clients/toml-text.ts'
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

/** Shows the difference, asks, and writes. @returns whether the file was changed */
async function change(context: CommandContext, { client, machine }: Target, placements: readonly Placement[]): Promise<boolean> {
  const isProject = readFlag(context.options, 'project')
  const place = (isProject ? client.findProjectFile : client.findUserFile)?.(machine)
  if (place === undefined) throw failUsage(`${client.title} has no files of projects.`, 'Leave --project out.')
  const options = { machine, place, form: client.form }
  const prepared = await prepareChange(options, placements)
  if (prepared === undefined) return false
  context.note(prepared.difference)
  await context.ask.confirm(`Write ${prepared.path}`, readFlag(context.options, 'yes'))
  const backup = await makeChange(prepared, options, isProject ? 'project' : 'user')
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
  const reach = await readReach(context, client, machine)
  const placements = buildPlacements(client, readEntryName(context), reach)
  if (readFlag(context.options, 'print')) return print(context, (client.form === 'json' ? printJson : printToml)(placements))
  if (await change(context, { client, machine }, placements)) noteNext(context, { client, machine }, reach)
  else context.note(`${client.title} has this entry already. Nothing was changed.`)
}

/** Takes the entry out of a client's file. */
export async function uninstallFrom(context: CommandContext, machine: Machine): Promise<void> {
  const name = readClientName(context.args)
  if (isHosted(name)) throw failUsage(`${name} keeps the entry itself.`, 'Remove it on the page where you added it.')
  const client = fileClients[name]
  const placements = buildPlacements(client, readEntryName(context), undefined)
  if (!(await change(context, { client, machine }, placements))) context.note(`${client.title} has no such entry. Nothing was changed.`)
}

/** Adds the entry on this machine. */
export const installClient = (context: CommandContext): Promise<void> => installInto(context, readMachine(context.env))

/** Takes the entry out on this machine. */
export const uninstallClient = (context: CommandContext): Promise<void> => uninstallFrom(context, readMachine(context.env))
