/** What a client may say about itself, when it registers or by its metadata document. */
import type { errors as OAuthErrors } from 'oidc-provider'

/** Largest number of redirect URIs, and length of one. */
const mostRedirects = 20
const longestRedirect = 1_024
/** Longest client id: a URL of a metadata document. */
const longestClientId = 1_024
const longestName = 100

/** Members that are left out: they would make this service fetch further addresses, or keep keys that nothing uses. */
const unused = ['sector_identifier_uri', 'jwks_uri', 'jwks', 'request_uris'] as const

/** Names of this machine. An IPv6 address has no form in the policy of a page. */
const loopback: readonly string[] = ['localhost', '127.0.0.1']

const isLoopbackRedirect = (uri: unknown): boolean =>
  typeof uri === 'string' && URL.canParse(uri) && new URL(uri).protocol === 'http:' && loopback.includes(new URL(uri).hostname)

/** Returns what is wrong with a redirect URI; undefined: nothing. */
function findRedirectProblem(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return 'must be absolute URLs'
  if (uri.length > longestRedirect) return `must have ${longestRedirect} characters at most`
  const { protocol, username, password } = new URL(uri)
  if (uri.includes('#') || username !== '' || password !== '') return 'must have no fragment and no user'
  if (protocol === 'https:' || isLoopbackRedirect(uri)) return undefined
  return 'must be https, or http on localhost or 127.0.0.1'
}

/** Metadata as the library hands it over. */
export type ClientMetadata = Record<string, unknown>

function findProblem(metadata: ClientMetadata): string | undefined {
  const { redirect_uris: uris, client_id: id, response_types: types = ['code'] } = metadata
  if (typeof id === 'string' && id.length > longestClientId) return `client_id must have ${longestClientId} characters at most`
  if (JSON.stringify(types) !== '["code"]') return 'response_types must be code'
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

/**
 * Checks metadata and fits it to this service. Loopback redirects take any port (RFC 8252 section 7.3). Scopes are asked for in each
 * authorization, so those of the registration are left out.
 * @throws InvalidClientMetadata of the library
 */
export function fitClient(errors: typeof OAuthErrors, metadata: ClientMetadata): void {
  const problem = findProblem(metadata)
  if (problem !== undefined) throw new errors.InvalidClientMetadata(problem)
  for (const name of ['scope', ...unused]) delete metadata[name]
  metadata['response_modes'] = ['query']
  const uris: unknown = metadata['redirect_uris']
  if (Array.isArray(uris) && uris.some(isLoopbackRedirect)) metadata['application_type'] = 'native'
}
