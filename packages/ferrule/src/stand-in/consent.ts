/** The consent page of a stand-in and the accounts behind a consent, from the definition alone (RFC 6749, RFC 7636). */
import { createHmac } from 'node:crypto'
import type { ConnectorDefinition } from '../definition/connector.ts'
import type { Consent } from '../definition/consent.ts'
import type { Fields } from '../definition/fields.ts'
import { fillTemplate } from '../definition/templates.ts'
import { parsePath, withAt } from '../engine/json/paths.ts'
import { inventValue } from '../kind-recordings/connection.ts'
import type { RecordedAnswer, Recordings } from '../kind-recordings/recording.ts'
import { isLoopback } from '../values/texts.ts'
import { buildConsentPage, buildRefusalPage, privateHeaders } from './page.ts'
import type { SentRequest } from './requests.ts'
import type { Agreed, FieldValues, Tokens } from './tokens.ts'
import { toPattern } from './vendor.ts'

/** Reads a parameter that comes exactly once (RFC 6749 section 3.1). */
function readOnce(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  return value === '' || more.length > 0 ? undefined : value
}

/** Reads where the browser goes afterwards; undefined for an address that is not this machine's, so that nobody else gets codes. */
function readTarget(address: string | undefined): URL | undefined {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  return url !== undefined && isWeb && isLoopback(url.hostname) && url.hash === '' ? url : undefined
}

/** Why the browser goes back without a question. */
interface Wrong {
  readonly error: string
  readonly error_description: string
}

/** Client secret of applications whose returns the stand-in signs: the page learns no other. */
export const sandboxSecret = 'sandbox'

/** Adds what the vendor returns beside the code: values of the configuration that the recordings are of, and the signature. */
function completeReturn(
  { signature, returns = {} }: Consent,
  parameters: Readonly<Record<string, string | undefined>>,
  { configuration, recorded }: { readonly configuration: Fields; readonly recorded: Recordings['configuration'] },
): Readonly<Record<string, string | undefined>> {
  const read = (name: string): string => String(recorded[name] ?? inventValue(configuration[name] ?? {}) ?? '')
  const filled = Object.entries(returns).map(([name, template]) => [name, fillTemplate(template, read) ?? ''] as const)
  const all = { ...Object.fromEntries(filled), ...parameters }
  if (signature === undefined) return all
  const given = Object.entries(all).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
  const signed = new URLSearchParams(given)
  signed.sort()
  return { ...all, [signature.param]: createHmac('sha256', sandboxSecret).update(signed.toString()).digest('hex') }
}

const splitScopes = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.split(/[\s,]+/)).filter((each) => each !== '')

/** Finds what is wrong with a request whose application and redirect address are right. */
function findWrong({ constant, scopes = [], pkce }: Consent, query: URLSearchParams): Wrong | undefined {
  const wrong = (error: string, error_description: string): Wrong => ({ error, error_description })
  if (readOnce(query, 'state') === undefined) return wrong('invalid_request', 'state is missing')
  for (const [name, value] of Object.entries(constant))
    if (readOnce(query, name) !== value)
      return wrong(name === 'response_type' ? 'unsupported_response_type' : 'invalid_request', `${name} is not ${value}`)
  const known = splitScopes(scopes).map(toPattern)
  const asked = splitScopes(query.getAll('scope'))
  if (known.length > 0 && (asked.length === 0 || !asked.every((scope) => known.some((pattern) => pattern.test(scope)))))
    return wrong('invalid_scope', `scope is not made of ${scopes.join(' ')}`)
  const challenge = readOnce(query, 'code_challenge')
  if (challenge === undefined && pkce === undefined) return undefined
  return /^[\w-]{43}$/.test(challenge ?? '') && readOnce(query, 'code_challenge_method') === 'S256'
    ? undefined
    : wrong('invalid_request', 'code_challenge is not a digest with the method S256')
}

function sendBack(target: URL, parameters: Readonly<Record<string, string | undefined>>): RecordedAnswer {
  const url = new URL(target)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return { status: 302, headers: { ...privateHeaders, location: url.href } }
}

/** Reads how the application names itself; undefined if it does not. */
function readApplication({ send }: Consent, query: URLSearchParams): FieldValues | undefined {
  const read = Object.entries(send).flatMap(([name, field]) => {
    const value = readOnce(query, name)
    return value === undefined ? [] : [[field, value] as const]
  })
  return read.length < Object.keys(send).length ? undefined : Object.fromEntries(read)
}

/** Answers the consent page: GET shows it, its form is sent by POST. Undefined for any other request. */
export function answerConsent(
  { credentials, title, configuration }: ConnectorDefinition,
  request: SentRequest,
  { tokens, recorded }: { readonly tokens: Tokens; readonly recorded: Recordings['configuration'] },
): RecordedAnswer | undefined {
  const { method, url, form } = request
  const consent = Object.values(credentials).find(
    (scheme) => scheme.consent !== undefined && toPattern(scheme.consent.page).test(`GET ${url.pathname}`),
  )?.consent
  if (consent === undefined || (method !== 'GET' && method !== 'POST')) return undefined
  const query = url.searchParams
  const application = readApplication(consent, query)
  if (application === undefined) return buildRefusalPage(title, `The address lacks ${Object.keys(consent.send).join(' or ')}.`)
  const redirectUri = readOnce(query, 'redirect_uri')
  const target = readTarget(redirectUri)
  if (redirectUri === undefined || target === undefined)
    return buildRefusalPage(title, 'The sandbox leads to addresses of this machine only, and redirect_uri is none.')
  const state = readOnce(query, 'state')
  const wrong = findWrong(consent, query)
  if (wrong !== undefined) return sendBack(target, { ...wrong, state })
  const action = form.find(([name]) => name === 'action')?.[1]
  if (method === 'POST' && action === 'deny') return sendBack(target, { error: 'access_denied', state })
  if (method === 'GET' || action !== 'allow')
    return buildConsentPage(title, { scopes: splitScopes(query.getAll('scope')), host: target.host })
  const agreed: Agreed = { application, redirectUri, challenge: readOnce(query, 'code_challenge') }
  const parameters = { [consent.code[0] ?? 'code']: tokens.giveCode(agreed), state }
  return sendBack(target, completeReturn(consent, parameters, { configuration, recorded }))
}

/** Answers the list of accounts of a consent: those that the recordings are of. Undefined for any other request. */
export function answerAccounts(
  { credentials, configuration, title }: ConnectorDefinition,
  { method, url }: SentRequest,
  recorded: Recordings['configuration'],
): RecordedAnswer | undefined {
  const line = `${method} ${url.pathname}`
  const accounts = Object.values(credentials).find(({ consent }) => consent?.accounts?.call === line)?.consent?.accounts
  if (accounts === undefined) return undefined
  const { [accounts.configuration]: ids, ...others } = recorded
  const field = configuration[accounts.configuration]
  const known = [ids ?? (field === undefined ? undefined : inventValue(field)) ?? 'sandbox'].flat()
  const name = Object.values(others).map(String).join(' ') || `${title} sandbox`
  const rows = known.map((id) => withAt(withAt(undefined, parsePath(accounts.name), name), parsePath(accounts.id), id))
  return { status: 200, headers: { 'content-type': 'application/json' }, body: withAt(undefined, parsePath(accounts.at), rows) }
}
