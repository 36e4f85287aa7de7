/** Checks that links of a vendor's answer lead to public addresses only (no loopback, private, link-local or special range). */
import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The assigned IPv6 addresses (RFC 4291 section 2.4, IANA). Addresses outside, such as `::127.0.0.1`, are no public hosts. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Returns whether an IP address is a public unicast address. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast))
}

/** The error of a connection that was refused before it was made. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError'
  readonly code = 'ERR_ADDRESS'
}

/**
 * A `lookup` for sockets that resolves a host once and refuses it unless all its addresses are public. The socket connects to the returned
 * address, so no second resolution can differ.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new ForbiddenAddressError(`${hostname} does not resolve to a public address`), [])
    const [first] = addresses
    if (options.all === true || first === undefined) return callback(null, addresses)
    return callback(null, first.address, first.family)
  })
}

/**
 * Returns whether a URL's host may be connected to: https, and no literal address that is not public. Names are checked when they resolve.
 */
export function isPublicUrl(url: URL): boolean {
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return false
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(host) ? isPublicAddress(host) : true
}
