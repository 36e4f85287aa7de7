/** The definition of a kind: everything but its entities. */
import type { DayWindow, ErrorCode } from '../errors.ts'
import type { AccountProof, Consent, Exchange, Signing } from './consent.ts'
import type { EntityDefinition } from './entity.ts'
import type { Fields } from './fields.ts'
import type { PageDefinition } from './page.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Returns the slug of a kind's name, which people read. A kind that an organization brought to a service has the name `slug~id`: kinds of one
 * slug share no budget, no cursor and no answer.
 */
export const readSlug = (kind: string): string => kind.split('~', 1)[0] ?? kind

/** An origin that a configuration field selects. Maps each value of the field to an origin. The field must have a default. */
export interface ChosenOrigin {
  readonly by: string
  readonly origins: Readonly<Record<string, string>>
}

/** Origins of a kind (scheme, host and port only). The operations go to `api`. */
export interface Origins {
  /**
   * One origin, or one per value of a configuration field. A configuration value replaces `{name}`; its field must have an anchored
   * pattern. `https://{name}`: the value is the whole host, which must be public.
   */
  readonly api: string | ChosenOrigin
  /**
   * Where requests go instead of `api` and the kind's prefix, once a configuration field has a value. The accounts of a consent are listed
   * there too, without the prefix.
   */
  readonly other?: { readonly configuration: string; readonly api: string; readonly prefix: string }
  /** The consent page, and the endpoint of tokens unless `token` names another origin. */
  readonly oauth?: string
  /** The endpoint of tokens, if the consent page is elsewhere or does not exist. Omitted without both: tokens come from the API's origin. */
  readonly token?: string | ChosenOrigin
}

/** A short-lived token that the engine signs, and that every request carries. */
export interface SignedToken extends Signing {
  readonly as: 'signed'
}

/**
 * Headers and query parameters with values of credentials: a credential field replaces `{field}`. What stands behind `Basic ` is encoded as
 * RFC 7617 says. A header or parameter whose slots are all empty is omitted.
 */
