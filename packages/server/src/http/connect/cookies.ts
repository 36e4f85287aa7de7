/** Cookies of the connect page: one for the session of a link, one for each attempt on a vendor's page. */

import { requireOwnAddress } from '../../connectors/links/addresses.ts'
import type { IssuedCookie } from '../../connectors/links/connect-types.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { nameCookie, printCookie, readCookie } from '../cookies.ts'

/** What a cookie is for. */
export type CookieUse = 'session' | 'attempt'

/** A vendor's redirect is cross-site: a browser sends `Lax` with it, and `Strict` never. Everything else comes from our own page. */
const sameSite: Readonly<Record<CookieUse, 'Strict' | 'Lax'>> = { session: 'Strict', attempt: 'Lax' }

/** Form of ids in the names of cookies. */
const idForm = /^[0-9a-f-]{36}$/

/** Reads and prints the cookies of one service. */
export class ConnectCookies {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  #name(use: CookieUse, id: string): string {
    return nameCookie(new URL(requireOwnAddress(this.#settings)), `ferrule_connect_${use}`, id)
  }

  /** Reads the cookie of a link or attempt. @param header value of `Cookie` */
  read(header: string | undefined, use: CookieUse, id: string): string | undefined {
    return header === undefined || !idForm.test(id) ? undefined : readCookie(header, this.#name(use, id))
  }

  /** Prints `Set-Cookie`. On this machine the cookie is for these pages only; a `__Host-` cookie cannot be. */
  print(use: CookieUse, id: string, { value, maxAgeSeconds }: IssuedCookie): string {
    const { protocol, pathname } = new URL(requireOwnAddress(this.#settings))
    const isSecure = protocol === 'https:'
    const path = isSecure ? '/' : `${pathname.replace(/\/+$/, '')}/connect`
    return printCookie(this.#name(use, id), value, { isSecure, path, sameSite: sameSite[use], maxAgeSeconds })
  }
}
