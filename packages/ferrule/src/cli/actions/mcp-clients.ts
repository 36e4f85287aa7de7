/** `mcp install` and `mcp uninstall`: the entry of Ferrule in the file of an MCP client. */

import { lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, posix, win32 } from 'node:path'
import { stringify as formatToml } from 'smol-toml'
import { readServiceSettings } from '../../client/settings.ts'
import { isPublicUrl } from '../../engine/http/public-address.ts'
import {
  type AddressAccess,
  buildPlacements,
  type CommandAccess,
  type FileClient,
  fileClients,
  type Placement,
  type ServerAccess,
} from '../clients/clients.ts'
import { BrokenText, insertInJson } from '../clients/json-text.ts'
import { findPath, type Location, listPaths, type Machine, pathsOf, readMachine } from '../clients/locations.ts'
import { clientNames, editedClientNames, type FileClientName, type HostedClientName, hostedClientNames } from '../clients/names.ts'
import { type CommandContext, readFlag, readList, readText } from '../context.ts'
import { failSetting, failUsage, readErrorCode } from '../failure.ts'
import { findFolder } from '../profiles.ts'
import { replaceFile } from '../replace-file.ts'
import { readSettings } from '../settings.ts'

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

interface InstalledClient {
  readonly client: FileClient
  readonly machine: Machine
}

function findLocation({ options }: CommandContext, { client, machine }: InstalledClient): Location {
  const location = (readFlag(options, 'project') ? client.findProjectFile : client.findUserFile)?.(machine)
  if (location === undefined) throw failUsage(`${client.title} has no files of projects.`, 'Leave --project out.')
  return location
}

const isEdited = (name: FileClientName): boolean => editedClientNames.some((each) => each === name)

/** Formats the parts alone, as the client's file would have them. */
function formatPlacements(name: FileClientName, placements: readonly Placement[]): string {
  if (isEdited(name)) return insertInJson('', placements)
  return formatToml(Object.fromEntries(placements.map((each) => [each.container, { [each.name]: each.value }])))
}

async function changeClient(context: CommandContext, installed: InstalledClient, placements: readonly Placement[]): Promise<boolean> {
  const prepared = await prepareChange(installed.machine, findLocation(context, installed), placements)
  if (prepared === undefined) return false
  context.note(prepared.difference)
  await context.ask.confirm(`Write ${prepared.path}`, readFlag(context.options, 'yes'))
  const backup = await writeChange(prepared, readFlag(context.options, 'project') ? 'project' : 'user')
  context.note(`Wrote ${prepared.path}.${backup === undefined ? '' : ` The old content is in ${backup}.`}`)
  return true
}

