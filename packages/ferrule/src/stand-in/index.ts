/**
 * The entry `ferrule/stand-in`: plays the vendor of a kind from its recordings, over HTTP.
 *
 * ```ts
 * const standIn = await startStandIn(kind.definition, await loadRecordings('./acme.recordings.json'))
 * const acme = connect(kind, { credentials: { api_key: 'any' }, origin: standIn.origin })
 * ```
 */

import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConnectorDefinition, CredentialScheme } from '../definition/connector.ts'
import type { Consent } from '../definition/consent.ts'
import type { Fields } from '../definition/fields.ts'
import { fillTemplate } from '../definition/templates.ts'
import { parsePath, withAt } from '../engine/json/paths.ts'
import { RecentTimes } from '../engine/limits/windows.ts'
import { loadLineReaders } from '../kind-recordings/lines.ts'
import type { RecordedAnswer, Recordings } from '../kind-recordings/recording.ts'
import { inventValue } from '../kind-recordings/replay-connection.ts'
import { writeJson } from '../values/json/json.ts'
import { isLoopback } from '../values/texts.ts'
import { readRequest, type SentRequest } from './requests.ts'
import { type Agreed, type FieldValues, Tokens } from './token-endpoint.ts'
import { RecordedVendor, toPattern } from './vendor.ts'

export {
  checkUploadedRecordings,
  findRecordingsPath,
  listRecordedDoubts,
  loadRecordings,
  parseRecordings,
  type Recordings,
  testKind,
} from '../kind-recordings/index.ts'

// An import would load the fetch of Node too.
const { createServer } = process.getBuiltinModule('node:http')

/** A vendor that is played. */
export interface StandIn {
  /** Where it listens, as `http://host:port`. */
  readonly origin: string
  /** Stops listening, and ends all connections. */
  close(): Promise<void>
}

/** How a vendor is played. */
export interface StandInOptions {
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string
  /** Port; a free one by default. */
  readonly port?: number
  /** True: calls above the rates of the kind are refused. */
  readonly limits?: boolean
}

/** Largest body of a request, in bytes. */
const maxBody = 1024 * 1024
/** Header, or word within any value of a request, that asks for a refusal with a status. */
const demandHeader = 'x-sandbox-status'
const demandWord = /sandbox-status-([45]\d\d)/
const ownHeaders = new Set(['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive'])

/** Returns the status of the refusal that a request asks for. */
function findDemand({ url, headers, json, form }: SentRequest): number | undefined {
  const given = headers[demandHeader]
  const within = demandWord.exec(`${url.pathname} ${url.search} ${JSON.stringify(form)}`)?.[1]
  const inBody = json === undefined ? undefined : demandWord.exec(writeJson(json))?.[1]
  const status = Number(given ?? within ?? inBody)
  return status >= 400 && status <= 599 ? status : undefined
}

/** Returns whether a request carries credentials of a scheme: any value, in any header or parameter that the scheme sends. */
function hasCredentials({ send }: CredentialScheme, { headers, url }: SentRequest): boolean {
  if ('as' in send) return headers['authorization'] !== undefined
  const { headers: named = {}, query = {} } = send
  const names = [...Object.keys(named), ...Object.keys(query)]
  return (
    names.length === 0 ||
    Object.keys(named).some((name) => headers[name.toLowerCase()]) ||
    Object.keys(query).some((name) => url.searchParams.get(name))
  )
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > maxBody) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, { status, headers, body, text }: RecordedAnswer): void {
  for (const [name, value] of Object.entries(headers))
    if (!ownHeaders.has(name)) response.setHeader(name, typeof value === 'string' ? value : [...value])
  response.statusCode = status
  response.end(text ?? (body === undefined ? undefined : writeJson(body)))
}

/** Joins what a request passes before the vendor sees it. */
function createAnswerer(
  definition: ConnectorDefinition,
  recordings: Recordings,
  limits: boolean,
): (request: SentRequest) => RecordedAnswer {
  const vendor = new RecordedVendor(definition, recordings)
  const tokens = new Tokens(definition)
  const { rates = [] } = definition.limits
  const times = new RecentTimes()
  return (request) => {
    const demanded = findDemand(request)
    if (demanded !== undefined) return vendor.failures.build(demanded, 'The sandbox fails as it was asked to.')
    const agreed = answerConsent(definition, request, { tokens, recorded: recordings.configuration }) ?? tokens.answer(request)
    if (agreed !== undefined) return agreed
    if (!Object.values(definition.credentials).some((scheme) => hasCredentials(scheme, request)))
      return vendor.failures.build(401, 'The request has no credentials.')
    const now = performance.now()
    const wait = limits ? times.earliest(rates, now) - now : 0
    if (wait <= 0) {
      times.add(rates, now)
      return answerAccounts(definition, request, recordings.configuration) ?? vendor.answer(request)
    }
    const refused = vendor.failures.build(429, 'Too many requests.')
    return { ...refused, headers: { ...refused.headers, 'retry-after': String(Math.ceil(wait / 1000)) } }
  }
}

