/** Signs short-lived tokens with a private key (RFC 7519, RS256) and keeps them until shortly before they expire. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { SignedToken } from '../../definition/connector.ts'
import { fail } from '../../errors.ts'
import { clocks } from '../clocks.ts'
import type { Connection } from '../connection.ts'
import type { OpenedCredentials } from './source.ts'

/** Time before expiry at which a new token is signed, in milliseconds. */
const margin = 60_000

interface KeptToken {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly issued: number
  readonly end: number
  /** Signing time by the steady clock, so that a clock which steps back does not extend the lifetime. */
  readonly madeAt: number
}

/** By the credentials that signed the token; garbage collection removes both. */
const kept = new WeakMap<OpenedCredentials['values'], KeptToken>()

const isValid = ({ issued, end, madeAt }: KeptToken, now: number): boolean =>
  issued <= now && now < end - margin && clocks.steady() - madeAt < end - margin - issued

/**
 * Parses the private key.
 * @throws FerruleError `upstream_auth_failed` for an unreadable key; the reason never quotes the key
 */
function readPrivateKey({ kind }: Connection, pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem.replaceAll('\\n', '\n'), format: 'pem', passphrase })
  } catch {
    throw fail(
      'upstream_auth_failed',
      { vendor: kind.definition.title, reason: 'the private key cannot be read' },
      { hint: 'Give an RSA key as PEM (PKCS #8), with its passphrase when it is encrypted.' },
    )
  }
}

const computeFingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64')

/**
 * Returns a valid token, signed now or kept from before.
 * @param now milliseconds since 1970
 * @throws FerruleError `upstream_auth_failed` for a key that cannot sign
 */
export async function signToken(
  connection: Connection,
  { send, opened, now }: { send: SignedToken; opened: OpenedCredentials; now: number },
): Promise<string> {
  const known = kept.get(opened.values)
  if (known !== undefined && isValid(known, now)) return known.token
  const values = opened.values.reveal()
  const key = readPrivateKey(connection, values[send.key] ?? '', values[send.passphrase])
  const rule = connection.kind.rules.claims?.[send.claims.slice('rule:'.length)]
  const claims = rule?.({ credentials: values, configuration: connection.configuration, fingerprint: computeFingerprint(key) }) ?? {}
  const { SignJWT } = await import('jose') // only kinds with signed tokens need it
  const seconds = Math.floor(now / 1000)
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + send.seconds)
    .sign(key)
    .catch(() => {
      throw fail('upstream_auth_failed', { vendor: connection.kind.definition.title, reason: 'the private key cannot sign with RS256' })
    })
  kept.set(opened.values, { token, issued: seconds * 1000, end: (seconds + send.seconds) * 1000, madeAt: clocks.steady() })
  return token
}
