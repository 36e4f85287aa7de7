import { randomUUID } from 'node:crypto'
import { isObject } from '../http.ts'
import { seal, unseal } from '../seal.ts'

/** The scopes of the imitated API. */
export const allScopes: readonly string[] = [
  'api:users:read',
  'api:calls:read:basic',
  'api:calls:read:extensive',
  'api:calls:read:media-url',
  'api:calls:read:transcript',
  'api:workspaces:read',
  'api:stats:user-actions',
  'api:stats:user-actions:detailed',
  'api:stats:interaction',
  'api:stats:scorecards',
  'api:settings:scorecards:read',
  'api:settings:trackers:read',
  'api:library:read',
  'api:coaching:read',
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
} as const

/** What a token allows. */
export interface Grant {
  readonly scopes: readonly string[]
  /** Tokens that follow from one another share it. */
  readonly family: string
}

/** Two tokens as a refresh answers them. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Gives and checks tokens. Tokens carry their content signed, so that they outlive a restart of the sandbox. */
export interface TokenStore {
  /** @param expiresIn - life of the access token, in seconds */
  issue(grant: Grant, expiresIn: number): TokenPair
  /** The scopes of an access token, or the reason why it is refused. */
  check(accessToken: string): readonly string[] | string
  /** Uses a refresh token up; undefined when it is unknown or used. */
  redeem(refreshToken: string): Grant | undefined
  /** Revokes the access tokens that a family has so far. */
  revoke(family: string): void
  /** Forgets which tokens were used or revoked and refuses all that were issued. */
  reset(): void
}

interface Content {
  readonly use: 'access' | 'refresh'
  readonly scopes: readonly string[]
  readonly family: string
  readonly generation: number
  /** Epoch milliseconds. */
  readonly expires: number
  /** Position in the order of issue and revocation; moments can be equal. */
  readonly issued: number
}

function isContent(value: unknown): value is Content {
  return isObject(value) && Array.isArray(value['scopes']) && typeof value['use'] === 'string' && typeof value['expires'] === 'number'
}

const remembered = 10_000

function remember(map: Map<string, number>, key: string, value: number): void {
  map.set(key, value)
  const oldest = map.keys().next()
  if (map.size > remembered && !oldest.done) map.delete(oldest.value)
}

/** Writes and reads signed tokens. */
function signer(secret: string) {
  return {
    seal: (content: Content): string => seal(secret, { ...content, nonce: randomUUID() }),
    open(token: string, use: Content['use']): Content | undefined {
      const content = unseal(secret, token)
      return isContent(content) && content.use === use ? content : undefined
    },
  }
}

const never = Number.MAX_SAFE_INTEGER

/** The documented tokens that are good at the start; the access tokens end a day later. */
function documentedTokens(begin: number): ReadonlyMap<string, Content> {
  const fixed = { generation: 0, issued: 0, expires: begin + 86_400_000 }
  const limited = ['api:users:read', 'api:calls:read:basic']
  return new Map<string, Content>([
    [sandboxCredentials.accessToken, { ...fixed, use: 'access', scopes: allScopes, family: 'sandbox' }],
    [sandboxCredentials.limitedToken, { ...fixed, use: 'access', scopes: limited, family: 'limited' }],
    [sandboxCredentials.expiredToken, { ...fixed, use: 'access', scopes: allScopes, family: 'expired', expires: 0 }],
    [sandboxCredentials.revokedToken, { ...fixed, use: 'access', scopes: allScopes, family: 'revoked', issued: -1 }],
    [sandboxCredentials.refreshToken, { ...fixed, use: 'refresh', scopes: allScopes, family: 'sandbox', expires: never }],
  ])
}

/**
 * The tokens of one sandbox.
 *
 * @param secret - signs them
 * @param clock - epoch milliseconds
 */
export function createTokens(secret: string, clock: () => number): TokenStore {
  const seals = signer(secret)
  const used = new Map<string, number>()
  const revoked = new Map<string, number>()
  const documented = documentedTokens(clock())
  let generation = 0
  let sequence = 0
  const open = (token: string, use: Content['use']) => {
    const known = documented.get(token)
    if (known) return known.use === use ? known : undefined
    const opened = seals.open(token, use)
    return opened?.generation === generation ? opened : undefined
  }
  return {
    issue({ scopes, family }, expiresIn) {
      sequence += 1
      const content = { scopes, family, generation, issued: sequence }
      return {
        accessToken: seals.seal({ ...content, use: 'access', expires: clock() + expiresIn * 1000 }),
        refreshToken: seals.seal({ ...content, use: 'refresh', expires: never }),
      }
    },
    check(token) {
      const opened = open(token, 'access')
      if (!opened) return 'The access token is invalid'
      if (clock() >= opened.expires) return 'The access token has expired'
      return opened.issued <= (revoked.get(opened.family) ?? -1) ? 'The access token has been revoked' : opened.scopes
    },
    redeem(token) {
      const opened = open(token, 'refresh')
      if (!opened || used.has(token)) return undefined
      remember(used, token, sequence)
      return { scopes: opened.scopes, family: opened.family }
    },
    revoke: (family) => remember(revoked, family, sequence),
    reset() {
      used.clear()
      revoked.clear()
      generation += 1
    },
  }
}
