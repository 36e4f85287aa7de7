/** Verifies the signature of a webhook over the bytes that came. Says nothing of the reason for a refusal. */
import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { isObject } from '../../definition/object.ts'
import type { HmacSignature, TokenSignature, Webhooks, WebhookTime } from '../../definition/webhooks.ts'
import { readJson } from '../../values/json/json.ts'
import { readSource, readWebhookHeader, type WebhookRequest } from './sources.ts'

/** Accepted difference of the clocks, in seconds. */
const usualTolerance = 300
/** Most entries of a signature's header. */
const mostParts = 20

/** Returns the values of the name in a header such as `t=1,v1=a,v1=b`. */
function listParts(header: string, name: string): readonly string[] {
  const entries = header.split(',', mostParts).map((entry) => entry.trim())
  return entries.filter((entry) => entry.startsWith(`${name}=`)).map((entry) => entry.slice(name.length + 1))
}

/** Reads the text of the time that the headers state. */
function readHeaderTime(request: WebhookRequest, { header, time }: HmacSignature): string | undefined {
  if (time === undefined) return undefined
  if (!time.at.startsWith('part:')) return time.at.startsWith('header:') ? readSource(request, undefined, time.at) : undefined
  const [only, ...others] = listParts(readWebhookHeader(request, header) ?? '', time.at.slice('part:'.length))
  return others.length === 0 ? only : undefined
}

/** Returns whether a time is near enough. @param now in milliseconds since 1970 */
export function isRecent(text: string | undefined, { unit, tolerance = usualTolerance }: WebhookTime, now: number): boolean {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return false
  const at = Number(text) * (unit === 'seconds' ? 1_000 : 1)
  return Math.abs(now - at) <= tolerance * 1_000
}

/** The forms of 32 bytes. Another spelling of the same bytes is refused. */
const encoded = { hex: /^[0-9a-f]{64}$/i, base64: /^[A-Za-z0-9+/]{43}=$/ }

/** Lists the signatures of a request as bytes. */
function listSignatures(text: string, { encoding, prefix = '', part }: HmacSignature): readonly Buffer[] {
  const given = part === undefined ? [text] : listParts(text, part)
  return given
    .filter((each) => each.startsWith(prefix) && encoded[encoding].test(each.slice(prefix.length)))
    .map((each) => Buffer.from(each.slice(prefix.length), encoding))
}

/** Computes the signature of a request. */
function sign({ method, url, body }: WebhookRequest, key: string, { signed, timestamp }: { signed: string; timestamp: string }): Buffer {
  const hmac = createHmac('sha256', key)
  const values = new Map<string, string | Uint8Array>(Object.entries({ method, url, timestamp, body }))
  for (const [index, piece] of signed.split(/\{(\w+)\}/).entries()) hmac.update(index % 2 === 0 ? piece : (values.get(piece) ?? ''))
  return hmac.digest()
}

function isSignedByKey(request: WebhookRequest, signature: HmacSignature, keys: readonly string[], now: number): boolean {
  const { signed = '{body}', time, header } = signature
  const timestamp = readHeaderTime(request, signature)
  const isInHeader = time !== undefined && /^(?:part|header):/.test(time.at)
  if (isInHeader && !isRecent(timestamp, time, now)) return false
  const given = listSignatures(readWebhookHeader(request, header) ?? '', signature)
  return keys.some((key) => {
    const own = sign(request, key, { signed, timestamp: timestamp ?? '' })
    return given.some((each) => timingSafeEqual(each, own))
  })
}

/** Smallest modulus of a key, in bits (RFC 7518 section 3.3). */
const smallestModulus = 2_048
/** Accepted difference of the clocks for an expiry, in seconds. */
const leeway = 60

/** Reads a public key: PEM, or the base64 within. */
function readPublicKey(text: string): KeyObject | undefined {
  try {
    const bare = text.trim()
    const key = createPublicKey(
      bare.startsWith('-----') ? bare : { key: Buffer.from(bare.replaceAll(/\s/g, ''), 'base64'), format: 'der', type: 'spki' },
    )
    return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= smallestModulus ? key : undefined
  } catch {
    return undefined
  }
}

function parsePart(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = readJson(Buffer.from(text, 'base64url').toString())
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Returns whether the claims hold now, and for this request. */
function isClaimed(
  claims: Readonly<Record<string, unknown>>,
  { body, url }: TokenSignature,
  request: WebhookRequest,
  now: number,
): boolean {
  const read = (name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined)
  const seconds = now / 1_000
  const [expiry, ...starts] = ['exp', 'nbf', 'iat'].map(read)
  if (!isNumber(expiry) || seconds > expiry + leeway) return false
  if (starts.some((start) => start !== undefined && !(isNumber(start) && start <= seconds + leeway))) return false
  const digest = createHash('sha256').update(request.body).digest('hex')
  return String(read(body)).toLowerCase() === digest && (url === undefined || read(url) === request.url)
}

function isSignedByToken(request: WebhookRequest, signature: TokenSignature, keys: readonly string[], now: number): boolean {
  const token = (readWebhookHeader(request, signature.header) ?? '').replace(/^Bearer /i, '')
  const [, head = '', payload = '', given = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? []
  const { alg, crit } = parsePart(head)
  if (alg !== 'RS256' || crit !== undefined) return false
  const signed = Buffer.from(`${head}.${payload}`)
  const isSigned = keys.some((text) => {
    const key = readPublicKey(text)
    return key !== undefined && verify('sha256', signed, key, Buffer.from(given, 'base64url'))
  })
  return isSigned && isClaimed(parsePart(payload), signature, request, now)
}

/**
 * Returns whether a request is signed by one of the keys, and not too long ago. A time in the body is for whoever has parsed it.
 * @param now in milliseconds since 1970
 */
export function isSigned(request: WebhookRequest, { signature }: Webhooks, keys: readonly string[], now: number): boolean {
  return signature.scheme === 'hmac' ? isSignedByKey(request, signature, keys, now) : isSignedByToken(request, signature, keys, now)
}
