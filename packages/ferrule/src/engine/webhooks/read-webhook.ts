/** Reads a webhook of a vendor: who signed it, and which records it names. Pure but for the clock that the caller passes. */

import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { ConnectorDefinition, Kind } from '../../definition/connector.ts'
import type { EntityDefinition, SentMethod } from '../../definition/entity.ts'
import { type Fields, isOptional } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { findField, formatPlainType } from '../../definition/plain-schema.ts'
import { fillTemplate } from '../../definition/templates.ts'
import {
  findWebhookRules,
  type HmacSignature,
  type TokenSignature,
  type WebhookEffect,
  type WebhookRule,
  type Webhooks,
  type WebhookTime,
} from '../../definition/webhooks.ts'
import { readJson } from '../../values/json/json.ts'
import type { VendorRequest } from '../call/vendor-request.ts'
import { type CredentialValues, Secret } from '../credentials/source.ts'
import { copyJson, getAt, listWithin, parsePath, setAt } from '../json/paths.ts'
import { parseInteger } from '../json/validate.ts'

/** A request that asks for the events of a topic. */
export interface SubscriptionRequest {
  readonly topic: string
  readonly request: VendorRequest
}

function fillTopic(value: unknown, slots: { readonly topic: string; readonly address: string }): unknown {
  if (typeof value === 'string') return value.replaceAll('{topic}', slots.topic).replaceAll('{address}', slots.address)
  if (Array.isArray(value)) return value.map((each) => fillTopic(each, slots))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fillTopic(each, slots)])) : value
}

/**
 * Builds the requests for the topics that concern a connector.
 * @param entities that the connector copies
 * @returns undefined if the kind does not say how to ask
 */
export function buildSubscriptions(
  { webhooks }: Pick<ConnectorDefinition, 'webhooks'>,
  { address, entities }: { readonly address: string; readonly entities: readonly string[] },
): readonly SubscriptionRequest[] | undefined {
  const subscribe = webhooks?.subscribe
  if (webhooks === undefined || subscribe === undefined) return undefined
  const path = subscribe.call.slice(subscribe.call.indexOf('/'))
  const method: SentMethod = subscribe.call.startsWith('PUT ') ? 'PUT' : 'POST'
  const isWanted = (topic: string) =>
    findWebhookRules(webhooks, topic).some(({ entity }) => entity === undefined || entities.includes(entity))
  return subscribe.topics
    .filter(isWanted)
    .map((topic) => ({ topic, request: { method, path, body: fillTopic(subscribe.body, { topic, address }) } }))
}

/** Largest body, in bytes; largest number of events in one request, and of secrets that are tried. */
export const webhookLimits = { bytes: 1_048_576, events: 10_000, secrets: 10 } as const

/** An event that a vendor signed. It is a hint: the copy takes nothing from it but the key. */
export interface WebhookEvent {
  /** Equal for repeats of the event only. Undefined if the vendor states none. */
  readonly id?: string
  readonly topic: string
  /** The vendor's name of the account; undefined if the vendor states none. */
  readonly account?: string
  /** Undefined if the kind says nothing of the topic, or the event lacks a key: nothing is to be done. */
  readonly does?: WebhookEffect
  /** Undefined for the whole account. */
  readonly entity?: string
  /** Values of the record's key in the order of the entity's key, with the types of the record. Undefined: some records of the entity. */
  readonly key?: readonly (string | number | bigint)[]
  /** Instead of a key, all records with this value in a field: the call reads them, and others no longer exist. */
  readonly under?: { readonly field: string; readonly value: string | number | bigint }
  /** The call that reads the records again. Undefined: only a sync of the entity reads them. */
  readonly read?: { readonly action: 'get' | 'list'; readonly params: Readonly<Record<string, unknown>> }
  /** Field of the record with its time of change, and its value in the event. */
  readonly version?: { readonly field: string; readonly value: string }
}

/**
 * What a request is. `refused`: unknown, forged, late or unreadable, and nobody is told which. `challenge`: the answer is given; a secret that
 * comes with it was stated by whoever sent the request, so it counts once people have confirmed it.
 */
export type WebhookReading =
  | { readonly type: 'refused' }
  | {
      readonly type: 'challenge'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      readonly secret?: Secret<CredentialValues>
    }
  | { readonly type: 'events'; readonly events: readonly WebhookEvent[] }

type Definition = Pick<ConnectorDefinition, 'entities'> & { readonly webhooks: Webhooks }
type KeyValue = string | number | bigint

const refused: WebhookReading = { type: 'refused' }

