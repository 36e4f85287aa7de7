/** States the address of the service, from the settings only: an address of a request is whatever its sender wrote. */
import type { Settings } from './settings.ts'

/** Returns whether a host is this machine only. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)

/** Returns whether a service listens for its own machine only. */
export const listensOnLoopback = ({ host }: Pick<Settings, 'host'>): boolean => isLoopback(host)

/**
 * Finds the address at which people type secrets: https, or on this machine.
 * @returns undefined: the service does not know its address, or the address is neither
 */
export function findSafeAddress({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string | undefined {
  if (publicUrl === undefined) return isLoopback(host) ? `http://127.0.0.1:${port}` : undefined
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'https:' || isLoopback(hostname) ? publicUrl : undefined
}
