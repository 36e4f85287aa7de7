/** Names, reads and prints the cookies of the service's own pages. */

/** Address of the service, as far as its cookies depend on it. */
type CookieAddress = Pick<URL, 'protocol' | 'port'>

/**
 * Names a cookie. A browser keeps a `__Host-` cookie for this host only, and for https. Cookies do not tell ports apart, so on this machine
 * the name does.
 * @param id of what the cookie belongs to; left out: there is one cookie of this name
 */
export function nameCookie({ protocol, port }: CookieAddress, name: string, id?: string): string {
  const full = protocol === 'https:' ? `__Host-${name}` : `${name}_${port === '' ? 80 : port}`
  return id === undefined ? full : `${full}_${id}`
}

/**
 * Reads a cookie of a request.
 * @param header value of `Cookie`
 * @returns undefined also when the name appears twice: nobody knows which one is ours
 */
export function readCookie(header: string | readonly string[] | undefined, name: string): string | undefined {
  if (typeof header !== 'string' || !header.includes(name)) return undefined
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined
}

/** What a cookie says beside its name and value. */
export interface CookieRules {
  /** True: for https only. A `__Host-` cookie needs it. */
  readonly isSecure: boolean
  /** Path that the browser sends it to. A `__Host-` cookie needs `/`. */
  readonly path: string
  /** Requests of other sites that carry it: none, or with `Lax` those that lead the browser to a page here. */
  readonly sameSite: 'Strict' | 'Lax'
  /** Life in seconds; left out: the cookie ends with the browser. */
  readonly maxAgeSeconds?: number
}

/** Prints a value of `Set-Cookie`. No script reads the cookie. */
export function printCookie(name: string, value: string, { isSecure, path, sameSite, maxAgeSeconds }: CookieRules): string {
  const parts = [`${name}=${value}`, `Path=${path}`, 'HttpOnly', `SameSite=${sameSite}`]
  return [...parts, ...(isSecure ? ['Secure'] : []), ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`])].join('; ')
}
