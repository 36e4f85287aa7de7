/** Signs and verifies webhooks of the service, as Standard Webhooks 1.0.0 describe it. */
import { failValidation } from '../errors.ts'
import type { PlatformEvent } from '../wire/events.ts'

/** A request that a receiver got. */
export interface ReceivedWebhook {
  /** The bytes of the body as text, before anything has parsed them. */
  readonly body: string
  /** Headers of the request: of `Request.headers`, or an object with names in lower case as Node has them. */
  readonly headers: Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>
  /** Secret of the endpoint: `whsec_` and base64. */
  readonly secret: string
  /** Difference of the clocks that is accepted, in seconds; default: 300. */
  readonly toleranceSeconds?: number
  /** Now, in milliseconds since 1970; default: the clock of this machine. */
  readonly now?: number
}

/** Beginning of the secret of an endpoint. */
const webhookSecretPrefix = 'whsec_'

const refuse = (message: string) => failValidation([{ field: '', message, error_code: 'webhook' }])

function readHeader({ headers }: ReceivedWebhook, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : Reflect.get(headers, name)
  if (typeof value !== 'string') throw refuse(`has no header ${name}`)
  return value
}

/** Decodes base64; empty bytes for another text. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

/** Reads the key of a secret. @throws FerruleError `validation_failed` for a text that is no secret */
async function importKey(secret: string) {
  const bytes = decode(secret.replace(webhookSecretPrefix, ''))
  if (bytes.length === 0) throw refuse('cannot be checked: the secret of an endpoint is whsec_ and base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

const buildSignedBytes = (id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${id}.${timestamp}.${body}`)

/**
 * Verifies the signature and the time of a webhook, and returns its event. Remember `id` to recognize an event that comes again.
 * @throws FerruleError `validation_failed` for a request that the service did not sign with this secret, one that is too old, and a wrong secret
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<PlatformEvent> {
  const { body, secret, toleranceSeconds = 300, now = Date.now() } = received
  const [id = '', timestamp = '', signatures = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(received, name),
  )
  // A timestamp that is no number is never within the tolerance.
  const isRecent = Math.abs(now / 1_000 - Number(timestamp)) <= toleranceSeconds
  if (!isRecent) throw refuse('was signed too long ago, or one of the clocks is wrong')
  const key = await importKey(secret)
  const signed = buildSignedBytes(id, timestamp, body)
  const given = signatures.split(' ').filter((each) => each.startsWith('v1,'))
  for (const each of given) if (await crypto.subtle.verify('HMAC', key, decode(each.slice(3)), signed)) return JSON.parse(body)
  throw refuse('is not signed with this secret')
}

const encode = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Writes a key as the secret of an endpoint. */
export const formatWebhookSecret = (key: Uint8Array): string => webhookSecretPrefix + encode(key)

/**
 * Signs a body.
 * @param webhook `id`: id of the event
 * @param secrets each of them signs; the newest first
 * @param now time of the attempt, in milliseconds since 1970
 * @returns the headers of the request
 */
export async function signWebhook(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(now / 1_000))
  const signed = buildSignedBytes(id, timestamp, body)
  const signatures = secrets.map(async (secret) => {
    const signature = await crypto.subtle.sign('HMAC', await importKey(secret), signed)
    return `v1,${encode(new Uint8Array(signature))}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': 'Ferrule-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  }
}
