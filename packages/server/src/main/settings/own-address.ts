/** States the address of the service, from the settings only: an address of a request is whatever its sender wrote. */
import type { Settings } from './settings.ts'

/** Returns whether a host is this machine only. @param host name or address; IPv6 with or without the brackets of an address */
export const isLoopback = (host: string): boolean => /^(localhost|::1|\[::1\]|127(\.\d+){3})$/.test(host)

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
