import { createHash, createPublicKey, type KeyObject, randomUUID, verify } from 'node:crypto'
import { password } from '../consent.ts'
import { isObject, parseJson } from '../http.ts'
import { type Failure, failure } from './failures.ts'

/** Credentials that every sandbox accepts; they are public and open nothing else. */
export const snowflakeCredentials = {
  account: 'sandbox-account',
  /** Where the account is asked; a stand-in hears it in `X-Forwarded-Host`. */
  host: 'sandbox-account.snowflakecomputing.com',
  /** May use every role but the reader's. */
  token: 'sandbox-pat',
  /** Bound to SANDBOX_ROLE. */
  restrictedToken: 'sandbox-restricted-pat',
  /** Of SANDBOX_READER, who may read only. */
  readOnlyToken: 'sandbox-read-only-pat',
  expiredToken: 'sandbox-expired-pat',
  /** Of a user whom no network policy lets in. */
  noPolicyToken: 'sandbox-no-policy-pat',
  database: 'SANDBOX',
  schema: 'PUBLIC',
  warehouse: 'SANDBOX_WH',
  role: 'SANDBOX_ROLE',
  /** Signs in with a key pair too, once its public key is registered. */
  user: 'SANDBOX_USER',
  /** Of the security integration that asks on the consent page. */
  clientId: 'sandbox-integration',
  clientSecret: 'sandbox-integration-secret',
  /** Signs in on the consent page as SANDBOX_USER. */
  login: 'user@sandbox.example',
  /** Signs in on the consent page as SANDBOX_READER, who has READER_ROLE only. */
  readerLogin: 'reader@sandbox.example',
  /** Of everybody who signs in on the consent page. */
  password,
} as const

/** Roles of the account and what they may do. */
export const roles: Readonly<Record<string, { readonly writes: boolean; readonly warehouses: boolean }>> = {
  SANDBOX_ROLE: { writes: true, warehouses: true },
  ANALYST_ROLE: { writes: true, warehouses: true },
  /** Lacks USAGE on every warehouse. */
  CATALOG_ROLE: { writes: false, warehouses: false },
  READER_ROLE: { writes: false, warehouses: true },
}

/** What a credential allows. */
export interface Access {
  readonly user: string
  /** The first one is the user's default. */
  readonly roles: readonly string[]
}

const everyRole: Access = { user: snowflakeCredentials.user, roles: ['SANDBOX_ROLE', 'ANALYST_ROLE', 'CATALOG_ROLE'] }

const accessTokens: Readonly<Record<string, Access | Failure>> = {
  [snowflakeCredentials.token]: everyRole,
  [snowflakeCredentials.restrictedToken]: { user: snowflakeCredentials.user, roles: ['SANDBOX_ROLE'] },
  [snowflakeCredentials.readOnlyToken]: { user: 'SANDBOX_READER', roles: ['READER_ROLE'] },
  [snowflakeCredentials.expiredToken]: failure('invalidPat'),
  [snowflakeCredentials.noPolicyToken]: failure('networkPolicy'),
}

/** Checks credentials. */
export interface Authenticator {
  /** Lets somebody in. */
  check(authorization: string | undefined, type: string | undefined, absent: string): Access | Failure
  /**
   * Registers a public key for SANDBOX_USER; the newest two count, as the vendor has two. @returns its fingerprint, as in `iss` @throws
   * Error when it is no public RSA key
   */
  register(pem: string): string
  /** Keys as at the start. */
  reset(): void
}

/** Vendor: a token is good for an hour at most, whatever it says. */
const longest = 3_600_000
/** Clocks may differ by a minute. */
const skew = 60_000

function instantOf(value: unknown): number {
  if (typeof value !== 'number') return Number.NaN
  return value > 100_000_000_000 ? value : value * 1000
}

function partOf(text: string | undefined): Record<string, unknown> {
  const value = parseJson(Buffer.from(text ?? '', 'base64url').toString())
  return isObject(value) ? value : {}
}

function isSigned(token: string, key: KeyObject): boolean {
  const [header = '', claims = '', signature = ''] = token.split('.')
  if (partOf(header)['alg'] !== 'RS256') return false
  return verify('RSA-SHA256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
}

function isCurrent(claims: Record<string, unknown>, now: number): boolean {
  const [issued, expires] = [instantOf(claims['iat']), instantOf(claims['exp'])]
  if (!(issued <= now + skew) || now >= issued + longest) return false
  return Number.isNaN(expires) ? claims['exp'] === undefined : now < expires
}

function fingerprintOf(key: KeyObject): string {
  return `SHA256:${createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64')}`
}

function rsaKey(pem: string): KeyObject {
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'rsa') throw new Error('The key must be a public RSA key')
  return key
}

/** Returns the credentials of one stand-in. @throws Error when one of them is no public RSA key */
export function createAuthenticator(
  clock: () => number,
  known: readonly string[],
  checkOauth: (token: string) => Access | Failure,
): Authenticator {
  const atStart = known.map(rsaKey)
  let keys: readonly KeyObject[] = atStart
  const subject = `${snowflakeCredentials.account.toUpperCase()}.${snowflakeCredentials.user}`
  const keyPair = (token: string): Access | Failure => {
    const claims = partOf(token.split('.')[1])
    const signer = keys.find((key) => claims['iss'] === `${subject}.${fingerprintOf(key)}`)
    const valid = claims['sub'] === subject && signer && isSigned(token, signer) && isCurrent(claims, clock())
    return valid ? everyRole : failure('invalidJwt', `JWT token is invalid. [${randomUUID()}]`)
  }
  const types: Readonly<Record<string, (token: string) => Access | Failure>> = {
    PROGRAMMATIC_ACCESS_TOKEN: (token) => (Object.hasOwn(accessTokens, token) && accessTokens[token]) || failure('invalidPat'),
    KEYPAIR_JWT: keyPair,
    OAUTH: checkOauth,
  }
  return {
    check(authorization, type, absent) {
      const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
      if (token === undefined) return failure('missingAuthorization')
      const looks = token.split('.').length === 3 ? 'KEYPAIR_JWT' : 'PROGRAMMATIC_ACCESS_TOKEN'
      const wanted = type ?? (absent === 'oauth' ? 'OAUTH' : looks)
      return (types[wanted] ?? checkOauth)(token)
    },
    register(pem) {
      const key = rsaKey(pem)
      keys = [...keys, key].slice(-2)
      return fingerprintOf(key)
    },
    reset() {
      keys = atStart
    },
  }
}
