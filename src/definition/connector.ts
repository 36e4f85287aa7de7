/** What one kind of external system says about itself. */
import type { ErrorCode } from '../errors.ts'
import type { CheckConnector } from './check-types.ts'
import type { EntityDefinition } from './entity.ts'
import type { Fields } from './fields.ts'
import type { PageDefinition, PageShape } from './page.ts'

/** An origin that a configuration field chooses: its values, each with its origin. The field must have a default. */
export interface ChosenOrigin {
  readonly by: string
  readonly origins: Readonly<Record<string, string>>
}

/** Base addresses of a kind, by name. `api` answers the operations. Origins only: scheme, host and port. */
export interface Origins {
  /** `{name}` is filled with a configuration value, which must have an anchored pattern. Or one of some, by a configuration value. */
  readonly api: string | ChosenOrigin
  readonly oauth?: string
}

/** A token that is made of a private key, anew before it ends (RFC 7519, RS256). Values name credential fields. */
export interface SignedToken {
  readonly as: 'signed'
  /** PKCS #8, PEM. */
  readonly key: string
  readonly passphrase: string
  /** The rule that makes the claims beside `iat` and `exp`. */
  readonly claims: `rule:${string}`
  /** Life of a token, in seconds. */
  readonly seconds: number
}

/** How credentials travel on every API request. Values name credential fields. */
export type SendCredentials =
  | SignedToken
  | { readonly as: 'basic'; readonly user: string; readonly password: string }
  | { readonly as: 'bearer'; readonly token: string }
  | { readonly as: 'header'; readonly name: string; readonly value: string }

/** How an access token is got or renewed (RFC 6749 sections 4.1.3 and 6). Without the fields of `send` it is not tried. */
export interface Refresh {
  /** Endpoint on the origin `oauth`. */
  readonly call: `POST /${string}`
  /** Credential fields that authenticate the client, by HTTP Basic; left out where they are among `send`. */
  readonly client?: { readonly user: string; readonly password: string }
  /** Where the grant travels. */
  readonly place: 'query' | 'form' | 'json'
  /** Name on the wire → credential field. */
  readonly send: Readonly<Record<string, string>>
  /** Name on the wire → fixed value. */
  readonly constant: Readonly<Record<string, string>>
  /** Credential field → path in the answer. Fields that are missing there keep their value; a list becomes texts with commas. */
  readonly read: Readonly<Record<string, string>>
  /** Credential fields that are good for one exchange and forgotten after it. */
  readonly spent?: readonly string[]
  /** The token's life: name in the answer (seconds) and the credential field that keeps the moment of its end (ISO 8601). Left out: it has no end. */
  readonly expires?: { readonly seconds: string; readonly field: string }
}

/** One way to authenticate. The scheme is recognised by the fields that are given. */
export interface CredentialScheme {
  readonly title: string
  readonly fields: Fields
  readonly send: SendCredentials
  /** Headers that go with it. */
  readonly headers?: Readonly<Record<string, string>>
  readonly refresh?: Refresh
}

/** One row of a kind's error table; the first row whose conditions all hold decides. */
export interface ErrorRule {
  readonly status?: number
  /** Lowest and highest status, both included. */
  readonly statuses?: readonly [number, number]
  /** Actions that the row is for. */
  readonly actions?: readonly string[]
  /** The request carried this parameter (top-level name). */
  readonly sent?: string
  /** Regular expression, without flags but `i`, that one of the texts of the vendor's message must match. */
  readonly matches?: string
  /** The vendor's own codes (`problem.code`): `40001`, or a range `40900-40999`. */
  readonly codes?: readonly string[]
  /** The error, or `empty`: a list without records. */
  readonly is: ErrorCode | 'empty'
  /**
   * To a `get` by its key alone the answer says that this very record does not exist: its copy is removed, with all that hangs on it. Only
   * the vendor's own words can say so (`matches` or `codes`), not a status that a missing account, or something on the way, gives too.
   */
  readonly gone?: true
  readonly hint?: string
  /** Whether the same request can succeed later, where it differs from the error's own row. */
  readonly retryable?: boolean
  /** How long to wait where the vendor does not tell, in seconds: first so long, then twice as long each time that it says so again. */
  readonly wait?: { readonly first: number; readonly longest: number }
}

/** So many calls within any so many seconds. */
export interface Rate {
  readonly calls: number
  readonly seconds: number
}

/** How many calls the vendor takes. All connectors with the same key share one budget. */
export interface Limits {
  /** What shares a budget: the first of these credential or configuration fields that is given. */
  readonly key: readonly string[]
  /** At most so many calls within any so many seconds. */
  readonly rates?: readonly Rate[]
  /** Other rates with a value of a configuration field. */
  readonly other?: { readonly configuration: string; readonly is: string; readonly rates: readonly Rate[] }
  /**
   * A leaky bucket: it holds `size` calls and `perSecond` of them leak away. A response header tells `used/size`; a larger
   * bucket leaks faster in proportion.
   */
  readonly bucket?: { readonly header: string; readonly size: number; readonly perSecond: number }
}

/** A way to fetch some records by their ids, for joins. */
export interface Lookup {
  readonly entity: string
  readonly action: 'list'
  /** Path of the parameter that takes the ids. */
  readonly ids: string
  /** How many ids a call takes. */
  readonly batch: number
  /** Path of the id in the raw row. */
  readonly key: string
}

