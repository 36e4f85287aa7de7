/** Reads the words of a definition about consent: the page to open, its return, and what a connector can read. Pure. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ConnectorDefinition, Consent } from '../../definition/index.ts'
import { fail, failValidation } from '../../errors.ts'
import type { CredentialValues, Secret } from '../credentials/source.ts'
import { fillOrigin, fillTemplate, type OriginOverride, type OriginSource, readConfiguration } from '../http/origin.ts'

/** The credential scheme that a consent fills. */
export interface ConsentScheme {
  /** Name among the kind's schemes. */
  readonly name: string
  readonly title: string
  /** Credential fields of the operator's OAuth client at the vendor. A connector refers to them and does not store them. */
  readonly oauthClientFields: readonly string[]
  /** Scopes that the page asks for; empty if the OAuth client at the vendor states them. */
  readonly scopes: readonly string[]
  /** Who can consent, as a sentence. */
  readonly who: string
  /** True: the address of the page and the exchange of the code need the same verifier (PKCE). */
  readonly hasVerifier: boolean
  /** Set if the owner chooses accounts: the configuration field that takes their ids. */
  readonly accounts?: { readonly configuration: string }
}

/** Finds the scheme of a kind that has a consent page, with the page. */
export function findConsentPage({ credentials }: ConnectorDefinition): { readonly name: string; readonly consent: Consent } | undefined {
  const [found] = Object.entries(credentials).flatMap(([name, { consent }]) => (consent === undefined ? [] : [{ name, consent }]))
  return found
}

/** Finds how the owners of a kind's accounts consent. @returns undefined if the kind has no consent page */
export function findConsent(definition: ConnectorDefinition): ConsentScheme | undefined {
  const found = findConsentPage(definition)
  if (found === undefined) return undefined
  const { name, consent } = found
  return {
    name,
    title: definition.credentials[name]?.title ?? name,
    oauthClientFields: consent.oauthClient,
    scopes: consent.scopes ?? [],
    who: consent.who,
    hasVerifier: consent.pkce === true,
    ...(consent.accounts === undefined ? {} : { accounts: { configuration: consent.accounts.configuration } }),
  }
}

/** What the address of a consent page is made of. */
export interface ConsentUrlOptions {
  readonly definition: ConnectorDefinition
  /** Values of `oauthClientFields`. Only the fields that the page takes become part of the address, never a secret. */
  readonly oauthClient: Secret<CredentialValues>
  /** Where the vendor sends the browser back to, exactly as registered at the vendor. */
  readonly redirectUrl: string
  readonly state: string
  /** For kinds with `hasVerifier`: 43 to 128 letters, digits, `-` and `_`. Keep it for the exchange; the address holds its digest only. */
  readonly verifier?: Secret<string>
  /** Scopes instead of the definition's, for an OAuth client that has fewer. */
  readonly scopes?: readonly string[]
  /** Values of the configuration, for pages on the customer's own host and scopes that name one. */
  readonly configuration?: Readonly<Record<string, unknown>>
  /** Origins that replace the vendor's. The page is opened on `consent`, else on `oauth`. */
  readonly origins?: OriginOverride | undefined
}

/** Encodes a query as RFC 3986 does: Gong writes a space between scopes as %20. */
const encodeQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')

/** Builds the challenge of a verifier (RFC 7636 section 4.3). @throws FerruleError `validation_failed` without one */
function buildChallenge(verifier: Secret<string> | undefined): Readonly<Record<string, string>> {
  const text = verifier?.reveal() ?? ''
  if (!/^[\w.~-]{43,128}$/.test(text))
    throw failValidation([{ field: '/verifier', message: 'must have 43 to 128 letters, digits, - and _', error_code: 'required' }])
  return { code_challenge: createHash('sha256').update(text).digest('base64url'), code_challenge_method: 'S256' }
}

/** Fills the slots of a scope. A space would begin another scope, so values are encoded. @throws FerruleError `validation_failed` */
const fillScope = (source: OriginSource, scope: string): string =>
  scope.replace(/\{(\w+)\}/g, (_slot, name: string) => {
    const value = readConfiguration(source, name)
    if (value !== '') return encodeURIComponent(value)
    throw failValidation([{ field: `/configuration/${name}`, message: 'is required for the consent', error_code: 'required' }])
  })

/**
 * Builds the address of the consent page for one attempt.
 * @throws FerruleError `validation_failed` if the kind has no consent page, or a field of the OAuth client or the verifier is missing
 */