function noteNext({ note }: CommandContext, { client, machine }: InstalledClient, access: ServerAccess): void {
  if ('url' in access) {
    note('Create a token for it: ferrule tokens create NAME')
    note(
      client.buildInput === undefined ? `Set ${access.variable} to it where ${client.title} starts.` : `${client.title} asks for it once.`,
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
  const installed = { client, machine }
  const access = await readServerAccess(context, client, machine)
  const entryName = readEntryName(context)
  const placements = buildPlacements(client, entryName, access)
  if (readFlag(context.options, 'print')) return print(context, formatPlacements(name, placements))
  if (!isEdited(name)) {
    const path = findPath(machine, findLocation(context, installed))
    await print(context, formatPlacements(name, placements))
    context.note(`Paste this into ${path}; it replaces any older [${client.container}.${entryName}]. The command changes no TOML.`)
  } else if (!(await changeClient(context, installed, placements)))
    return context.note(`${client.title} has this entry already. Nothing was changed.`)
  noteNext(context, installed, access)
}

/** Takes the entry out of a client's file. */
export async function uninstallFrom(context: CommandContext, machine: Machine): Promise<void> {
  const name = readClientName(context.args)
  if (isHosted(name)) throw failUsage(`${name} keeps the entry itself.`, 'Remove it on the page where you added it.')
  const installed = { client: fileClients[name], machine }
  const { title, container } = installed.client
  const entryName = readEntryName(context)
  if (!isEdited(name))
    throw failUsage(
      `${title} keeps its servers in TOML, which the command does not change.`,
      `Delete [${container}.${entryName}] in ${findPath(machine, findLocation(context, installed))}, and the tables below it.`,
    )
  if (!(await changeClient(context, installed, buildPlacements(installed.client, entryName, undefined))))
    context.note(`${title} has no such entry. Nothing was changed.`)
}

/** Adds the entry on this machine. */
export const installClient = (context: CommandContext): Promise<void> => installInto(context, readMachine(context.env))

/** Takes the entry out on this machine. */
export const uninstallClient = (context: CommandContext): Promise<void> => uninstallFrom(context, readMachine(context.env))

const service = 'The service must have a public address with https, FERRULE_PUBLIC_URL: these clients call it from the internet.'
const consent = 'These clients take no token. They ask the service for OAuth, and a person agrees on its page.'

const steps: Readonly<Record<HostedClientName, readonly string[]>> = {
  chatgpt: [
    'In ChatGPT open Settings, Apps, Advanced settings, and switch on Developer mode.',
    'Choose Create app. Give the name Ferrule, the address below, and OAuth as authentication.',
    'Choose Create. Sign in on the page of the service with client id and secret of an application, and agree.',
    'In a chat choose + and Ferrule.',
  ],
  'claude.ai': [
    'In Claude open Customize, Connectors, and choose + and Add custom connector. In a team an owner does this.',
    'Give the name Ferrule and the address below, and choose Add.',
    'Choose Connect. Sign in on the page of the service with client id and secret of an application, and agree.',
    'In a chat choose + and Connectors, and switch Ferrule on.',
  ],
}

/** Title of each client, and the client of the same vendor that runs on this machine. */
const titles: Readonly<Record<HostedClientName, { readonly title: string; readonly here: FileClientName }>> = {
  chatgpt: { title: 'ChatGPT', here: 'codex' },
  'claude.ai': { title: 'Claude on the web', here: 'claude-desktop' },
}

/** Names that only this machine or its network knows: those without a dot, and those of ends that nobody can register. */
const isOwnName = (host: string): boolean => /^[^.]+$|\.(localhost|local|internal|lan|home|home\.arpa|svc)$/i.test(host)

/** Refuses an address that the servers of the client's vendor cannot reach. */
function assertReachable(name: HostedClientName, url: string): void {
  const address = new URL(url)
  if (isPublicUrl(address) && !isOwnName(address.hostname)) return
  const { title, here } = titles[name]
  throw failUsage(
    `${title} cannot reach ${url}: it runs on the servers of its vendor, and the address is known to this machine or its network only.`,
    'Give the service a public address with https, set FERRULE_PUBLIC_URL to it, and run this again with --url and that address. ' +
      `On this machine ${here} works: ferrule mcp install ${here}`,
  )
}

/** Formats the steps. @param url address of the MCP endpoint; undefined: no service is set */
function formatSteps(name: HostedClientName, url: string | undefined): string {
  if (url !== undefined) assertReachable(name, url)
  return [
    service,
    consent,
    '',
    ...steps[name].map((step, index) => `${index + 1}. ${step}`),
    '',
    `Address: ${url ?? 'the address of the service and /mcp'}`,
    `All clients: ${url === undefined ? 'the address of the service and /docs/mcp-clients' : new URL('docs/mcp-clients', url).href}`,
    '',
  ].join('\n')
}

const usualVariable = 'FERRULE_MCP_TOKEN'

/** Returns the address of the service's MCP endpoint; undefined: no service is set. */
async function findAddress({ flags, env }: CommandContext): Promise<string | undefined> {
  const { url } = await readSettings(flags, env)
  // The check of the address needs an identity, and sends none.
  return url === undefined ? undefined : `${readServiceSettings({ url: url.value, token: 'unused' }).url}/mcp`
}

function refuse(options: CommandContext['options'], names: readonly string[], why: string): void {
  const given = names.find((name) => options[name] !== undefined && options[name] !== false)
  if (given !== undefined) throw failUsage(`--${given} has no effect here: ${why}.`, `Leave --${given} out.`)
}

async function readAddress(context: CommandContext): Promise<AddressAccess> {
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

async function readCommand(context: CommandContext, machine: Machine): Promise<CommandAccess> {
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

async function readServerAccess(context: CommandContext, client: FileClient, machine: Machine): Promise<ServerAccess> {
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
const isPassing = (script: string): boolean => script.split(posix.sep).join(win32.sep).includes('\\_npx\\')

/** Largest number of pairs of lines that are compared. Beyond it everything between the first and the last change is shown. */
const mostPairs = 4_000_000

const splitLines = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/))

interface Hunk {
  readonly before: { readonly from: number; readonly lines: readonly string[] }
  readonly after: { readonly from: number; readonly lines: readonly string[] }
}

/** Returns lengths of longest common subsequences of the ends of two lists. */
function measureCommon(one: readonly string[], other: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1))
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      lengths[row]?.fill(
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1)),
        column,
        column + 1,
      )
  return lengths
}

function findHunks(one: readonly string[], other: readonly string[], offset: number): readonly Hunk[] {
  const isLarge = one.length * other.length > mostPairs
  const lengths = isLarge ? [] : measureCommon(one, other)
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  const hunks: Hunk[] = []
  let [row, column, fromRow, fromColumn] = [0, 0, 0, 0]
  const close = (): void => {
    if (fromRow < row || fromColumn < column)
      hunks.push({
        before: { from: offset + fromRow, lines: one.slice(fromRow, row) },
        after: { from: offset + fromColumn, lines: other.slice(fromColumn, column) },
      })
  }
  while (row < one.length || column < other.length) {
    if (!isLarge && row < one.length && one[row] === other[column]) {
      close()
      row += 1
      column += 1
      fromRow = row
      fromColumn = column
    } else if (column >= other.length || (row < one.length && at(row + 1, column) >= at(row, column + 1))) row += 1
    else column += 1
  }
  close()
  return hunks
}

/** Names lines of a text: a part without lines is named by the line before it. */
const formatRange = ({ from, lines }: Hunk['before']): string =>
  lines.length === 1 ? `${from + 1}` : `${lines.length === 0 ? from : from + 1},${lines.length}`

