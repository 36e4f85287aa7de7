/** The clients on this machine: where the file of each is, and what it holds for Ferrule. Nothing of that is a secret. */
import { type FindLocation, inHome, inNamed, inPackage, inProject, inSettings } from './locations.ts'
import type { FileClientName } from './names.ts'

/** A command that the client starts. */
export interface CommandAccess {
  readonly command: string
  readonly args: readonly string[]
  /** Variables of the process; none of them is secret. */
  readonly env: Readonly<Record<string, string>>
}

/** An address that the client calls. */
export interface AddressAccess {
  readonly url: string
  /** Name of the variable that holds the token. */
  readonly variable: string
}

/** A part of a file that is ours: a member of an object, or an object in a list. */
export interface Placement {
  /** Member of the file that holds it. */
  readonly container: string
  readonly form: 'object' | 'array'
  /** Name of the member; in a list, the `id` of the object. */
  readonly name: string
  /** Undefined: it is taken out. */
  readonly value: object | undefined
}

/** Builds an entry that names no transport. */
const buildPlainCommand = ({ command, args, env }: CommandAccess) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) })

const buildTypedCommand = (access: CommandAccess): object => ({ type: 'stdio', ...buildPlainCommand(access) })

const authorize = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } })

/** A client. */
export interface FileClient {
  readonly title: string
  /** Member of the file that holds the entries. */
  readonly container: string
  readonly findUserFile: FindLocation
  /** The file of a project; undefined: the client has files of users only. */
  readonly findProjectFile?: FindLocation
  buildCommand(access: CommandAccess): object
  /** Undefined: the client takes no token, so it starts the command only. */
  readonly buildAddress?: (access: AddressAccess, input: string) => object
  /** The question for the token, for a client that reads no variables; undefined: the client reads the variable. */
  readonly buildInput?: (id: string) => object
  readonly next: string
}

const claudeDesktopFile = ['Claude', 'claude_desktop_config.json'] as const

/** All clients on this machine, by name. `docs/mcp-clients.md` has their pages and the date of reading. */
export const fileClients: Readonly<Record<FileClientName, FileClient>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    container: 'mcpServers',
    findUserFile: inPackage('Claude_', claudeDesktopFile, inSettings(...claudeDesktopFile)),
    buildCommand: buildPlainCommand,
    next: 'Quit Claude Desktop and start it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    container: 'mcpServers',
    findUserFile: inNamed('CLAUDE_CONFIG_DIR', ['.claude.json'], inHome('.claude.json')),
    findProjectFile: inProject('.mcp.json'),
    buildCommand: buildTypedCommand,
    buildAddress: ({ url, variable }) => ({ type: 'http', url, ...authorize(`\${${variable}}`) }),
    next: 'Start Claude Code again; /mcp shows the server.',
  },
  cursor: {
    title: 'Cursor',
    container: 'mcpServers',
    findUserFile: inHome('.cursor', 'mcp.json'),
    findProjectFile: inProject('.cursor', 'mcp.json'),
    buildCommand: buildTypedCommand,
    buildAddress: ({ url, variable }) => ({ url, ...authorize(`\${env:${variable}}`) }),
    next: 'Switch the server on in the settings of Cursor, below MCP.',
  },
  vscode: {
    title: 'VS Code',
    container: 'servers',
    findUserFile: inSettings('Code', 'User', 'mcp.json'),
    findProjectFile: inProject('.vscode', 'mcp.json'),
    buildCommand: buildTypedCommand,
    // It replaces no variables of the environment in headers, so it asks for the token once, and keeps it sealed.
    buildAddress: ({ url }, input) => ({ type: 'http', url, ...authorize(`\${input:${input}}`) }),
    buildInput: (id) => ({ type: 'promptString', id, description: 'MCP token of Ferrule', password: true }),
    next: 'Run the command "MCP: List Servers" in VS Code, and start the server.',
  },
  codex: {
    title: 'Codex',
    container: 'mcp_servers',
    findUserFile: inNamed('CODEX_HOME', ['config.toml'], inHome('.codex', 'config.toml')),
    findProjectFile: inProject('.codex', 'config.toml'),
    buildCommand: buildPlainCommand,
    buildAddress: ({ url, variable }) => ({ url, bearer_token_env_var: variable }),
    next: 'Start Codex again; it reads the file of a project only when the project is trusted.',
  },
  gemini: {
    title: 'Gemini CLI',
    container: 'mcpServers',
    findUserFile: inHome('.gemini', 'settings.json'),
    findProjectFile: inProject('.gemini', 'settings.json'),
    buildCommand: buildPlainCommand,
    // The member of the address names the transport.
    buildAddress: ({ url, variable }) => ({ httpUrl: url, ...authorize(`\${${variable}}`) }),
    next: 'Start Gemini CLI again; /mcp shows the server.',
  },
}

/** What an entry is built from. */
export type ServerAccess = CommandAccess | AddressAccess

/** Builds what the file holds. @param name of the entry @param access undefined: everything of that name is taken out */
export function buildPlacements(client: FileClient, name: string, access: ServerAccess | undefined): readonly Placement[] {
  const { container, buildInput } = client
  const id = `${name}-mcp-token`
  const entry: Placement = { container, form: 'object', name, value: access && buildEntry(client, access, id) }
  if (buildInput === undefined) return [entry]
  const input = access !== undefined && 'url' in access ? buildInput(id) : undefined
  return [entry, { container: 'inputs', form: 'array', name: id, value: input }]
}

const buildEntry = (client: FileClient, access: ServerAccess, input: string): object | undefined =>
  'url' in access ? client.buildAddress?.(access, input) : client.buildCommand(access)
