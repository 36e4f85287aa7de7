/** Signs webhooks as Standard Webhooks 1.0.0 describe it: for the service, and for `ferrule webhooks listen`. */
import { buildSignedBytes, importWebhookKey, webhookSecretPrefix } from './verify-webhook.ts'

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
    const signature = await crypto.subtle.sign('HMAC', await importWebhookKey(secret), signed)
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
