/** Cookies of the connect page: one for the session of a link, one for each attempt on a vendor's page. */

import { requireOwnAddress } from '../../platform/connect/addresses.ts'
import type { IssuedCookie } from '../../platform/model/connect-types.ts'
import type { Settings } from '../../platform/model/types.ts'
import { readCookie } from '../web/session-cookie.ts'

/** What a cookie is for. */
export type CookieUse = 'session' | 'attempt'

/** A vendor's redirect is cross-site: a browser sends `Lax` with it, and `Strict` never. Everything else comes from our own page. */
const sameSite: Readonly<Record<CookieUse, string>> = { session: 'Strict', attempt: 'Lax' }

/** Form of ids in the names of cookies. */
const idForm = /^[0-9a-f-]{36}$/

/** Reads and prints the cookies of one service. */
export class ConnectCookies {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Builds the name. A browser keeps a `__Host-` cookie for this host only. Cookies do not tell ports apart, so on this machine the name does. */
  #name(use: CookieUse, id: string): string {
    const { protocol, port } = new URL(requireOwnAddress(this.#settings))
    return protocol === 'https:' ? `__Host-ferrule_connect_${use}_${id}` : `ferrule_connect_${use}_${port === '' ? 80 : port}_${id}`
  }

  /** Reads the cookie of a link or attempt. @param header value of `Cookie` */
  read(header: string | undefined, use: CookieUse, id: string): string | undefined {
    return header === undefined || !idForm.test(id) ? undefined : readCookie({ cookie: header }, this.#name(use, id))
  }

  /** Prints `Set-Cookie`. A `__Host-` cookie needs the path `/`; on this machine the cookie is for these pages only. */
  print(use: CookieUse, id: string, { value, maxAgeSeconds }: IssuedCookie): string {
    const { protocol, pathname } = new URL(requireOwnAddress(this.#settings))
    const place = protocol === 'https:' ? 'Path=/; Secure' : `Path=${pathname.replace(/\/+$/, '')}/connect`
    return `${this.#name(use, id)}=${value}; ${place}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite[use]}`
  }
}
