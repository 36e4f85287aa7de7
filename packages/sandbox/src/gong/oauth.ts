import { randomUUID } from 'node:crypto'
import { keepNewest } from '../data.ts'
import { findRoute, json, type ReceivedRequest, type Reply, redirectTarget, sendBack } from '../http.ts'
import type { GongState } from './state.ts'
import { allScopes, type Grant, sandboxCredentials } from './tokens.ts'

/** What the token endpoint remembers: codes of the authorize page, each good for one use. */
type Codes = Map<string, { readonly scopes: readonly string[]; readonly redirectUri: string }>

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
  const { accessToken, refreshToken } = state.tokens.issue(grant, expiresIn)
  return json(200, {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: expiresIn,
    token_type: 'Bearer',
    scope: grant.scopes.join(' '),
    api_base_url_for_customer: apiBaseUrl || state.origins.api,
  })
}

function exchangeCode(state: GongState, codes: Codes, parameters: URLSearchParams): Reply {
  const code = parameters.get('code') ?? ''
  const family = randomUUID()
  if (code === sandboxCredentials.code) return tokenReply(state, { scopes: scopeList(state.switches.current().scopes), family })
  const known = codes.get(code)
  codes.delete(code)
  const good = known && known.redirectUri === parameters.get('redirect_uri')
  return good ? tokenReply(state, { scopes: known.scopes, family }) : oauthError(400, 'invalid_grant', 'Authorization code is invalid')
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
  return grantType === 'refresh_token' ? refresh(state, parameters) : oauthError(400, 'unsupported_grant_type')
}

/** The consent page: consents at once and sends the browser back with a code. */
function authorize(codes: Codes, { query }: ReceivedRequest): Reply {
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = redirectTarget(redirectUri)
  if (!target) return oauthError(400, 'invalid_request', 'redirect_uri is not an http or https address')
  if (query.get('client_id') !== sandboxCredentials.clientId) return oauthError(401, 'invalid_client')
  const state = query.get('state')
  if (query.get('response_type') !== 'code') return sendBack(target, { error: 'unsupported_response_type', state })
  const code = randomUUID()
  codes.set(code, { scopes: scopeList(query.get('scope') ?? ''), redirectUri })
  keepNewest(codes, 1000)
  return sendBack(target, { code, state })
}

/** Returns how the OAuth origin answers, and how it refuses when a fault asks for it. */
export function createOAuth(state: GongState) {
  const codes: Codes = new Map()
  const generate = (request: ReceivedRequest) => generateToken(state, codes, request)
  const endpoints = [
    { method: 'GET', path: '/oauth2/authorize', handle: (request: ReceivedRequest) => authorize(codes, request) },
    { method: 'POST', path: '/oauth2/generate-customer-token', handle: generate },
  ]
  return {
    answer(request: ReceivedRequest): Reply {
      const match = findRoute(endpoints, request.method, request.path)
      if (match.found === 'nothing') return oauthError(404, 'not_found')
      return match.found === 'path' ? oauthError(405, 'method_not_allowed') : match.route.handle(request)
    },
    refuse: (status: number, message?: string): Reply => oauthError(status, status < 500 ? 'invalid_request' : 'server_error', message),
  }
}