export interface Templates {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/** How every API request carries the credentials. */
export type SendCredentials = SignedToken | Templates

/** One way to authenticate. The given fields identify the scheme. */
export interface CredentialScheme {
  readonly title: string
  readonly fields: Fields
  readonly send: SendCredentials
  /** Headers that every request of the scheme carries. A configuration value replaces `{name}`; without a value the header is omitted. */
  readonly headers?: Readonly<Record<string, string>>
  /** How a grant becomes an access token. Omitted if the credentials hold what `send` needs. */
  readonly exchange?: Exchange
  /** The vendor's consent page. Needs `exchange.code`. */
  readonly consent?: Consent
}

/** One row of a kind's error table. The first row decides whose conditions all hold. */
export interface ErrorRule {
  readonly status?: number
  /** Lowest and highest status, both included. */
  readonly statuses?: readonly [number, number]
  /** Actions that the row applies to; all if omitted. */
  readonly actions?: readonly string[]
  /** Applies only if the request carried this top-level parameter. */
  readonly sent?: string
  /** Regular expression (flag `i`) that one message of the vendor must match. */
  readonly matches?: string
  /** Words that one message of the vendor must contain; case does not matter. */
  readonly contains?: string
  /** The vendor's own codes (`problem.code`): `40001`, or a range `40900-40999`. */
  readonly codes?: readonly string[]
  /** The error, or `empty` for a list without records. */
  readonly is: ErrorCode | 'empty'
  /**
   * The record that a `get` asked for does not exist: its copy is deleted with everything that belongs to it. Needs `matches` or `codes`,
   * because a proxy or a missing account can answer with the same status.
   */
  readonly gone?: true
  readonly hint?: string
  /** Overrides the error table: true if the same request can succeed later. */
  readonly retryable?: boolean
  /** Wait in seconds if the vendor states none: `first`, then doubled after each further refusal, up to `longest`. */
  readonly wait?: { readonly first: number; readonly longest: number }
}

/** A maximum number of calls within any period of the given length. */
export interface Rate {
  readonly calls: number
  readonly seconds: number
}

/** How a header says when a window ends: in seconds from now, or a point in time: seconds or milliseconds since 1970, or a date. */
export type WindowForm = 'seconds' | 'unix-time' | 'unix-time-ms' | 'date-time'

/** A leaky bucket: it holds `size` calls and leaks `perSecond` of them. */
export interface Bucket {
  readonly size: number
  readonly perSecond: number
  /** Response header that reports `used/size`; a larger bucket leaks proportionally faster. */
  readonly header?: string
  /** The bucket holds points, because calls cost different numbers of them. */
  readonly points?: {
    /** Response header that says what the call cost. */
    readonly cost: string
    /** What a call costs, as long as no answer said it. */
    readonly expected: number
    /** Response header that says how many points are left. */
    readonly left?: string
    /** Response header that says when all points are back: calls wait until then if fewer points are left than the last one cost. */
    readonly resets?: string
    readonly form: WindowForm
  }
}

/** The vendor's rate limits. All connectors with the same key share one budget. */
export interface Limits {
  /** Credential or configuration fields. The first field with a value identifies the budget. */
  readonly key: readonly string[]
  /** Limits that apply together. */
  readonly rates?: readonly Rate[]
  /** Limits that replace `rates` if a configuration field has the given value. */
  readonly other?: { readonly configuration: string; readonly is: string; readonly rates: readonly Rate[] }
  /** A leaky bucket, beside `rates`. */
  readonly bucket?: Bucket
  /** Budgets of their own, by names that operations use, with their rates. */
  readonly budgets?: Readonly<Record<string, readonly Rate[]>>
  /** Response headers of a window: how many calls are left, and when it ends. */
  readonly window?: { readonly left?: string; readonly resets: string; readonly form: WindowForm }
}

/** A list operation that fetches records by their ids, for joins. */
export interface Lookup {
  readonly entity: string
  readonly action: 'list'
  /** Path of the parameter that takes the ids. */
  readonly ids: string
  /** Maximum number of ids per call. */
  readonly batch: number
  /** Path of the id in the raw row. */
  readonly key: string
  /**
   * Another operation that fetches one record: for ids that the list does not know yet, at most `most` per page. `param` takes the id, and
   * the record counts as the part `as` of the list's records.
   */
  readonly single?: { readonly entity: string; readonly action: 'get'; readonly param: string; readonly as: string; readonly most: number }
}

/** Rows that the vendor asks integrations not to show. */
export interface Hidden {
  /** Configuration field and the value that shows the rows. */
  readonly unless: { readonly field: string; readonly is: string }
  /** Meta field that counts the hidden rows of a list. */
  readonly count: string
  /** Error of a `get` or `download` of a hidden row. */
  readonly error: ErrorCode
  /** Path of the flag in a record that a join looked up. */
  readonly flag: string
  /**
   * A copied record can become hidden later without a visible change. The sync looks up the records of this entity, and of entities that
   * are `of` it, once per period. Records that are hidden or unknown by then are deleted from the copy.
   */
  readonly recheck?: { readonly entity: string; readonly lookup: string; readonly seconds: number }
}

/** A kind of external system. */
export interface ConnectorDefinition {
  /** Slug: `gong`. */
  readonly kind: string
  /**
   * Set by `checkUploadedKind`, and by no file: somebody uploaded the kind. Its requests go to public addresses only, nothing of it becomes
   * code, and its texts reach agents marked.
   */
  readonly foreign?: true
  readonly title: string
  /** The category of the system: `conversation intelligence`. */
  readonly category: string
  readonly about: string
  /** Stable id of the definition (UUID) that existing clients send. */
  readonly id: string
  readonly documentation: string
  readonly origins: Origins
  /**
   * Further domains of the vendor. A configuration value of the origin's slot that ends with one of them is the whole host: accounts of some
   * countries have a domain of their own.
   */
  readonly domains?: readonly string[]
  /** Path before every endpoint; `{name}` as in the origins. */
  readonly prefix?: string
  /** Fixed headers of every request to the API: its version, the form of its answers. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The API version: the configuration field that requests it, the header that reports the answering version, and the last supported day of
   * the default.
   */
  readonly version?: {
    readonly configuration: string
    readonly header: string
    readonly deprecation: string
    readonly supportedUntil: string
  }
  /** A customer-specific base address: the fields that can hold it (the first with a value counts), and the pattern that it must match. */
  readonly base?: { readonly fields: readonly string[]; readonly matches: string }
  readonly credentials: Readonly<Record<string, CredentialScheme>>
  readonly configuration: Fields
  /** What identifies the account behind the credentials. Omitted: nothing proves that two credentials reach the same account. */
  readonly account?: AccountProof
  /**
   * Values that fill parameters, by name: from a configuration field (one value or several), else from a credential field
   * (comma-separated).
   */
  readonly known?: Readonly<Record<string, { readonly configuration: string; readonly credential?: string }>>
  /** The kind's ways of paging, by names that operations use. */
  readonly pages: Readonly<Record<string, PageDefinition>>
  /**
   * Paths in an error body, of which the first with a value counts; `header:<name>` reads a response header. An object or array becomes one
   * string.
   */
  readonly problem: {
    readonly message: readonly string[]
    readonly requestId?: string
    /** Path of the vendor's own code. */
    readonly code?: string
    /** An answer with this value is an error whatever its status. Without `is`: with any value that is not empty. */
    readonly failed?: { readonly at: string; readonly is?: string | boolean }
    /** Codes of success. An answer with another code is an error whatever its status; an answer without a code is invalid. */
    readonly success?: readonly string[]
    /** Codes of partial success. Their message appears in the meta as a warning. */
    readonly partial?: readonly string[]
    /** Response headers that appear in the meta as warnings. */
    readonly warnings?: readonly string[]
  }
  readonly errors: readonly ErrorRule[]
  readonly limits: Limits
  readonly lookups?: Readonly<Record<string, Lookup>>
  readonly hidden?: Hidden
  /** Omitted: the vendor sends no webhooks, or the kind does not read them. */
  readonly webhooks?: Webhooks
  /** Maximum wait for the head of an answer, and maximum size of an answer; the engine's own limits if omitted. */
  readonly patience?: { readonly seconds: number; readonly bytes: number }
  /** The operation that proves the credentials. */
  readonly check: {
    readonly entity: string
    readonly action: string
    readonly params: Readonly<Record<string, unknown>>
    /** Endpoint that proves the credentials alone, called if a parameter of the operation cannot be filled. */
    readonly probe?: `GET /${string}`
    /** Endpoint (without the prefix) that lists the scopes of the credentials: the path of the rows, and the field that names a scope. */
    readonly scopes?: { readonly call: `GET /${string}`; readonly at: string; readonly name: string }
  }
  /** What an importer guessed, and what its document did not say: paths of the kind's file. Checks list them; nothing else reads them. */
  readonly unsure?: Readonly<Record<string, 'guessed' | 'not said'>>
  readonly entities: Readonly<Record<string, EntityDefinition>>
}

/**
 * Reads one row of an answer. Pure, as all rules: no input, output, clock or randomness.
 * @returns an array of records that the row contains in another shape (a row with its documented key is used unchanged instead), or an
 *   object of documented fields derived from the row (a field that the row has itself keeps its value)
 */
export type RowRule = (row: unknown) => readonly unknown[] | Readonly<Record<string, unknown>>
/** The reason why a rule refuses parameters. */
export interface Refusal {
  readonly code: ErrorCode
  readonly param: string
  readonly message: string
  readonly hint?: string
  /** Name of the broken rule; `rule` if omitted. */
  readonly error_code?: string
  /** Position within the value of the parameter: line and column, from 1. */
  readonly at?: { readonly line: number; readonly column: number }
  /** The range is too long for one call: the largest window, for walks. */
  readonly window?: DayWindow
}
/** Result of a rule over parameters: the parameters to use instead, or a refusal. */
export type Admitted = { readonly params: Readonly<Record<string, unknown>> } | { readonly refused: Refusal }
/** Checks or changes validated parameters before anything is sent. */
export type ParameterRule = (params: Readonly<Record<string, unknown>>) => Admitted
/** The input for the claims of a signed token. */
export interface ClaimsSource {
  readonly credentials: Readonly<Record<string, string>>
  readonly configuration: Readonly<Record<string, unknown>>
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo), in base64. */
  readonly fingerprint: string
}
/** Builds the claims of a signed token. */
export type ClaimsRule = (source: ClaimsSource) => Readonly<Record<string, string>>
/** The rules of a kind by name, without the prefix `rule:`. */
export interface Rules {
  readonly rows?: Readonly<Record<string, RowRule>>
  readonly params?: Readonly<Record<string, ParameterRule>>
  readonly claims?: Readonly<Record<string, ClaimsRule>>
}

/** A kind as the engine uses it: its data, and the rules that the data names. */
export interface Kind<D extends ConnectorDefinition = ConnectorDefinition> {
  readonly definition: D
  readonly rules: Rules
}
