/** The clients that read a file: its place, its form, and what it holds for Ferrule. */
import {
  type AddressReach,
  buildClaudeAddress,
  buildCodeAddress,
  buildCodeInput,
  buildCodexAddress,
  buildCursorAddress,
  buildGeminiAddress,
  buildPlainCommand,
  buildTypedCommand,
  type CommandReach,
  type Placement,
} from './entry.ts'
import type { FileClientName } from './names.ts'
import { type FindPlace, inHome, inNamed, inPackage, inProject, inSettings } from './places.ts'

/** A client. */
export interface FileClient {
  readonly title: string
  readonly form: 'json' | 'toml'
  /** Member of the file that holds the entries. */
  readonly container: string
  /** The user's own file. */
  readonly findUserFile: FindPlace
  /** The file of a project; undefined: the client has files of users only. */
  readonly findProjectFile?: FindPlace
  buildCommand(reach: CommandReach): object
  /** Undefined: the client takes no token, so it starts the command only. */
  readonly buildAddress?: (reach: AddressReach, input: string) => object
  /** The question for the token, for a client that reads no variables; undefined: the client reads the variable. */
  readonly buildInput?: (id: string) => object
  /** What the user does next. */
  readonly next: string
}

const claudeDesktopFile = ['Claude', 'claude_desktop_config.json'] as const

/** All clients that read a file, by name. `docs/mcp-clients.md` has their pages and the date of reading. */
export const fileClients: Readonly<Record<FileClientName, FileClient>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    form: 'json',
    container: 'mcpServers',
    findUserFile: inPackage('Claude_', claudeDesktopFile, inSettings(...claudeDesktopFile)),
    buildCommand: buildPlainCommand,
    next: 'Quit Claude Desktop and start it again.',
  },
  'claude-code': {
    title: 'Claude Code',
    form: 'json',
    container: 'mcpServers',
    findUserFile: inNamed('CLAUDE_CONFIG_DIR', ['.claude.json'], inHome('.claude.json')),
    findProjectFile: inProject('.mcp.json'),
    buildCommand: buildTypedCommand,
    buildAddress: buildClaudeAddress,
    next: 'Start Claude Code again; /mcp shows the server.',
  },
  cursor: {
    title: 'Cursor',
    form: 'json',
    container: 'mcpServers',
    findUserFile: inHome('.cursor', 'mcp.json'),
    findProjectFile: inProject('.cursor', 'mcp.json'),
    buildCommand: buildTypedCommand,
    buildAddress: buildCursorAddress,
    next: 'Switch the server on in the settings of Cursor, below MCP.',
  },
  vscode: {
    title: 'VS Code',
    form: 'json',
    container: 'servers',
    findUserFile: inSettings('Code', 'User', 'mcp.json'),
    findProjectFile: inProject('.vscode', 'mcp.json'),
    buildCommand: buildTypedCommand,
    buildAddress: buildCodeAddress,
    buildInput: buildCodeInput,
    next: 'Run the command "MCP: List Servers" in VS Code, and start the server.',
  },
  codex: {
    title: 'Codex',
    form: 'toml',
    container: 'mcp_servers',
    findUserFile: inNamed('CODEX_HOME', ['config.toml'], inHome('.codex', 'config.toml')),
    findProjectFile: inProject('.codex', 'config.toml'),
    buildCommand: buildPlainCommand,
    buildAddress: buildCodexAddress,
    next: 'Start Codex again; it reads the file of a project only when the project is trusted.',
  },
  gemini: {
    title: 'Gemini CLI',
    form: 'json',
    container: 'mcpServers',
    findUserFile: inHome('.gemini', 'settings.json'),
    findProjectFile: inProject('.gemini', 'settings.json'),
    buildCommand: buildPlainCommand,
    buildAddress: buildGeminiAddress,
    next: 'Start Gemini CLI again; /mcp shows the server.',
  },
}

/** What an entry is built from. */
export type Reach = CommandReach | AddressReach

/**
 * Builds what the file holds.
 * @param name of the entry
 * @param reach undefined: everything of that name is taken out
 */
export function buildPlacements(client: FileClient, name: string, reach: Reach | undefined): readonly Placement[] {
  const { container, buildInput } = client
  const id = `${name}-mcp-token`
  const entry = { path: [container, name], value: reach === undefined ? undefined : buildEntry(client, reach, id) } as const
  if (buildInput === undefined) return [entry]
  return [entry, { list: 'inputs', id, value: reach !== undefined && 'url' in reach ? buildInput(id) : undefined }]
}

const buildEntry = (client: FileClient, reach: Reach, input: string): object | undefined =>
  'url' in reach ? client.buildAddress?.(reach, input) : client.buildCommand(reach)
