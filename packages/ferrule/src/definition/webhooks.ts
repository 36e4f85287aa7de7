/**
 * The words for webhooks: how a vendor signs what it sends, and which records an event names. Plain data (docs/decisions/webhooks.md).
 *
 * A source is `header:<name>`, or a path in the body. Paths of events are within one event, if a request holds several.
 */
import type { Finding } from './fields.ts'

/** Where the time of a request is. */
export interface WebhookTime {
  /** A source, or `part:<name>` of the signature's header. */
  readonly at: string
  readonly unit: 'seconds' | 'milliseconds'
  /** Accepted difference of the clocks, in seconds; 300 if omitted. */
  readonly tolerance?: number
}

interface SignatureKey {
  /**
   * Name of the secret that verifies. A field of the credentials with this name verifies too, such as the client secret of an OAuth client. A
   * service keeps other secrets beside the credentials, because they open nothing at the vendor.
   */
  readonly secret: string
  /** Where people find the secret. */
  readonly find: Finding
  /** Header that carries the signature. */
  readonly header: string
}

/** HMAC-SHA256 over parts of the request. */
export interface HmacSignature extends SignatureKey {
  readonly scheme: 'hmac'
  readonly encoding: 'hex' | 'base64'
  /** Text before the signature: `sha256=`. */
  readonly prefix?: string
  /** The header is a list such as `t=…,v1=…`, and this is the name of the signatures in it. */
  readonly part?: string
  /** What is signed, with the slots `{body}`, `{timestamp}`, `{method}` and `{url}`; the body if omitted. */
  readonly signed?: string
  /** Omitted if the vendor sends no time: then nothing ends the validity of a request. */
  readonly time?: WebhookTime
}

/** A JSON Web Token (RFC 7519, RS256) with an expiry; the secret is the vendor's public key. */
export interface TokenSignature extends SignatureKey {
  readonly scheme: 'jwt'
  /** Claim with the SHA-256 of the body, in hex. */
  readonly body: string
  /** Claim with the address that the request was sent to. */
  readonly url?: string
}

/**
 * What a vendor sends before it sends events. `answer`: the value at this path is the whole answer, for a signed body in which each path of
 * `when` has its value. `secret`: the vendor states the secret itself, at this path of an unsigned body, as long as nobody has stored one.
 */
export type WebhookChallenge = { readonly when: Readonly<Record<string, string>>; readonly answer: string } | { readonly secret: string }

/** What an event does: its records changed; they do not exist any more; they must be forgotten; the OAuth client was removed at the vendor. */
export const webhookEffects = ['changed', 'removed', 'redact', 'uninstalled'] as const
/** What an event does. */
export type WebhookEffect = (typeof webhookEffects)[number]

/** What an event says. */
export interface WebhookRule {
  readonly does: WebhookEffect
  /** The entity of the records. Omitted: the whole account. */
  readonly entity?: string
  /**
   * Path of each part of the record's key, in the order of the entity's key. `[]` in the only one names several records. An event that lacks
   * one does nothing. Omitted: some records of the entity. Without an entity they are what the event must have.
   */
  readonly key?: readonly string[]
  /**
   * Instead of a key, one field of the records → path in the event: it names all records with this value, such as the children of a parent.
   * The entity's `list` reads them, and those that it does not return no longer exist. `redact` reads nothing: it deletes what the copy has
   * with this value, in small or capital letters, and `[]` in the path names several values.
   */
  readonly under?: Readonly<Record<string, string>>
  /** Paths that the event must have: where the topic is not signed, what the bodies of other topics lack. */
  readonly needs?: readonly string[]
  /**
   * Parameter of the call that reads the records → path in the event. The call is the entity's `get`, or its `list` without one and with
   * `under`. Omitted: the only required parameter of `get` takes the key, or the list takes what `under` says.
   */
  readonly parameters?: Readonly<Record<string, string>>
  /**
   * Path of the record's time of change. The record has a field with the last name of the path. An event that is older than the copy has
   * nothing to read; an equal one is read, because times are coarse.
   */
  readonly version?: string
}

/** How to ask a vendor for events. Kind files have no word for it. */
export interface WebhookSubscription {
  /** Method and path below the address of the API, for one topic: `POST /webhooks.json`. */
  readonly call: string
  /** JSON that is sent, with `{topic}` and `{address}` in its texts. */
  readonly body: Readonly<Record<string, unknown>>
  /** Topics that are asked for, each of an entity that is copied, or of none. */
  readonly topics: readonly string[]
  /** Part of the vendor's refusal of what it sends already. */
  readonly known: string
}

/** Webhooks of a vendor. */
export interface Webhooks {
  readonly signature: HmacSignature | TokenSignature
  readonly challenge?: WebhookChallenge
  /**
   * Sources of the account that an event belongs to. All that have a value must have the same one. It equals the template `is`, in which
   * `{name}` is a value of the configuration; without `is` the id that the kind's `account` proves. Omitted: events name no account, so each
   * connector needs an address of its own.
   */
  readonly account?: { readonly at: readonly string[]; readonly is?: string }
  /** Sources of the event's id, joined by colons. An event without one of them has no id. */
  readonly id?: readonly string[]
  /** Sources of the topic, joined by dots; one without a value is left out. Omitted: all events are of the topic `*`. */
  readonly topic?: readonly string[]
  /** Path of the events, if a request holds several: `[]` for a body that is a list. */
  readonly list?: string
  /** What topics say. A `*` at the end stands for any rest, and the longest fitting name counts. Other topics do nothing. */
  readonly events: Readonly<Record<string, WebhookRule | readonly WebhookRule[]>>
  /** Omitted: people ask for events at the vendor. */
  readonly subscribe?: WebhookSubscription
}

/** Lists what a topic says. */
export const listWebhookRules = (rules: WebhookRule | readonly WebhookRule[]): readonly WebhookRule[] => ('does' in rules ? [rules] : rules)

/** Finds what a topic says: the name that is equal, else the longest beginning. */
export function findWebhookRules({ events }: Webhooks, topic: string): readonly WebhookRule[] {
  if (Object.hasOwn(events, topic)) return listWebhookRules(events[topic] ?? [])
  const fitting = Object.keys(events).filter((name) => name.endsWith('*') && topic.startsWith(name.slice(0, -1)))
  const [longest = ''] = fitting.toSorted((one, other) => other.length - one.length)
  return listWebhookRules(events[longest] ?? [])
}
