/** States the address of the MCP endpoint. */
import type { Settings } from './settings.ts'

/**
 * Builds the address of the MCP endpoint. Tokens for MCP are bound to it. Without FERRULE_PUBLIC_URL it is an address of this machine: the
 * service never takes its own address from a request.
 */
export const buildMcpAddress = ({ publicUrl, port }: Pick<Settings, 'publicUrl' | 'port'>): string =>
  `${publicUrl ?? `http://127.0.0.1:${port}`}/mcp`
