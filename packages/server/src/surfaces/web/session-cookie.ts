/** Reads and writes the cookie of a session. */
import type { BrowserHeaders, FindAddress, OwnAddress } from './own-address.ts'
import { isFromOwnPage } from './own-address.ts'

/** Reads a cookie of a request. @returns undefined also when the name appears twice: nobody knows which one is ours */
export function readCookie(headers: BrowserHeaders, name: string): string | undefined {
  const { cookie } = headers
  if (typeof cookie !== 'string' || !cookie.includes(name)) return undefined
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined
}

/** Prints the cookie of a session. It ends with the browser; the row behind it ends sooner. */
export const printCookie = ({ cookieName, isSecure }: OwnAddress, id: string): string =>
  `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

/** Prints a cookie that replaces the one of a session with nothing. */
export const printEndedCookie = (address: OwnAddress): string => `${printCookie(address, '')}; Max-Age=0`

/** Finds the session of a request. @returns undefined: the request has none, or does not come from a page of this service */
export type FindSession = (headers: BrowserHeaders) => string | undefined

/** Builds the finder of sessions for requests to the API. */
export const createSessionFinder =
  (findAddress: FindAddress): FindSession =>
  (headers) => {
    if (headers['cookie'] === undefined) return undefined
    const address = findAddress(headers)
    if (address === undefined || !isFromOwnPage(headers, address)) return undefined
    return readCookie(headers, address.cookieName)
  }
