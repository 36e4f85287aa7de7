/** Signs requests as vendors document it, with Node alone: nothing of the engine. */
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { WebhookRequest } from '../../packages/ferrule/src/engine/webhooks/read-webhook.ts'

/** The time of all tests: 2026-11-28T09:00:00Z, in milliseconds. */
export const now = Date.UTC(2026, 10, 28, 9)
/** The time in seconds. */
export const nowSeconds = now / 1_000

/** Address that the vendors were given. */
export const url = 'https://ferrule.example.com/webhooks/connectors/cn_1'

/** Computes HMAC-SHA256. */
export const hmac = (secret: string, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const made = createHmac('sha256', secret)
  for (const part of parts) made.update(part)
  return made.digest()
}

/** Makes a request with a body as text. */
export const post = (body: string | Uint8Array, headers: WebhookRequest['headers']): WebhookRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})

/** The key pair that Gong signs with. */
export const gongKeys = generateKeyPairSync('rsa', { modulusLength: 2_048 })
/** A key pair of somebody else. */
export const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2_048 })
/** Gong's public key as its page shows it: without the lines around it. */
export const gongPublicKey = gongKeys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Makes a token as RFC 7519 has it. */
export function makeToken(
  claims: object,
  { key = gongKeys.privateKey, head = { alg: 'RS256', typ: 'JWT' } }: { key?: KeyObject; head?: object } = {},
): string {
  const signed = `${encode(head)}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

/** Makes the claims of Gong for a body. */
export const gongClaims = (body: string): Record<string, unknown> => ({
  webhook_url: url,
  body_sha256: createHash('sha256').update(body).digest('hex'),
  iat: nowSeconds,
  exp: nowSeconds + 60,
})