/** Keeps control characters of a file from the terminal. */
const cleanLine = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  line.replace(/\r?\n$/, '').replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '?')

const formatLines = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => [`${sign}${cleanLine(line)}`, ...(line.endsWith('\n') ? [] : ['\\ No newline at end of file'])])

/** Formats the difference of two texts. @param path of the file, for the head */
export function formatDifference(path: string, before: string, after: string): string {
  const [one, other] = [splitLines(before), splitLines(after)]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start += 1
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const hunks = findHunks(one.slice(start, one.length - end), other.slice(start, other.length - end), start)
  return [
    `--- ${before === '' ? '/dev/null' : path}`,
    `+++ ${path}`,
    ...hunks.flatMap((hunk) => [
      `@@ -${formatRange(hunk.before)} +${formatRange(hunk.after)} @@`,
      ...formatLines('-', hunk.before.lines),
      ...formatLines('+', hunk.after.lines),
    ]),
  ].join('\n')
}

/** Maximum size of a file, in bytes: Claude Code keeps its history in the same file. */
const largestFile = 64 * 1024 * 1024

interface FileContent {
  readonly bytes: Buffer
  /** Undefined: there is no file. */
  readonly mode: number | undefined
}

interface FileChange {
  readonly path: string
  /** Paths of the file's folders below its base, and its own. */
  readonly paths: readonly string[]
  readonly before: FileContent
  readonly after: string
  /** Unified diff of the lines that change, without their neighbours. */
  readonly difference: string
}

const byHand = 'Change the file by hand: with --print the command prints the entry only.'

/** Reads what is at a path without following a link; undefined: nothing. */
async function lookAtFile(path: string) {
  try {
    return await lstat(path)
  } catch (thrown) {
    const code = readErrorCode(thrown)
    if (code === 'ENOENT') return undefined
    throw failSetting(`${path} cannot be read (${code ?? String(thrown)}).`, 'Correct its permissions, and run the command again.')
  }
}

/** Refuses links, and what is no file. */
async function readFileContent(paths: readonly string[]): Promise<FileContent> {
  for (const [index, path] of paths.entries()) {
    const found = await lookAtFile(path)
    if (found === undefined) return { bytes: Buffer.alloc(0), mode: undefined }
    if (found.isSymbolicLink()) throw failSetting(`${path} is a link, and links are not followed.`, byHand)
    if (index < paths.length - 1) continue
    if (!found.isFile()) throw failSetting(`${path} is no file.`, byHand)
    if (found.size > largestFile) throw failSetting(`${path} has more than ${largestFile} bytes.`, byHand)
    return { bytes: await readFile(path), mode: found.mode & 0o777 }
  }
  throw new RangeError('A location has a name.')
}

const byteOrderMark = '\uFEFF'

function decodeFile(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw failSetting(`The file ${path} is no text of UTF-8.`, byHand)
  }
}

/** Changes a text, and names the file when it is broken. */
function changeText(text: string, placements: readonly Placement[], path: string): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  try {
    return mark + insertInJson(text.slice(mark.length), placements)
  } catch (thrown) {
    if (!(thrown instanceof BrokenText)) throw thrown
    throw failSetting(
      `The file ${path} cannot be changed: ${thrown.message}.`,
      'Correct it there, and run the command again. Nothing was written.',
    )
  }
}

/**
 * Prepares the change of a file. Links are refused: a folder that others wrote could lead anywhere.
 * @returns undefined when the file already is as it should be
 */
async function prepareChange(machine: Machine, location: Location, placements: readonly Placement[]): Promise<FileChange | undefined> {
  const paths = listPaths(machine, location)
  const path = findPath(machine, location)
  const before = await readFileContent(paths)
  const text = decodeFile(before.bytes, path)
  const after = changeText(text, placements, path)
  return after === text ? undefined : { path, paths, before, after, difference: formatDifference(path, text, after) }
}

/** Mode of a new file: the file of a user can get secrets of other servers, that of a project is shared. */
const fileModes = { user: 0o600, project: 0o644 } as const

/** Makes a change. The old content stays beside the file. @returns path of the backup; undefined: there was no file */
async function writeChange({ path, paths, before, after }: FileChange, scope: keyof typeof fileModes): Promise<string | undefined> {
  const now = await readFileContent(paths)
  if (now.mode !== before.mode || !now.bytes.equals(before.bytes))
    throw failSetting(`The file ${path} was changed by another program meanwhile.`, 'Run the command again. Nothing was written.')
  const backup = `${path}.ferrule-backup`
  try {
    await mkdir(dirname(path), { recursive: true })
    if (before.mode !== undefined) await replaceFile(backup, before.bytes, before.mode)
    await replaceFile(path, after, before.mode ?? fileModes[scope])
  } catch (thrown) {
    throw failSetting(
      `The file ${path} cannot be written (${readErrorCode(thrown) ?? String(thrown)}).`,
      'Correct the permissions of its folder, and run the command again.',
    )
  }
  return before.mode === undefined ? undefined : backup
}
