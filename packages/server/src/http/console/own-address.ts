/** Decides what the service's own address is for a browser, and which requests come from its own pages. */
import { isSafeAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { nameCookie, printCookie, readCookie } from '../cookies.ts'

/** The service as a browser sees it. */
export interface OwnAddress {
  readonly origin: string
  /** Path of a proxy in front of the service, without a slash at its end; '' without one. */
  readonly basePath: string
  readonly cookieName: string
  readonly isSecure: boolean
}

/** Headers that an address or a rule reads. */
export type BrowserHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

const read = (headers: BrowserHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

function toAddress(text: string): OwnAddress | undefined {
  const url = new URL(text)
  if (!isSafeAddress(url)) return undefined
  const { origin, protocol, pathname } = url
  return {
    origin,
    basePath: pathname.replace(/\/+$/, ''),
    cookieName: nameCookie(url, 'ferrule_session'),
    isSecure: protocol === 'https:',
  }
}

/** Finds the address of a request; undefined: a browser could not keep a secret there. */
export type FindAddress = (headers: BrowserHeaders) => OwnAddress | undefined

/**
 * Builds the finder. The address is FERRULE_PUBLIC_URL. Without that setting, it is the Host of a request that names this machine.
 * A secret travels over https, or stays on this machine.
 */
export function createAddressFinder({ publicUrl }: Pick<Settings, 'publicUrl'>): FindAddress {
  if (publicUrl !== undefined) {
    const address = toAddress(publicUrl)
    return () => address
  }
  const found = new Map<string, OwnAddress>()
  return (headers) => {
    const host = read(headers, 'host') ?? ''
    const known = found.get(host)
    if (known !== undefined || !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(host)) return known
    const address = toAddress(`http://${host}`)
    // A machine has few names; a caller could invent ports.
    if (address !== undefined && found.size < 100) found.set(host, address)
    return address
  }
}

/**
 * Returns whether a page of the service itself sent a request. Each browser of today says where a request comes from; an older one
 * says it of requests that change something.
 */
export function isFromOwnPage(headers: BrowserHeaders, { origin }: Pick<OwnAddress, 'origin'>): boolean {
  const site = read(headers, 'sec-fetch-site')
  return site === undefined ? read(headers, 'origin') === origin : site === 'same-origin'
}

const rules = { path: '/', sameSite: 'Strict' } as const

/** Reads the id of the session that a request names; undefined: it names none. */
export const readSession = ({ cookie }: BrowserHeaders, { cookieName }: OwnAddress): string | undefined => readCookie(cookie, cookieName)

/** Prints the cookie of a session. It ends with the browser; the row behind it ends sooner. */
export const printSession = ({ cookieName, isSecure }: OwnAddress, id: string): string =>
  printCookie(cookieName, id, { ...rules, isSecure })

/** Prints a cookie that replaces the one of a session with nothing. */
export const printEndedSession = ({ cookieName, isSecure }: OwnAddress): string =>
  printCookie(cookieName, '', { ...rules, isSecure, maxAgeSeconds: 0 })

/** Finds the session of a request. @returns undefined: the request has none, or does not come from a page of this service */
type FindSession = (headers: BrowserHeaders) => string | undefined

/** Builds the finder of sessions for requests to the API. */
export const createSessionFinder =
  (findAddress: FindAddress): FindSession =>
  (headers) => {
    if (headers['cookie'] === undefined) return undefined
    const address = findAddress(headers)
    if (address === undefined || !isFromOwnPage(headers, address)) return undefined
    return readSession(headers, address)
  }
