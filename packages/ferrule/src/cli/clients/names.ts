/** Names of the MCP clients that the command knows. */

/** Clients on this machine, whose file the command edits. */
export const editedClientNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'gemini'] as const
/** Clients on this machine, which read a file. Codex keeps it in TOML: its user pastes the entry. */
export const fileClientNames = [...editedClientNames, 'codex'] as const
/** Name of a client that reads a file. */
export type FileClientName = (typeof fileClientNames)[number]

/** Clients of a vendor's service. A person adds the address on their pages. */
export const hostedClientNames = ['chatgpt', 'claude.ai'] as const
/** Name of a client that is a service. */
export type HostedClientName = (typeof hostedClientNames)[number]

/** All clients. */
export const clientNames = [...fileClientNames, ...hostedClientNames] as const
