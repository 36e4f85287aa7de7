/** Reads which forward proxies take requests: from the variables that curl and other programs read too. */
import { fail } from '../../errors.ts'

/** Addresses of forward proxies; an empty string means no proxy. They may hold a password. */
export interface Proxies {
  /** For http addresses, and for https ones when `https` is empty. */
  readonly http: string
  readonly https: string
  /** Hosts that are reached without a proxy, as NO_PROXY lists them. */
  readonly none: string
}

/** What an address of a proxy must be. */
export const proxyRule = 'it must be the http:// or https:// address of a proxy: host and port, and user and password in percent-encoding'

/** Reads the result: a bundler drops a call of `decodeURIComponent` without a reader, and its error with it. */
const isPercentEncoded = (text: string): boolean => {
  try {
    return decodeURIComponent(text).length <= text.length
  } catch {
    return false
  }
}

/** Parses the address of a proxy. Without a scheme it is http, as for curl. @returns undefined for what is no such address */
export function parseProxyUrl(text: string): string | undefined {
  const given = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined
  const { pathname, search, hash, username, password } = url
  if (pathname !== '/' || search !== '' || hash !== '') return undefined
  return isPercentEncoded(username) && isPercentEncoded(password) ? url.href : undefined
}

/**
 * Reads the variables of the process; names in small letters win, as for curl.
 * @throws FerruleError `setting_invalid`, without the value
 */
export function readProxies(): Proxies {
  const read = (name: string): string => {
    try {
      return process.env[name.toLowerCase()] || process.env[name] || ''
    } catch {
      return '' // Deno without --allow-env
    }
  }
  const readUrl = (name: string): string => {
    const text = read(name)
    const url = text === '' ? text : parseProxyUrl(text)
    if (url === undefined) throw fail('setting_invalid', { name, reason: proxyRule })
    return url
  }
  return { http: readUrl('HTTP_PROXY'), https: readUrl('HTTPS_PROXY'), none: read('NO_PROXY') }
}
