import { randomUUID } from 'node:crypto'
import { password } from '../consent.ts'
import { keepNewest, seal, unseal, wordsOf } from '../data.ts'
import { isObject } from '../http.ts'
import { Refusal } from './answers.ts'
import { day } from './time.ts'

/** The scopes of the imitated API. */
export const allScopes = [
  ...wordsOf('api:users:read, api:calls:read:basic, api:calls:read:extensive, api:calls:read:media-url, api:calls:read:transcript'),
  ...wordsOf('api:workspaces:read, api:stats:user-actions, api:stats:user-actions:detailed, api:stats:interaction, api:stats:scorecards'),
  ...wordsOf('api:settings:scorecards:read, api:settings:trackers:read, api:library:read, api:coaching:read'),
]

/** Credentials that every sandbox accepts; they are public and open nothing else. */
export const sandboxCredentials = {
  accessKey: 'sandbox',
  accessKeySecret: 'sandbox-secret',
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-client-secret',
  code: 'sandbox-code',
  refreshToken: 'sandbox-refresh-token',
  accessToken: 'sandbox-access-token',
  /** Lacks all scopes but `api:users:read` and `api:calls:read:basic`. */
  limitedToken: 'sandbox-limited-token',
  expiredToken: 'sandbox-expired-token',
  revokedToken: 'sandbox-revoked-token',
  /** Technical administrator of the imitated company: may consent. */
  administrator: 'admin@sandbox.example',
  /** Works at the imitated company, may not consent. */
  member: 'member@sandbox.example',
  /** Technical administrator of another customer of Gong, with other workspaces. */
  otherAdministrator: 'admin@other.example',
  /** Of everybody who signs in on a consent page. */
  password,
} as const

/** The customers of Gong whose people can consent. */
export type Customer = 'sandbox' | 'other'

/** What a token allows. */
export interface Grant {
  readonly scopes: readonly string[]
  readonly customer: Customer
  /** Tokens that follow from one another share it. */
  readonly family: string
}

/** What a token holds, signed, so that it outlives a restart of the sandbox. */
interface TokenContent extends Grant {
  readonly use: 'access' | 'refresh'
  readonly generation: number
  readonly expires: number
  /** Position in the order of issue and revocation; times can be equal. */
  readonly issued: number
}

const isContent = (value: unknown): value is TokenContent =>
  isObject(value) && Array.isArray(value['scopes']) && typeof value['use'] === 'string' && typeof value['expires'] === 'number'

const remembered = 10_000
const never = Number.MAX_SAFE_INTEGER

/** The documented tokens that are good at the start; the access tokens end a day later. */
function documentedTokens(begin: number): ReadonlyMap<string, TokenContent> {
  const fixed = { use: 'access', generation: 0, issued: 0, expires: begin + day, scopes: allScopes, customer: 'sandbox' } as const
  const known = sandboxCredentials
  return new Map<string, TokenContent>([
    [known.accessToken, { ...fixed, family: 'sandbox' }],
    [known.limitedToken, { ...fixed, scopes: ['api:users:read', 'api:calls:read:basic'], family: 'limited' }],
    [known.expiredToken, { ...fixed, family: 'expired', expires: 0 }],
    [known.revokedToken, { ...fixed, family: 'revoked', issued: -1 }],
    [known.refreshToken, { ...fixed, use: 'refresh', family: 'sandbox', expires: never }],
  ])
}

/** Gives and checks tokens. */
export type TokenStore = ReturnType<typeof createTokens>

/** Returns the tokens of one sandbox. */
export function createTokens(secret: string, clock: () => number) {
  const used = new Map<string, number>()
  const revoked = new Map<string, number>()
  const documented = documentedTokens(clock())
  let generation = 0
  let sequence = 0
  const open = (token: string, use: TokenContent['use']): TokenContent | undefined => {
    const known = documented.get(token)
    const content = known ?? unseal(secret, token)
    const good = isContent(content) && content.use === use && (known !== undefined || content.generation === generation)
    return good ? content : undefined
  }
  const remember = (map: Map<string, number>, key: string) => {
    map.set(key, sequence)
    keepNewest(map, remembered)
  }
  return {
    /** Returns an access token, which lives so many seconds, and a refresh token. */
    issue({ scopes, customer, family }: Grant, expiresIn: number) {
      sequence += 1
      const content = { scopes, customer, family, generation, issued: sequence }
      const sealed = (use: TokenContent['use'], expires: number) => seal(secret, { ...content, use, expires, nonce: randomUUID() })
      return { accessToken: sealed('access', clock() + expiresIn * 1000), refreshToken: sealed('refresh', never) }
    },
    /** Returns what an access token allows. @throws Refusal for a token that is unknown, has expired or was revoked */
    check(token: string): Grant {
      const opened = open(token, 'access')
      if (!opened) throw new Refusal(401, 'The access token is invalid')
      if (clock() >= opened.expires) throw new Refusal(401, 'The access token has expired')
      if (opened.issued <= (revoked.get(opened.family) ?? -1)) throw new Refusal(401, 'The access token has been revoked')
      return opened
    },
    /** Uses a refresh token up; undefined when it is unknown or used. */
    redeem(token: string): Grant | undefined {
      const opened = open(token, 'refresh')
      if (!opened || used.has(token)) return undefined
      remember(used, token)
      return { scopes: opened.scopes, customer: opened.customer, family: opened.family }
    },
    /** Revokes the access tokens that a family has so far. */
    revoke: (family: string) => remember(revoked, family),
    /** Forgets which tokens were used or revoked and refuses all that were issued. */
    reset() {
      used.clear()
      revoked.clear()
      generation += 1
    },
  }
}