/** Parses a body of UTF-8 JSON, with all digits; undefined for anything else. */
function parseBody(body: Uint8Array): unknown {
  try {
    return readJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Texts that are echoed: printable ASCII of at most 1,000 characters. */
const echoed = /^[\x20-\x7e]{1,1000}$/

const answer = (body: string, secret?: Secret<CredentialValues>): WebhookReading => ({
  type: 'challenge',
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
  ...(secret === undefined ? {} : { secret }),
})

/** Reads the secret that a vendor states before it signs anything. */
function readOffered({ challenge, signature }: Webhooks, body: Uint8Array): WebhookReading {
  if (challenge === undefined || !('secret' in challenge)) return refused
  const text = getAt(parseBody(body), parsePath(challenge.secret))
  return typeof text === 'string' && text.length >= 16 && echoed.test(text) ? answer('', new Secret({ [signature.secret]: text })) : refused
}

/** Reads a challenge that is signed; undefined for another body. */
function readChallenge({ challenge }: Webhooks, body: unknown): WebhookReading | undefined {
  if (challenge === undefined || !('answer' in challenge)) return undefined
  if (!Object.entries(challenge.when).every(([path, value]) => getAt(body, parsePath(path)) === value)) return undefined
  const text = getAt(body, parsePath(challenge.answer))
  return typeof text === 'string' && echoed.test(text) ? answer(text) : refused
}

/** Gives a value the type that a field has, so that it equals the record's. */
function toFieldType(value: unknown, fields: Fields | undefined, path: string): KeyValue | undefined {
  const text = toShortText(value)
  const field = findField(fields ?? {}, path)
  if (text === undefined || field === undefined) return text
  const type = formatPlainType(field)
  if (type === 'integer') return parseInteger(text) ?? undefined
  return type === 'number' ? Number(text) : text
}

/** Reads the keys of the records that an event names; undefined if it lacks one. */
function readKeys(
  event: unknown,
  { key }: WebhookRule,
  definition: EntityDefinition | undefined,
): readonly (readonly KeyValue[])[] | undefined {
  const [only = '', ...others] = key ?? []
  const read = (value: unknown, index: number) => toFieldType(value, definition?.record, definition?.key[index] ?? '')
  const keys =
    others.length === 0 && only.includes('[]')
      ? readValues(event, only).map((value) => [read(value, 0)])
      : [(key ?? []).map((path, index) => read(getAt(event, parsePath(path)), index))]
  const whole = keys.filter((parts): parts is KeyValue[] => !parts.includes(undefined))
  return whole.length === 0 ? undefined : whole
}

const listRequired = (params: Fields): readonly string[] => Object.keys(params).filter((name) => !isOptional(params, name))

/** Reads the parameters of a call; undefined if a required one has no value. */
function readParams(
  event: unknown,
  parameters: NonNullable<WebhookRule['parameters']>,
  { params: known, fixed = {} }: { readonly params: Fields; readonly fixed: Readonly<Record<string, unknown>> | undefined },
): Readonly<Record<string, unknown>> | undefined {
  const params = copyJson(fixed) as Record<string, unknown>
  for (const [path, at] of Object.entries(parameters)) {
    const isList = formatPlainType(findField(known, path) ?? {}) === 'array'
    const value = toFieldType(getAt(event, parsePath(at)), isList ? {} : known, path)
    if (value !== undefined) setAt(params, parsePath(path), isList ? [value] : value)
  }
  return listRequired(known).every((name) => Object.hasOwn(params, name)) ? params : undefined
}

/** Makes the parameters of a `get` that only takes the key. */
function readOnlyParams(params: Fields, key: readonly KeyValue[]): Readonly<Record<string, unknown>> | undefined {
  const [only, ...others] = listRequired(params)
  if (only === undefined) return {}
  return others.length === 0 && key.length === 1 ? { [only]: toFieldType(key[0], params, only) } : undefined
}

/** Finds the call that reads the records of an event again. A list sends what that of a sync sends. */
function findRead(
  event: unknown,
  { does, under, parameters = under }: WebhookRule,
  { entity, key }: { readonly entity: EntityDefinition | undefined; readonly key: readonly KeyValue[] },
): Pick<WebhookEvent, 'read'> {
  const action = entity?.get === undefined || under !== undefined ? 'list' : 'get'
  const params = entity?.[action]?.params
  // A list without parameters of the event is that of all records, which a sync reads.
  if (params === undefined || does === 'redact' || (action === 'list' && parameters === undefined)) return {}
  const fixed = action === 'list' ? entity?.sync?.params : undefined
  const read = parameters === undefined ? readOnlyParams(params, key) : readParams(event, parameters, { params, fixed })
  return read === undefined ? {} : { read: { action, params: read } }
}

/** Reads the values that records share which an event names; one without a value for a rule that names records by their key. */
function readUnder(
  event: unknown,
  { under = {} }: WebhookRule,
  definition: EntityDefinition | undefined,
): readonly Pick<WebhookEvent, 'under'>[] {
  const [[field, path] = []] = Object.entries(under)
  if (field === undefined || path === undefined) return [{}]
  return readValues(event, path).flatMap((given) => {
    const value = toFieldType(given, definition?.record, field)
    return value === undefined ? [] : [{ under: { field, value } }]
  })
}

/** Returns the value at a path, or all of them for a path with `[]`. */
const readValues = (event: unknown, path: string): readonly unknown[] =>
  path.includes('[]') ? (listWithin(event, parsePath(path)) ?? []).map(([value]) => value) : [getAt(event, parsePath(path))]

/** Reads the time of change. A removal has none: the copy is never newer than it. */
function readVersion(event: unknown, { does, version }: WebhookRule): Pick<WebhookEvent, 'version'> {
  const value = version === undefined || does !== 'changed' ? undefined : toShortText(getAt(event, parsePath(version)))
  return version === undefined || value === undefined ? {} : { version: { field: version.slice(version.lastIndexOf('.') + 1), value } }
}

function applyRule(event: unknown, rule: WebhookRule, { entities }: Definition): readonly Omit<WebhookEvent, 'id' | 'topic' | 'account'>[] {
  const { does, entity: name } = rule
  const entity = name === undefined ? undefined : entities[name]
  const isMeant = (rule.needs ?? []).every((path) => getAt(event, parsePath(path)) !== undefined)
  const keys = isMeant ? (readKeys(event, rule, entity) ?? []) : []
  return readUnder(event, rule, entity).flatMap((named) =>
    keys.map((key) => ({
      does,
      ...(name === undefined ? {} : { entity: name, ...findRead(event, rule, { entity, key }), ...readVersion(event, rule) }),
      ...(name === undefined || rule.key === undefined ? {} : { key }),
      ...named,
    })),
  )
}

/** Joins sources; undefined if one has no value. */
function joinSources(request: WebhookRequest, event: unknown, sources: readonly string[]): string | undefined {
  const values = sources.map((source) => readSource(request, event, source))
  return values.length === 0 || values.includes(undefined) ? undefined : values.join(':')
}

/** Reads one event. @returns undefined if its sources of the account contradict each other */
function readEvent(request: WebhookRequest, event: unknown, definition: Definition): readonly WebhookEvent[] | undefined {
  const { topic: topics, account, id: ids = [] } = definition.webhooks
  const accounts = new Set((account?.at ?? []).flatMap((source) => readSource(request, event, source) ?? []))
  if (accounts.size > 1) return undefined
  const [owner] = accounts
  const topic = topics === undefined ? '*' : topics.flatMap((source) => readSource(request, event, source) ?? []).join('.')
  const made = findWebhookRules(definition.webhooks, topic).flatMap((rule) => applyRule(event, rule, definition))
  const id = joinSources(request, event, ids)
  // Several records of one event have ids of their own, so that a repeat of one is no repeat of another.
  return (made.length === 0 ? [{}] : made).map((each, index) => ({
    ...(id === undefined ? {} : { id: index === 0 ? id : `${id}#${index + 1}` }),
    topic,
    ...(owner === undefined ? {} : { account: owner }),
    ...each,
  }))
}

function readEvents(request: WebhookRequest, body: unknown, definition: Definition): WebhookReading {
  const { list } = definition.webhooks
  const all = list === undefined ? [body] : (listWithin(body, parsePath(list)) ?? []).map(([event]) => event)
  if (all.length > webhookLimits.events || !all.every(isObject)) return refused
  const events: WebhookEvent[] = []
  for (const event of all) {
    const made = readEvent(request, event, definition)
    if (made === undefined || events.length + made.length > webhookLimits.events) return refused
    events.push(...made)
  }
  return { type: 'events', events }
}

const readField = (values: CredentialValues, name: string): readonly string[] =>
  Object.hasOwn(values, name) && values[name] ? [values[name]] : []

/**
 * Reads a request that a vendor sent. Everything that is not signed by one of the secrets is refused, before its body is parsed.
 * @param secrets values that have the kind's secret of webhooks, the newest first: a connector's credentials, those of the OAuth client,
 *   or secrets that are kept beside them. Values without it do not count
 */
export function readWebhook(
  kind: Kind,
  request: WebhookRequest,
  secrets: readonly Secret<CredentialValues>[],
  now: number,
): WebhookReading {
  const { webhooks, entities } = kind.definition
  if (webhooks === undefined || request.body.byteLength > webhookLimits.bytes) return refused
  const { signature } = webhooks
  const keys = secrets.flatMap((each) => readField(each.reveal(), signature.secret))
  if (keys.length === 0) return readOffered(webhooks, request.body)
  if (!isSigned(request, webhooks, keys.slice(0, webhookLimits.secrets), now)) return refused
  const body = parseBody(request.body)
  const time = signature.scheme === 'hmac' ? signature.time : undefined
  const isInBody = time !== undefined && !/^(?:part|header):/.test(time.at)
  if (body === undefined || (isInBody && !isRecent(readSource(request, body, time.at), time, now))) return refused
  return readChallenge(webhooks, body) ?? readEvents(request, body, { webhooks, entities })
}

/**
 * Lists the vendor's names of the account that a connector reaches, as events state them; empty if events name no account.
 * @param proven ids of the account that the kind's `account` found
 */
export function listWebhookAccounts(
  { webhooks }: Pick<ConnectorDefinition, 'webhooks'>,
  configuration: Readonly<Record<string, unknown>>,
  proven: readonly string[],
): readonly string[] {
  const is = webhooks?.account?.is
  if (webhooks?.account === undefined || is === undefined) return webhooks?.account === undefined ? [] : proven
  const filled = fillTemplate(is, (name) => (Object.hasOwn(configuration, name) ? toShortText(configuration[name]) : undefined))
  return filled === undefined ? [] : [filled]
}

/** Accepted difference of the clocks, in seconds. */
const usualTolerance = 300
/** Most entries of a signature's header. */
const mostParts = 20

/** Returns the values of the name in a header such as `t=1,v1=a,v1=b`. */
function listParts(header: string, name: string): readonly string[] {
  const entries = header.split(',', mostParts).map((entry) => entry.trim())
  return entries.filter((entry) => entry.startsWith(`${name}=`)).map((entry) => entry.slice(name.length + 1))
}

function readHeaderTime(request: WebhookRequest, { header, time }: HmacSignature): string | undefined {
  if (time === undefined) return undefined
  if (!time.at.startsWith('part:')) return time.at.startsWith('header:') ? readSource(request, undefined, time.at) : undefined
  const [only, ...others] = listParts(readWebhookHeader(request, header) ?? '', time.at.slice('part:'.length))
  return others.length === 0 ? only : undefined
}

/** Returns whether a time is near enough. @param now in milliseconds since 1970 */
function isRecent(text: string | undefined, { unit, tolerance = usualTolerance }: WebhookTime, now: number): boolean {
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
 * Returns whether a request is signed by one of the keys, over the bytes that came, and not too long ago. A time in the body is for whoever has parsed it.
 */
function isSigned(request: WebhookRequest, { signature }: Webhooks, keys: readonly string[], now: number): boolean {
  return signature.scheme === 'hmac' ? isSignedByKey(request, signature, keys, now) : isSignedByToken(request, signature, keys, now)
}

/** A request that a vendor sent. */
export interface WebhookRequest {
  readonly method: string
  /** The whole address that the vendor was given, with its query. */
  readonly url: string
  /** With names in lower case. A list holds each header that came several times. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bytes as they came. */
  readonly body: Uint8Array
}

/** Longest value that is taken for an id, an account or a topic, in characters. */
const longestText = 256

/** Reads a header; undefined if it is missing, empty, or came several times. */
function readWebhookHeader({ headers }: Pick<WebhookRequest, 'headers'>, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  const text = typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined
  return text === '' ? undefined : text
}

/** Returns a short text or a number as text, with all digits; undefined for anything else. */
function toShortText(value: unknown): string | undefined {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  return typeof value === 'string' && value !== '' && value.length <= longestText ? value : undefined
}

const header = 'header:'

/** Reads a source. A header with a comma came several times, so it has no value. */
function readSource(request: Pick<WebhookRequest, 'headers'>, event: unknown, source: string): string | undefined {
  if (!source.startsWith(header)) return toShortText(getAt(event, parsePath(source)))
  const value = toShortText(readWebhookHeader(request, source.slice(header.length)))
  return value?.includes(',') ? undefined : value
}
