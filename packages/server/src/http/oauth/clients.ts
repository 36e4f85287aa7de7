/** What a client may say about itself, when it registers or by its metadata document. */
import { isLoopback } from 'ferrule/internal'
import type { errors as OAuthErrors } from 'oidc-provider'

/** Largest number of redirect URIs, and length of one. */
const mostRedirects = 20
const longestRedirect = 1_024
/** Longest client id: a URL of a metadata document. */
const longestClientId = 1_024
const longestName = 100

/** Members that are kept. Everything else is left out: keys that nobody uses, and addresses that the service would fetch. */
const keptMembers: ReadonlySet<string> = new Set([
  ...(['client_id', 'client_id_issued_at', 'client_name', 'software_id', 'redirect_uris'] as const),
  ...(['grant_types', 'response_types', 'token_endpoint_auth_method', 'token_endpoint_auth_methods_supported'] as const),
])
const knownGrants = ['authorization_code', 'refresh_token']

/** Schemes that browsers answer themselves. Any other one belongs to an application of the machine (RFC 8252 section 7.1). */
const browserSchemes: ReadonlySet<string> = new Set([
  ...(['http:', 'javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:', 'filesystem:', 'view-source:', 'jar:'] as const),
  ...(['ftp:', 'ws:', 'wss:', 'chrome:', 'chrome-extension:', 'moz-extension:', 'resource:', 'intent:'] as const),
])

const isPrivateScheme = ({ protocol, href }: URL): boolean =>
  protocol !== 'https:' && !browserSchemes.has(protocol) && href.startsWith(`${protocol}/`)

/** Returns what is wrong with a redirect URI; undefined: nothing. */
function findRedirectProblem(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return 'must be absolute URLs'
  if (uri.length > longestRedirect) return `must have ${longestRedirect} characters at most`
  const url = new URL(uri)
  if (uri.includes('#') || url.username !== '' || url.password !== '') return 'must have no fragment and no user'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)) || isPrivateScheme(url)) return undefined
  return 'must be https, http on localhost, 127.0.0.1 or [::1], or a scheme of an application such as cursor://'
}

/** Metadata as the library hands it over. */
export type ClientMetadata = Record<string, unknown>

function findProblem({ redirect_uris: uris, client_id: id }: ClientMetadata): string | undefined {
  if (typeof id === 'string' && id.length > longestClientId) return `client_id must have ${longestClientId} characters at most`
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostRedirects)
    return `redirect_uris must have 1 to ${mostRedirects} members`
  const problem = uris.map(findRedirectProblem).find((each) => each !== undefined)
  return problem === undefined ? undefined : `redirect_uris ${problem}`
}

/** Controls and marks of direction, by which a name could look like another. */
const unshown = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Cleans the name of a client for lists and pages. */
export function cleanClientName(name: unknown, clientId: string): string {
  const text = typeof name === 'string' ? name.replaceAll(unshown, ' ').replaceAll(/\s+/g, ' ').trim() : ''
  const shown = text === '' ? clientId : text
  return [...shown].slice(0, longestName).join('').trim()
}

/** Leaves out what is null, empty or not kept. A registration gets no say in how the client authenticates; its answer says `none`. */
function dropMembers(metadata: ClientMetadata): void {
  const { client_id: id } = metadata
  const isDocument = typeof id === 'string' && URL.canParse(id)
  const isOwn = (name: string): boolean => keptMembers.has(name) && (isDocument || !name.startsWith('token_endpoint_auth'))
  for (const [name, value] of Object.entries(metadata)) if (!isOwn(name) || value === null || value === '') delete metadata[name]
  if (typeof metadata['client_name'] !== 'string') delete metadata['client_name']
}

/** Keeps the known members of a list. @returns the member's name if the client gave none that is known */
function keepKnown(metadata: ClientMetadata, name: string, known: readonly string[]): string | undefined {
  const given = [metadata[name] ?? []].flat()
  const kept = known.filter((value) => given.includes(value))
  metadata[name] = given.length === 0 ? known : kept
  return given.length > 0 && !kept.includes(known[0] ?? '') ? `${name} must have ${known[0]}` : undefined
}

/**
 * Checks metadata and fits it to this service, as RFC 7591 section 2 allows: the answer says what is registered. Loopback redirects take any
 * port (RFC 8252 section 7.3). Scopes are asked for in each authorization, so those of the registration are left out.
 * @throws InvalidClientMetadata of the library
 */
export function fitClient(errors: typeof OAuthErrors, metadata: ClientMetadata): void {
  dropMembers(metadata)
  const problem =
    findProblem(metadata) ?? keepKnown(metadata, 'response_types', ['code']) ?? keepKnown(metadata, 'grant_types', knownGrants)
  if (problem !== undefined) throw new errors.InvalidClientMetadata(problem)
  metadata['response_modes'] = ['query']
  const uris: unknown = metadata['redirect_uris']
  const isNative = (uri: unknown): boolean => typeof uri === 'string' && !/^https:/i.test(uri)
  metadata['application_type'] = Array.isArray(uris) && uris.some(isNative) ? 'native' : 'web'
}