/** Rows that the vendor asks integrations not to show. */
export interface Hidden {
  /** Configuration field and the value with which they are shown. */
  readonly unless: { readonly field: string; readonly is: string }
  /** Meta field that counts them in a list. */
  readonly count: string
  /** Error of a get or download of such a row. */
  readonly error: ErrorCode
  /** Path of the flag in a record that was looked up by a join. */
  readonly flag: string
  /**
   * Records can be hidden long after they were copied, without a trace: those of this entity and of all that are `of` it are looked up
   * again, each within so many seconds, and leave the copy when they are hidden by then or not known any more.
   */
  readonly recheck?: { readonly entity: string; readonly lookup: string; readonly seconds: number }
}

/** A kind of external system. */
export interface ConnectorDefinition {
  /** Slug: `gong`. */
  readonly kind: string
  readonly title: string
  /** What sort of system it is: `conversation intelligence`. */
  readonly category: string
  readonly about: string
  /** Stable id of the definition (UUID) that existing clients send. */
  readonly id: string
  readonly documentation: string
  readonly origins: Origins
  /** Path before every endpoint; `{name}` as in the origins. */
  readonly prefix?: string
  /** The version of the vendor's API: what asks for it, what tells which one answered, and until when the default is supported. */
  readonly version?: {
    readonly configuration: string
    readonly header: string
    readonly deprecation: string
    readonly supportedUntil: string
  }
  /** A base of the customer's own: the credential or configuration field that holds it, first one given wins, and what it must match. */
  readonly base?: { readonly fields: readonly string[]; readonly matches: string }
  readonly credentials: Readonly<Record<string, CredentialScheme>>
  readonly configuration: Fields
  /** Values that fill parameters, by the names that fields use: a configuration field (one value or several), else a credential field (texts with commas). */
  readonly known?: Readonly<Record<string, { readonly configuration: string; readonly credential?: string }>>
  readonly pages: Readonly<Partial<Record<Exclude<PageShape, 'none'>, PageDefinition>>>
  /** Paths in an error body, the first that holds something counts; `header:<name>` for a response header. A message that is an object or array becomes one text. */
  readonly problem: {
    readonly message: readonly string[]
    readonly requestId?: string
    /** Path of the vendor's own code. */
    readonly code?: string
    /** Codes of a success: an answer with another one is an error whatever its status, and one without is no answer. */
    readonly success?: readonly string[]
    /** Codes of a success that is not whole: its message is told in the meta, as a warning. */
    readonly partial?: readonly string[]
    /** Response headers that are told in the meta, as warnings. */
    readonly warnings?: readonly string[]
  }
  readonly errors: readonly ErrorRule[]
  readonly limits: Limits
  readonly lookups?: Readonly<Record<string, Lookup>>
  readonly hidden?: Hidden
  /** The vendor can take this long until an answer begins, and its answers can be this large; the engine's own bounds when left out. */
  readonly patience?: { readonly seconds: number; readonly bytes: number }
  /** The operation that proves the credentials. */
  readonly check: {
    readonly entity: string
    readonly action: string
    readonly params: Readonly<Record<string, unknown>>
    /** Endpoint that proves credentials alone, asked where a parameter of the operation cannot be filled. */
    readonly probe?: `GET /${string}`
    /** Endpoint, without the prefix, that lists the scopes of the credentials: the rows and the field that names a scope. */
    readonly scopes?: { readonly call: `GET /${string}`; readonly at: string; readonly name: string }
  }
  readonly entities: Readonly<Record<string, EntityDefinition>>
}

/**
 * Reads one row of an answer. Pure: no input, output, clock or randomness, as all rules.
 * An array: the records that the row holds in another shape; a row that has its documented key already is taken as it is instead.
 * An object: documented fields that the other fields of the row tell; a field that the row has itself is not replaced.
 */
export type RowRule = (row: unknown) => readonly unknown[] | Readonly<Record<string, unknown>>
/** Why a rule refuses parameters. */
export interface Refusal {
  readonly code: ErrorCode
  readonly param: string
  readonly message: string
  readonly hint?: string
  /** Name of what was broken; `rule` when it is left out. */
  readonly error_code?: string
  /** Where in the text of the parameter it was found: line and column, from 1. */
  readonly at?: { readonly line: number; readonly column: number }
}
/** What a rule says of parameters: what goes on in their place, or a refusal. */
export type Admitted = { readonly params: Readonly<Record<string, unknown>> } | { readonly refused: Refusal }
/** Reads validated parameters before anything is sent. */
export type ParameterRule = (params: Readonly<Record<string, unknown>>) => Admitted
/** What the claims of a signed token are made of. */
export interface ClaimsSource {
  readonly credentials: Readonly<Record<string, string>>
  readonly configuration: Readonly<Record<string, unknown>>
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo), in base64. */
  readonly fingerprint: string
}
/** Makes the claims of a signed token. */
export type ClaimsRule = (source: ClaimsSource) => Readonly<Record<string, string>>
/** The rules of a kind by name, without `rule:`; `rows` names the first, `admit` the second. */
export interface Rules {
  readonly rows?: Readonly<Record<string, RowRule>>
  readonly params?: Readonly<Record<string, ParameterRule>>
  readonly claims?: Readonly<Record<string, ClaimsRule>>
}

/** A kind as the engine takes it: its data, and the few named functions that the data mentions. */
export interface Kind<D extends ConnectorDefinition = ConnectorDefinition> {
  readonly definition: D
  readonly rules: Rules
}

const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) freeze(Reflect.get(value, key))
  return value
}

/** Declares a kind; the data is deep-frozen. An unknown part is a compile error with a sentence. */
export const connector = <const D extends ConnectorDefinition>(definition: D & CheckConnector<D>, rules: Rules = {}): Kind<D> =>
  freeze({ definition, rules })
