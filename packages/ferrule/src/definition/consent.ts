/** The words for OAuth: the exchange of grants for tokens, the owner's consent, and which account the credentials reach. */
import type { LiveAction } from './entity.ts'

/** How the engine signs a token with a private key (RFC 7519, RS256). */
export interface Signing {
  /** Credential field with the key: RSA, PKCS #8, PEM. */
  readonly key: string
  /** Credential field with the passphrase of the key. */
  readonly passphrase?: string
  /** The claims beside `iat` and `exp`: a rule, or texts in which `{field}` is a credential. A text whose slots are all empty is omitted. */
  readonly claims: `rule:${string}` | Readonly<Record<string, string>>
  /** Lifetime of the token, in seconds. */
  readonly seconds: number
}

/** What one kind of grant puts into the request of an exchange. */
export interface Grant {
  /** Parameter of the request → credential field. */
  readonly send: Readonly<Record<string, string>>
  /** Parameter of the request → fixed value. */
  readonly constant: Readonly<Record<string, string>>
  /** A token that the engine signs for one exchange, and the parameter that carries it (RFC 7523). */
  readonly signed?: Signing & { readonly param: string }
}

/** The code of a consent as a grant (RFC 6749 section 4.1.3). */
export interface CodeGrant extends Grant {
  /** Parameter that carries the code. */
  readonly code: string
  /** Parameter that carries the redirect URI. Omitted if the vendor takes none. */
  readonly redirectUri?: string
  /** Credential field in which callers can give a code themselves. The exchange spends the code, so the field is deleted after it. */
  readonly field?: string
}

/**
 * How the engine exchanges grants for an access token (RFC 6749 sections 4.1.3 and 6), or signs in for one. It needs a value for every field of
 * `send` and `headers`.
 */
export interface Exchange {
  /** Endpoint on the origin of tokens; on that of the API if the kind has no such origin. A configuration value replaces `{name}`. */
  readonly call: `${'GET' | 'POST'} /${string}`
  /** Headers of the request. A credential field replaces `{field}`; what stands behind `Basic ` is encoded as RFC 7617 says. */
  readonly headers?: Readonly<Record<string, string>>
  /** How the request carries the grant. Names of parameters in JSON are paths. */
  readonly as: 'query' | 'form' | 'json'
  /** Credential field → path in the answer. A field that the answer lacks keeps its value; a list is joined with commas. */
  readonly read: Readonly<Record<string, string>>
  /**
   * Lifetime of the token in seconds, or the path in the answer that holds it, and the credential field that stores the expiry (ISO 8601).
   * Omitted if the token does not expire, or nothing says when.
   */
  readonly expires?: { readonly seconds: string | number; readonly field: string }
  /** Words of a page that refuses a grant, for vendors that answer so instead of JSON. Other pages say nothing of the grant. */
  readonly refusal?: string
  /** What renews the token: a refresh token, the OAuth client or the user itself, or a signed token. Omitted if the vendor has none. */
  readonly refresh?: Grant
  /** The code of the consent page as a grant. */
  readonly code?: CodeGrant
}

/** An endpoint (on the origin `api`, without the prefix) that lists the accounts of a consent. */
export interface ConsentAccounts {
  readonly call: `GET /${string}`
  /** Parameter of the query → credential field. */
  readonly send: Readonly<Record<string, string>>
  /** Path of the rows. */
  readonly at: string
  /** Fields of a row. */
  readonly id: string
  readonly name: string
  /** Configuration field that takes the ids of the chosen accounts. */
  readonly configuration: string
}

/** An endpoint (on the origin `api`, without the prefix) that ends the access token of a consent. */
export interface ConsentRevocation {
  readonly call: `POST /${string}`
  /** Field of the body → credential field. */
  readonly send: Readonly<Record<string, string>>
  /** The body is a form (RFC 7009); JSON if omitted. */
  readonly as?: 'form'
  /** The vendor's own codes (`problem.code`) for a token that ended before. */
  readonly ended: readonly string[]
}

/** How the vendor signs the parameters of a return: HMAC-SHA256 in hex over all others, sorted by name and encoded as a form. */
export interface ReturnSignature {
  /** Parameter that carries the signature. */
  readonly param: string
  /** Credential field of the OAuth client with the key. */
  readonly key: string
}

/** The vendor's consent page (RFC 6749 section 4.1.1), which the owner of an account opens in a browser. */
export interface Consent {
  /** Page on the origin `oauth`. */
  readonly page: `GET /${string}`
  /** Parameter of the page → credential field. */
  readonly send: Readonly<Record<string, string>>
  /** Parameter of the page → fixed value. */
  readonly constant: Readonly<Record<string, string>>
  /**
   * Scopes that the page asks for. A configuration value replaces `{name}`, percent-encoded, so that it stays within its scope. Omitted if
   * the OAuth client at the vendor states them.
   */
  readonly scopes?: readonly string[]
  /** What stands between two scopes; a space if omitted. */
  readonly separator?: string
  /** The page takes the digest of a secret, and the exchange of the code takes the secret itself (PKCE, RFC 7636, S256). */
  readonly pkce?: true
  /** Credential fields that belong to the operator's OAuth client at the vendor, not to the consenting account. */
  readonly oauthClient: readonly string[]
  /** Who can consent, as a sentence. */
  readonly who: string
  /** Parameters of the return that can carry the code. The first with a value counts. */
  readonly code: readonly string[]
  /** Omitted if the vendor does not sign the return. */
  readonly signature?: ReturnSignature
  /** Parameter of the return → the value that it must have; a configuration value replaces `{name}`. */
  readonly returns?: Readonly<Record<string, string>>
  /** The accounts that the owner chooses from. Omitted if a consent is for one account. */
  readonly accounts?: ConsentAccounts
  /** Omitted if the vendor has no such endpoint. */
  readonly revoke?: ConsentRevocation
}

/**
 * The operation whose answer identifies the account behind the credentials. The customer's base address, if the exchange reads one,
 * belongs to the identity too.
 */
export interface AccountProof {
  readonly entity: string
  readonly action: LiveAction
  readonly params: Readonly<Record<string, unknown>>
  /** Path of the id in a record. */
  readonly id: string
  /** Name among the kind's `known`: only the ids that the connector knows under the name count, if it knows some. */
  readonly among?: string
}