/**
 * Plays the vendor of a kind. Credentials are public: any value counts.
 * @throws the listen error of Node, for example EADDRINUSE
 */
export async function startStandIn(
  definition: ConnectorDefinition,
  recordings: Recordings,
  { host = '127.0.0.1', port = 0, limits = false }: StandInOptions = {},
): Promise<StandIn> {
  await loadLineReaders(definition)
  const answer = createAnswerer(definition, recordings, limits)
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request)
    if (text === undefined) return void response.writeHead(413, { connection: 'close' }).end()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]))
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid')
    send(response, answer(readRequest({ method: request.method ?? 'GET', url, headers, body: text })))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy()) // the client has gone, or its address cannot be read
  })
  const opened = Promise.withResolvers<void>()
  server.once('error', opened.reject).listen(port, host, opened.resolve)
  await opened.promise
  const address = server.address() as AddressInfo // a server on a port has such an address
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

const pageStyle = `
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
  // Without form-action: browsers apply it to the redirect after a form too, and that leads to the OAuth client.
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
} as const

const htmlEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => htmlEntities[sign] ?? sign)

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
<style>${pageStyle}</style>
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
  const main = `<p>An OAuth client wants to use your account${scopes.length === 0 ? '.</p>' : `, with these scopes:</p>\n<ul>${asked}</ul>`}
<p class="soft">Afterwards the browser goes to ${escapeHtml(host)}.</p>
<form method="post">
<p><button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Cancel</button></p>
</form>`
  return { status: 200, headers: pageHeaders, text: buildPage(vendor, 'Allow the OAuth client?', main) }
}

/** Builds the page of a request that nobody can agree to: the browser stays. */
function buildRefusalPage(vendor: string, problem: string): RecordedAnswer {
  const main = `<p class="problem" role="alert">${escapeHtml(problem)}</p>
<p>Go back to the page that sent you. It has to ask in another way.</p>`
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
interface WrongRequest {
  readonly error: string
  readonly error_description: string
}

/** Client secret of OAuth clients whose returns the stand-in signs: the page learns no other. */
const sandboxSecret = 'sandbox'

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

/** Finds what is wrong with a request whose OAuth client and redirect address are right. */
function findWrongRequest({ constant, scopes = [], pkce }: Consent, query: URLSearchParams): WrongRequest | undefined {
  const wrong = (error: string, error_description: string): WrongRequest => ({ error, error_description })
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

/** Reads how the OAuth client names itself; undefined if it does not. */
function readOauthClient({ send }: Consent, query: URLSearchParams): FieldValues | undefined {
  const read = Object.entries(send).flatMap(([name, field]) => {
    const value = readOnce(query, name)
    return value === undefined ? [] : [[field, value] as const]
  })
  return read.length < Object.keys(send).length ? undefined : Object.fromEntries(read)
}

/** Answers the consent page (RFC 6749, RFC 7636): GET shows it, its form is sent by POST. Undefined for any other request. */
function answerConsent(
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
  const oauthClient = readOauthClient(consent, query)
  if (oauthClient === undefined) return buildRefusalPage(title, `The address lacks ${Object.keys(consent.send).join(' or ')}.`)
  const redirectUri = readOnce(query, 'redirect_uri')
  const target = readTarget(redirectUri)
  if (redirectUri === undefined || target === undefined)
    return buildRefusalPage(title, 'The sandbox leads to addresses of this machine only, and redirect_uri is none.')
  const state = readOnce(query, 'state')
  const wrong = findWrongRequest(consent, query)
  if (wrong !== undefined) return sendBack(target, { ...wrong, state })
  const action = form.find(([name]) => name === 'action')?.[1]
  if (method === 'POST' && action === 'deny') return sendBack(target, { error: 'access_denied', state })
  if (method === 'GET' || action !== 'allow')
    return buildConsentPage(title, { scopes: splitScopes(query.getAll('scope')), host: target.host })
  const agreed: Agreed = { oauthClient, redirectUri, challenge: readOnce(query, 'code_challenge') }
  const parameters = { [consent.code[0] ?? 'code']: tokens.giveCode(agreed), state }
  return sendBack(target, completeReturn(consent, parameters, { configuration, recorded }))
}

/** Answers the list of accounts of a consent: those that the recordings are of. Undefined for any other request. */
function answerAccounts(
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
