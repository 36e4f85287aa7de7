/** Signs tokens with private keys of credentials (RFC 7519, RS256). */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Signing } from '../../definition/consent.ts'
import { fillTemplates } from '../../definition/templates.ts'
import { fail } from '../../errors.ts'
import type { BareConnection } from './exchange.ts'
import type { CredentialValues } from './source.ts'

/** A signed token. Timestamps are milliseconds since 1970. */
export interface Signed {
  readonly token: string
  readonly issued: number
  readonly end: number
}

/** Shortest modulus in bits (RFC 7518 section 3.3). */
const shortestKey = 2048

/**
 * Parses the private key.
 * @throws FerruleError `upstream_auth_failed` for an unreadable key, or one of another kind; the reason never quotes the key
 */
function readPrivateKey({ kind }: BareConnection, pem: string, passphrase: string | undefined): KeyObject {
  const refuse = (reason: string) =>
    fail(
      'upstream_auth_failed',
      { vendor: kind.definition.title, reason },
      { hint: 'Give an RSA key as PEM (PKCS #8), with its passphrase when it is encrypted.' },
    )
  let key: KeyObject
  try {
    key = createPrivateKey({ key: pem.replaceAll('\\n', '\n'), format: 'pem', passphrase })
  } catch {
    throw refuse('the private key cannot be read')
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0 } = {} } = key
  if (type === 'rsa' && modulusLength >= shortestKey) return key
  throw refuse('the private key cannot sign with RS256')
}

const computeFingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64')

/** Builds the claims beside the timestamps: by the rule of the kind, or from templates. */
function buildClaims(
  { kind, configuration }: BareConnection,
  { claims, values, key }: { claims: Signing['claims']; values: CredentialValues; key: KeyObject },
): Readonly<Record<string, string>> {
  if (typeof claims !== 'string') return Object.fromEntries(fillTemplates(claims, values))
  const rule = kind.rules.claims?.[claims.slice('rule:'.length)]
  return rule?.({ credentials: values, configuration, fingerprint: computeFingerprint(key) }) ?? {}
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/**
 * Signs a token.
 * @param now milliseconds since 1970
 * @throws FerruleError `upstream_auth_failed` for a key that cannot sign
 */
export function signToken(
  connection: BareConnection,
  { signing, values, now }: { readonly signing: Signing; readonly values: CredentialValues; readonly now: number },
): Signed {
  const key = readPrivateKey(connection, values[signing.key] ?? '', values[signing.passphrase ?? ''])
  const issued = Math.floor(now / 1000)
  const claims = { ...buildClaims(connection, { claims: signing.claims, values, key }), iat: issued, exp: issued + signing.seconds }
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), key).toString('base64url')
  return { token: `${text}.${signature}`, issued: issued * 1000, end: (issued + signing.seconds) * 1000 }
}
