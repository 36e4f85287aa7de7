/** What a client is told about Ferrule: how to start it, or where it is. Neither holds a secret. */

/** A command that the client starts. */
export interface CommandReach {
  readonly command: string
  readonly args: readonly string[]
  /** Variables of the process; none of them is secret. */
  readonly env: Readonly<Record<string, string>>
}

/** An address that the client calls. */
export interface AddressReach {
  readonly url: string
  /** Name of the variable that holds the token. */
  readonly variable: string
}

/** A member of an object in the file, found by its path. */
export interface MemberPlacement {
  readonly path: readonly [string, ...string[]]
  /** Undefined: the member is taken out. */
  readonly value: object | undefined
}

/** An object in a list of the file, found by its member `id`. */
export interface ItemPlacement {
  readonly list: string
  readonly id: string
  /** Undefined: the object is taken out. */
  readonly value: object | undefined
}

/** A part of a file that is ours. */
export type Placement = MemberPlacement | ItemPlacement

const stdio = ({ command, args, env }: CommandReach) => ({ command, args, ...(Object.keys(env).length === 0 ? {} : { env }) })

/** Builds the entry of a client whose entries name no transport. */
export const buildPlainCommand = (reach: CommandReach): object => stdio(reach)

/** Builds the entry of a client whose entries name the transport. */
export const buildTypedCommand = (reach: CommandReach): object => ({ type: 'stdio', ...stdio(reach) })

const authorize = (reference: string) => ({ headers: { Authorization: `Bearer ${reference}` } })

/** Builds the entry of Cursor. */
export const buildCursorAddress = ({ url, variable }: AddressReach): object => ({ url, ...authorize(`\${env:${variable}}`) })

/** Builds the entry of Claude Code. */
export const buildClaudeAddress = ({ url, variable }: AddressReach): object => ({ type: 'http', url, ...authorize(`\${${variable}}`) })

/** Builds the entry of VS Code, which replaces no variables of the environment in headers: it asks for the token once, and keeps it sealed. */
export const buildCodeAddress = ({ url }: AddressReach, input: string): object => ({
  ...{ type: 'http', url },
  ...authorize(`\${input:${input}}`),
})

/** Builds the question of VS Code for the token. */
export const buildCodeInput = (id: string): object => ({
  type: 'promptString',
  id,
  description: 'Token for MCP of Ferrule',
  password: true,
})

/** Builds the entry of Codex. */
export const buildCodexAddress = ({ url, variable }: AddressReach): object => ({ url, bearer_token_env_var: variable })

/** Builds the entry of Gemini CLI, which names the transport by the member of the address. */
export const buildGeminiAddress = ({ url, variable }: AddressReach): object => ({ httpUrl: url, ...authorize(`\${${variable}}`) })
