import { randomUUID } from 'node:crypto'
import type { ReceivedRequest, Reply } from '../http.ts'
import { findRoute, json } from '../http.ts'
import type { GongState } from './state.ts'
import type { Grant } from './tokens.ts'
import { allScopes, sandboxCredentials } from './tokens.ts'

interface Code {
  readonly scopes: readonly string[]
  readonly redirectUri: string
}

/** What the token endpoint remembers: codes of the authorize page, each good for one use. */
type Codes = Map<string, Code>

function oauthError(status: number, error: string, description?: string): Reply {
  return json(status, description === undefined ? { error } : { error, error_description: description })
}

function clientIsRight(request: ReceivedRequest): boolean {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ')
  const { clientId, clientSecret } = sandboxCredentials
  return scheme.toLowerCase() === 'basic' && Buffer.from(value, 'base64').toString() === `${clientId}:${clientSecret}`
}

/** Parameters of the query string; those of a form body where the query has none. */
function parametersOf(request: ReceivedRequest): URLSearchParams {
  const isForm = (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  const form = new URLSearchParams(isForm ? request.body : '')
  for (const [name, value] of request.query) form.set(name, value)
  return form
}

function scopeList(text: string): readonly string[] {
  const wanted = text.split(' ').filter((scope) => allScopes.includes(scope))
  return wanted.length > 0 ? wanted : allScopes
}

function tokenReply(state: GongState, grant: Grant): Reply {
  const { expiresIn, apiBaseUrl } = state.switches.current()
  const pair = state.tokens.issue(grant, expiresIn)
  return json(200, {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    expires_in: expiresIn,
    token_type: 'Bearer',
    scope: grant.scopes.join(' '),
    api_base_url_for_customer: apiBaseUrl || state.origins.api,
  })
}

function exchangeCode(state: GongState, codes: Codes, parameters: URLSearchParams): Reply {
  const code = parameters.get('code') ?? ''
  if (code === sandboxCredentials.code) {
    return tokenReply(state, { scopes: scopeList(state.switches.current().scopes), family: randomUUID() })
  }
  const known = codes.get(code)
  codes.delete(code)
  if (!known || known.redirectUri !== parameters.get('redirect_uri')) {
    return oauthError(400, 'invalid_grant', 'Authorization code is invalid')
  }
  return tokenReply(state, { scopes: known.scopes, family: randomUUID() })
}

function refresh(state: GongState, parameters: URLSearchParams): Reply {
  const grant = state.tokens.redeem(parameters.get('refresh_token') ?? '')
  if (!grant) return oauthError(400, 'invalid_grant', 'Refresh token code is invalid')
  if (state.switches.current().refreshRevokesAccess) state.tokens.revoke(grant.family)
  return tokenReply(state, grant)
}

function generateToken(state: GongState, codes: Codes, request: ReceivedRequest): Reply {
  if (!clientIsRight(request)) return oauthError(401, 'invalid_client')
  const parameters = parametersOf(request)
  const grantType = parameters.get('grant_type')
  if (grantType === null) return oauthError(400, 'invalid_request', 'grant_type is missing')
  if (grantType === 'authorization_code') return exchangeCode(state, codes, parameters)
  if (grantType === 'refresh_token') return refresh(state, parameters)
  return oauthError(400, 'unsupported_grant_type')
}

function redirectTarget(text: string): URL | undefined {
  const target = URL.canParse(text) ? new URL(text) : undefined
  return target?.protocol === 'https:' || target?.protocol === 'http:' ? target : undefined
}

/** The consent page: consents at once and sends the browser back with a code. */
function authorize(codes: Codes, { query }: ReceivedRequest): Reply {
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = redirectTarget(redirectUri)
  if (!target) return oauthError(400, 'invalid_request', 'redirect_uri is not an http or https address')
  if (query.get('client_id') !== sandboxCredentials.clientId) return oauthError(401, 'invalid_client')
  const state = query.get('state')
  if (query.get('response_type') === 'code') {
    const code = randomUUID()
    codes.set(code, { scopes: scopeList(query.get('scope') ?? ''), redirectUri })
    const oldest = codes.keys().next()
    if (codes.size > 1000 && !oldest.done) codes.delete(oldest.value)
    target.searchParams.set('code', code)
  } else {
    target.searchParams.set('error', 'unsupported_response_type')
  }
  if (state !== null) target.searchParams.set('state', state)
  return { status: 302, headers: { location: target.href, 'content-type': 'text/plain' }, body: 'Back to the application' }
}

/**
 * The OAuth origin.
 *
 * @param shared - shared by the servers
 * @returns how it answers, and how it refuses when a fault asks for it
 */
export function createOAuth(shared: GongState) {
  const codes: Codes = new Map()
  const endpoints = [
    { method: 'GET', path: '/oauth2/authorize', handle: (request: ReceivedRequest) => authorize(codes, request) },
    {
      method: 'POST',
      path: '/oauth2/generate-customer-token',
      handle: (request: ReceivedRequest) => generateToken(shared, codes, request),
    },
  ]
  return {
    answer(request: ReceivedRequest): Reply {
      const match = findRoute(endpoints, request.method, request.path)
      if (match.found === 'nothing') return oauthError(404, 'not_found')
      if (match.found === 'path') return oauthError(405, 'method_not_allowed')
      return match.route.handle(request)
    },
    refuse: (status: number, message?: string): Reply => oauthError(status, status < 500 ? 'invalid_request' : 'server_error', message),
  }
}
