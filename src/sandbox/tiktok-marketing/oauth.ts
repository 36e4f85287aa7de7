import type { ReceivedRequest, Reply } from '../http.ts'
import { isObject, json, parseJson } from '../http.ts'
import type { Answer } from './answers.ts'
import { failure, missing } from './answers.ts'
import type { TokenStore } from './tokens.ts'
import { tiktokCredentials } from './tokens.ts'

/** One endpoint that needs no token. */
export interface OpenRoute {
  readonly method: string
  /** Below the version; ends with a slash. */
  readonly path: string
  readonly handle: (request: ReceivedRequest, tokens: TokenStore) => Answer
}

/** The texts of a JSON body under the given names, or what is wrong with it. */
function textsIn(request: ReceivedRequest, names: readonly string[]): Readonly<Record<string, string>> | Answer {
  const body = parseJson(request.body)
  if (!isObject(body)) return failure(40002, 'The body is not a valid JSON object.')
  const texts: Record<string, string> = {}
  for (const name of names) {
    const value = body[name]
    if (value === undefined || value === '') return missing(name)
    if (typeof value !== 'string') return failure(40002, `${name}: Not a valid string.`)
    texts[name] = value
  }
  if (texts['app_id'] !== tiktokCredentials.appId || texts['secret'] !== tiktokCredentials.secret) {
    return failure(40101, 'The app_id or secret is incorrect.')
  }
  return { ...texts }
}

function isAnswer(value: Readonly<Record<string, string>> | Answer): value is Answer {
  return 'code' in value
}

function exchange(request: ReceivedRequest, tokens: TokenStore): Answer {
  const texts = textsIn(request, ['app_id', 'secret', 'auth_code'])
  if (isAnswer(texts)) return texts
  const given = tokens.exchange(String(texts['auth_code']))
  if (!given) return failure(40110, 'The auth_code is invalid, expired or has been used.')
  const { scopes, advertiserIds } = given.access
  return { data: { access_token: given.token, advertiser_ids: advertiserIds, scope: scopes } }
}

function revoke(request: ReceivedRequest, tokens: TokenStore): Answer {
  const texts = textsIn(request, ['app_id', 'secret', 'access_token'])
  if (isAnswer(texts)) return texts
  tokens.revoke(String(texts['access_token']))
  return { data: {} }
}

/** Every endpoint that needs no token. */
export const openRoutes: readonly OpenRoute[] = [
  { method: 'POST', path: '/oauth2/access_token/', handle: exchange },
  { method: 'POST', path: '/oauth2/revoke_token/', handle: revoke },
]

/** The address of the consent page. */
export const consentPath = '/portal/auth'

/**
 * The consent page: consents at once and sends the browser back with a code.
 *
 * @param request - with `app_id`, `redirect_uri` and `state` in its query
 * @param tokens - gives the code
 * @param expires - when the code ends, epoch milliseconds
 */
export function consent({ query }: ReceivedRequest, tokens: TokenStore, expires: number): Reply {
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
    return json(400, { error: 'redirect_uri is not an http or https address' })
  }
  if (query.get('app_id') !== tiktokCredentials.appId) return json(400, { error: 'app_id is unknown' })
  const code = tokens.issueCode(expires)
  target.searchParams.set('auth_code', code)
  target.searchParams.set('code', code)
  const state = query.get('state')
  if (state !== null) target.searchParams.set('state', state)
  return { status: 302, headers: { location: target.href, 'content-type': 'text/plain' }, body: 'Back to the application' }
}
