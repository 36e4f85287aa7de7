/** States the address of the service, from the settings only: an address of a request is whatever its sender wrote. */
import { isLoopback } from 'ferrule/internal'
import type { Settings } from './settings.ts'

/** Returns whether people can type secrets at an address: https, or on this machine. */
export const isSafeAddress = ({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean =>
  protocol === 'https:' || isLoopback(hostname)

/** Returns whether a service listens for its own machine only. */
export const listensOnLoopback = ({ host }: Pick<Settings, 'host'>): boolean => isLoopback(host)

/**
 * Finds the address at which people type secrets: https, or on this machine.
 * @returns undefined: the service does not know its address, or the address is neither
 */
export function findSafeAddress({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string | undefined {
  if (publicUrl === undefined) return isLoopback(host) ? `http://127.0.0.1:${port}` : undefined
  return isSafeAddress(new URL(publicUrl)) ? publicUrl : undefined
}

type AddressSettings = Pick<Settings, 'publicUrl' | 'port'>

/** Names of this machine. They are one: a client compares addresses as strings, and its user types any of them. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const

/**
 * Builds the address of the MCP endpoint. MCP tokens are bound to it. Without FERRULE_PUBLIC_URL it is an address of this machine: the
 * service never takes its own address from a request.
 */
export const buildMcpAddress = ({ publicUrl, port }: AddressSettings): string => `${publicUrl ?? `http://127.0.0.1:${port}`}/mcp`

/** Path of the endpoint, as a client wrote it. */
export type McpPath = '/mcp' | '/mcp/'

const rename = (address: string, hostname: string): string => {
  const url = new URL(address)
  url.hostname = hostname
  return url.href
}

/** Lists the forms of the address: by each name of this machine, and with a slash at its end. The first one is the address itself. */
export function listMcpAddresses(settings: AddressSettings): readonly string[] {
  const address = buildMcpAddress(settings)
  const named = isLoopback(new URL(address).hostname) ? loopbackNames.map((name) => rename(address, name)) : []
  return [...new Set([address, ...named])].flatMap((each) => [each, `${each}/`])
}

/** Names the address in the form that a request has. @param request its Host, and the path that it asks for */
export function nameMcpAddress(
  settings: AddressSettings,
  { host, path }: { readonly host: string | undefined; readonly path: McpPath },
): string {
  const address = buildMcpAddress(settings)
  const { protocol } = new URL(address)
  const asked = host !== undefined && URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`) : undefined
  const named = loopbackNames.find((name) => name === asked?.hostname)
  const renamed = named === undefined ? address : rename(address, named)
  const isOurs = asked !== undefined && new URL(renamed).host === asked.host && isLoopback(new URL(address).hostname)
  return `${isOurs ? renamed : address}${path === '/mcp/' ? '/' : ''}`
}
