/** Reads and writes the cookie of a session. */
import { printCookie, readCookie } from '../cookies.ts'
import type { BrowserHeaders, FindAddress, OwnAddress } from './own-address.ts'
import { isFromOwnPage } from './own-address.ts'

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
export type FindSession = (headers: BrowserHeaders) => string | undefined

/** Builds the finder of sessions for requests to the API. */
export const createSessionFinder =
  (findAddress: FindAddress): FindSession =>
  (headers) => {
    if (headers['cookie'] === undefined) return undefined
    const address = findAddress(headers)
    if (address === undefined || !isFromOwnPage(headers, address)) return undefined
    return readSession(headers, address)
  }