export function buildConsentUrl({
  definition,
  oauthClient,
  redirectUrl,
  state,
  verifier,
  scopes,
  origins,
  configuration = {},
}: ConsentUrlOptions): string {
  const consent = findConsentPage(definition)?.consent
  if (consent === undefined) throw failNoConsent(definition)
  const values = oauthClient.reveal()
  const missing = Object.values(consent.send).filter((field) => !values[field])
  if (missing.length > 0)
    throw failValidation(missing.map((field) => ({ field: `/oauthClient/${field}`, message: 'is required', error_code: 'required' })))
  const source = { kind: { definition }, configuration }
  const asked = (scopes ?? consent.scopes ?? []).map((scope) => fillScope(source, scope))
  const query = encodeQuery({
    ...Object.fromEntries(Object.entries(consent.send).map(([name, field]) => [name, values[field] ?? ''])),
    ...consent.constant,
    ...(asked.length === 0 ? {} : { scope: asked.join(consent.separator ?? ' ') }),
    redirect_uri: redirectUrl,
    state,
    ...(consent.pkce === undefined ? {} : buildChallenge(verifier)),
  })
  const own = fillOrigin(source, definition.origins.oauth ?? '')
  const origin = origins?.consent ?? origins?.oauth ?? origins?.api ?? own
  return `${origin.replace(/\/+$/, '')}${fillTemplate(source, consent.page.slice('GET '.length))}?${query}`
}

/** Makes the error of a kind without a consent page. */
export const failNoConsent = ({ title }: ConnectorDefinition) =>
  failValidation([{ field: '/kind', message: `${title} has no consent page: give credentials instead`, error_code: 'consent' }])

/** What a vendor sent the browser back with: a code, the vendor's word for a refusal, or nothing. */
export type ConsentReturn = { readonly state?: string } & (
  | { readonly code: string }
  | { readonly refused: string }
  | { readonly empty: true }
)

/** Reads a parameter that appears exactly once; RFC 6749 section 3.1 forbids repeated ones, which an attacker could add. */
const readOnce = (query: URLSearchParams, name: string): string | undefined => {
  const [value, ...more] = query.getAll(name)
  return value === undefined || value === '' || more.length > 0 ? undefined : value
}

/**
 * Reads the return of a consent page. A return with an error has no code, whatever else it carries.
 * @param query the query of the address that the browser came back to
 */
export function readConsentReturn(definition: ConnectorDefinition, query: URLSearchParams): ConsentReturn {
  const state = readOnce(query, 'state')
  const kept = state === undefined ? {} : { state }
  // Only the characters of RFC 6749 section 4.1.2.1 that error codes use: pages and logs show the word.
  if (query.has('error')) return { ...kept, refused: /^[\w.-]{1,100}$/.exec(query.get('error') ?? '')?.[0] ?? 'unknown' }
  const names = findConsentPage(definition)?.consent.code ?? []
  const code = names.map((name) => readOnce(query, name)).find((value) => value !== undefined)
  return code === undefined ? { ...kept, empty: true } : { ...kept, code }
}

const signReturn = (query: URLSearchParams, param: string, key: string): Buffer => {
  const others = [...query].filter(([name]) => name !== param).toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  return createHmac('sha256', key).update(new URLSearchParams(others).toString()).digest()
}

function isSigned(query: URLSearchParams, { param, key }: NonNullable<Consent['signature']>, oauthClient: CredentialValues): boolean {
  const given = Buffer.from(/^[0-9a-f]{64}$/i.exec(readOnce(query, param) ?? '')?.[0] ?? '', 'hex')
  const own = signReturn(query, param, oauthClient[key] ?? '')
  return Boolean(oauthClient[key]) && given.length === own.length && timingSafeEqual(given, own)
}

/**
 * Checks what a vendor sends with a code beside the state: its signature, and what the page was opened for. Without either word in the
 * definition there is nothing to check.
 * @param query the whole return; a kind with one of the words refuses a return that is missing
 * @throws FerruleError `connect_return_refused`
 */
export function checkConsentReturn(
  source: OriginSource,
  {
    oauthClient,
    query = new URLSearchParams(),
  }: { readonly oauthClient: Secret<CredentialValues>; readonly query?: URLSearchParams | undefined },
): void {
  const { title } = source.kind.definition
  const { signature, returns = {} } = findConsentPage(source.kind.definition)?.consent ?? {}
  if (signature !== undefined && !isSigned(query, signature, oauthClient.reveal()))
    throw fail(
      'connect_return_refused',
      { reason: `it is not signed by ${title} for the OAuth client that is stored here` },
      { hint: `Start the authorization again. If this repeats, store the ${signature.key} that ${title} shows for the OAuth client now.` },
    )
  for (const [param, template] of Object.entries(returns)) {
    const expected = fillTemplate(source, template)
    if (readOnce(query, param) === expected) continue
    throw fail(
      'connect_return_refused',
      { reason: `${title} answered for another ${param} than ${expected}` },
      { hint: `Start the authorization again, and agree at ${title} for ${expected}; or enter the ${param} that you mean.` },
    )
  }
}

/** An entity that a connector can read. */
export interface ReadableEntity {
  readonly entity: string
  readonly about: string
  /** true: records can be created, updated or deleted too. */
  readonly isChangeable: boolean
}

/** Describes what a connector of a kind can read, in the order of the documents. */
export const describeReadable = ({ entities }: ConnectorDefinition): readonly ReadableEntity[] =>
  Object.entries(entities).flatMap(([entity, { about, list, get, download, ...writes }]) => {
    const isChangeable = (writes.create ?? writes.update ?? writes.delete) !== undefined
    return (list ?? get ?? download) === undefined ? [] : [{ entity, about, isChangeable }]
  })
