/** The consent page of a stand-in and the accounts behind a consent, from the definition alone (RFC 6749, RFC 7636). */
import { createHash, createHmac } from 'node:crypto'
import type { ConnectorDefinition } from '../definition/connector.ts'
import type { Consent } from '../definition/consent.ts'
import type { Fields } from '../definition/fields.ts'
import { fillTemplate } from '../definition/templates.ts'
import { parsePath, withAt } from '../engine/json/paths.ts'
import { inventValue } from '../kind-recordings/connection.ts'
import type { RecordedAnswer, Recordings } from '../kind-recordings/recording.ts'
import { isLoopback } from '../values/texts.ts'
import type { SentRequest } from './requests.ts'
import type { Agreed, FieldValues, Tokens } from './tokens.ts'
import { toPattern } from './vendor.ts'

const style = `
:root { color-scheme: light dark; --page: #f3f4f6; --card: #fff; --ink: #1c2230; --soft: #556; --line: #cfd3dc; --accent: #5a2ca0; --on: #fff; --bad: #8c1d18; --bad-page: #fdecea; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161b; --card: #1e2129; --ink: #eceef3; --soft: #b3b8c5; --line: #444a58; --accent: #c6a6ff; --on: #17121f; --bad: #ffb4ab; --bad-page: #43201d; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { padding: .5rem 1rem; background: #ffd84d; color: #2b2300; text-align: center; font-size: .9rem; }
main { max-width: 30rem; margin: 2.5rem auto; padding: 1.75rem 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.vendor { margin: 0 0 1rem; color: var(--accent); font-weight: 700; }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.25; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
ul { margin: .5rem 0; padding-left: 1.2rem; }
button { margin: 1rem .6rem 0 0; padding: .55rem 1.3rem; font: inherit; color: inherit; background: transparent; border: 1px solid #868d9c; border-radius: 7px; cursor: pointer; }
button.main { color: var(--on); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid #2f7de1; outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
.problem { padding: .6rem .8rem; border-radius: 7px; color: var(--bad); background: var(--bad-page); }
@media (max-width: 34rem) { main { margin: 0; padding: 1.25rem; border-width: 0 0 1px; border-radius: 0; } }
`

/** Headers of pages and redirects: both can carry secrets in their address. */
const privateHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const

const pageHeaders = {
  ...privateHeaders,
  'content-type': 'text/html; charset=utf-8',
  // Without form-action: browsers apply it to the redirect after a form too, and that leads to the application.
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
} as const

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text for HTML. */
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Builds a page. @param main HTML */
function buildPage(given: string, title: string, main: string): string {
  const vendor = escapeHtml(given)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – ${vendor} (sandbox)</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>Sandbox: this page plays ${vendor}. Its data are recorded, and nobody has to sign in.</header>
<main>
<p class="vendor">${vendor}</p>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`
}

/** Builds the page where the owner of an account agrees or not; its form goes to its own address. */
function buildConsentPage(vendor: string, { scopes, host }: { readonly scopes: readonly string[]; readonly host: string }): RecordedAnswer {
  const asked = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join('\n')
  const main = `<p>The application wants to use your account${scopes.length === 0 ? '.</p>' : `, with these scopes:</p>\n<ul>${asked}</ul>`}
<p class="soft">Afterwards the browser goes to ${escapeHtml(host)}.</p>
<form method="post">
<p><button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Cancel</button></p>
</form>`
  return { status: 200, headers: pageHeaders, text: buildPage(vendor, 'Allow the application?', main) }
}

/** Builds the page of a request that nobody can agree to: the browser stays. */
function buildRefusalPage(vendor: string, problem: string): RecordedAnswer {
  const main = `<p class="problem" role="alert">${escapeHtml(problem)}</p>
<p>Go back to the application. It has to ask in another way.</p>`
  return { status: 400, headers: pageHeaders, text: buildPage(vendor, 'This request cannot be authorized', main) }
}

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
