import { randomUUID } from 'node:crypto'
import { appId, emptyAccount, mainAccount, sandboxAccount, secondAccount } from './accounts.ts'
import type { Failure } from './answers.ts'
import { failureOf } from './answers.ts'

/** The numeric scopes that advertisers consent to. */
export const scopes = {
  advertiser: 100,
  campaigns: 200,
  adGroups: 210,
  ads: 220,
  audiences: 30,
  images: 600,
  videos: 610,
  posts: 691,
  catalogs: 900,
  reporting: 44,
} as const

/** Credentials that every sandbox accepts; they are public and open nothing else. */
export const tiktokCredentials = {
  appId,
  secret: 'sandbox-secret',
  /** Good any number of times; codes of the authorization page are good once. */
  authCode: 'sandbox-code',
  /** Reads three advertisers, with every scope. */
  accessToken: 'sandbox-token',
  /** Has the scopes of campaigns and ad groups only. */
  limitedToken: 'sandbox-limited-token',
  expiredToken: 'sandbox-expired-token',
  revokedToken: 'sandbox-revoked-token',
  /** Of the vendor's sandbox environment; the others are refused there. */
  environmentToken: 'sandbox-environment-token',
} as const

/** What a token allows. */
export interface Access {
  readonly scopes: readonly number[]
  readonly advertiserIds: readonly string[]
  readonly environment: 'production' | 'sandbox'
}

/** Gives and checks tokens and codes. */
export interface TokenStore {
  /** What a token allows, or why it is refused. @param token - the header; undefined when there is none */
  check(token: string | undefined): Access | Failure
  /** A code of the authorization page, good once. @param expires - epoch milliseconds */
  issueCode(expires: number): string
  /** A new token for a code; undefined when the code is unknown, used or too old. */
  exchange(code: string): { readonly token: string; readonly access: Access } | undefined
  revoke(token: string): void
  /** Forgets what was issued and revoked. */
  reset(): void
}

const everything: Access = {
  scopes: Object.values(scopes),
  advertiserIds: [mainAccount.id, secondAccount.id, emptyAccount.id],
  environment: 'production',
}

const documented: ReadonlyMap<string, Access> = new Map([
  [tiktokCredentials.accessToken, everything],
  [tiktokCredentials.limitedToken, { ...everything, scopes: [scopes.campaigns, scopes.adGroups] }],
  [tiktokCredentials.environmentToken, { ...everything, advertiserIds: [sandboxAccount.id], environment: 'sandbox' }],
])

const remembered = 1000

function keepNewest<K>(keys: { readonly size: number; keys(): IterableIterator<K>; delete(key: K): boolean }): void {
  const oldest = keys.keys().next()
  if (keys.size > remembered && !oldest.done) keys.delete(oldest.value)
}

/**
 * The tokens of one sandbox.
 *
 * @param clock - epoch milliseconds
 */
export function createTokens(clock: () => number): TokenStore {
  const issued = new Set<string>()
  const revoked = new Set<string>()
  const codes = new Map<string, number>()
  return {
    check(token) {
      if (token === undefined || token === '') return failureOf(40104)
      if (token === tiktokCredentials.expiredToken) return failureOf(40102)
      if (revoked.has(token)) return failureOf(40105)
      return documented.get(token) ?? (issued.has(token) ? everything : failureOf(40105))
    },
    issueCode(expires) {
      const code = randomUUID().replaceAll('-', '')
      codes.set(code, expires)
      keepNewest(codes)
      return code
    },
    exchange(code) {
      const expires = codes.get(code) ?? 0
      codes.delete(code)
      if (code !== tiktokCredentials.authCode && clock() >= expires) return undefined
      const token = randomUUID().replaceAll('-', '') + randomUUID().slice(0, 8)
      issued.add(token)
      keepNewest(issued)
      return { token, access: everything }
    },
    revoke(token) {
      revoked.add(token)
      keepNewest(revoked)
    },
    reset() {
      issued.clear()
      revoked.clear()
      codes.clear()
    },
  }
}
