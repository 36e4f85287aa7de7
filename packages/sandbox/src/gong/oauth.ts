import { randomUUID } from 'node:crypto'
import { findRoute, json, type ReceivedRequest, type Reply } from '../http.ts'
import { authorize, scopesOf } from './consent.ts'
import { type GongState, homeOf } from './state.ts'
import { type Grant, sandboxCredentials } from './tokens.ts'

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

function tokenReply(state: GongState, grant: Grant): Reply {
  const { expiresIn } = state.switches.current()
  const { accessToken, refreshToken } = state.tokens.issue(grant, expiresIn)
  return json(200, {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: expiresIn,
    token_type: 'Bearer',
    scope: grant.scopes.join(' '),
    api_base_url_for_customer: homeOf(state, grant.customer),
  })
}

const codeProblems = {
  unusable: 'Authorization code is invalid',
  'other app': 'Authorization code was issued to another client',
} as const

function exchangeCode(state: GongState, parameters: URLSearchParams): Reply {
  const code = parameters.get('code') ?? ''
  const family = randomUUID()
  const { scopes } = state.switches.current()
  if (code === sandboxCredentials.code) return tokenReply(state, { scopes: scopesOf(scopes), customer: 'sandbox', family })
  const redeemed = state.codes.redeem(code)
  if ('problem' in redeemed) return oauthError(400, 'invalid_grant', codeProblems[redeemed.problem])
  const { redirectUri, ...agreed } = redeemed.content
  if (redirectUri !== parameters.get('redirect_uri')) return oauthError(400, 'invalid_grant', 'redirect_uri is not that of the code')
  return tokenReply(state, { ...agreed, family })
}

function refresh(state: GongState, parameters: URLSearchParams): Reply {
  const grant = state.tokens.redeem(parameters.get('refresh_token') ?? '')
  if (!grant) return oauthError(400, 'invalid_grant', 'Refresh token code is invalid')
  if (state.switches.current().refreshRevokesAccess) state.tokens.revoke(grant.family)
  return tokenReply(state, grant)
}

function generateToken(state: GongState, request: ReceivedRequest): Reply {
  if (!clientIsRight(request)) return oauthError(401, 'invalid_client')
  const parameters = parametersOf(request)
  const grantType = parameters.get('grant_type')
  if (grantType === null) return oauthError(400, 'invalid_request', 'grant_type is missing')
  if ((parameters.get('client_id') ?? sandboxCredentials.clientId) !== sandboxCredentials.clientId) {
    return oauthError(400, 'invalid_grant', codeProblems['other app'])
  }
  if (grantType === 'authorization_code') return exchangeCode(state, parameters)
  return grantType === 'refresh_token' ? refresh(state, parameters) : oauthError(400, 'unsupported_grant_type')
}

/** Errors of statuses that say nothing of the grant. */
const errorNames: Readonly<Record<number, string>> = { 404: 'not_found', 405: 'method_not_allowed', 408: 'request_timeout' }
const usualErrorName = (status: number): string => (status < 500 ? 'invalid_request' : 'server_error')

/** Returns how the OAuth origin answers, and how it refuses when a fault asks for it. */
export function createOAuth(state: GongState) {
  const consent = (request: ReceivedRequest) => authorize(state, request)
  const generate = (request: ReceivedRequest) => generateToken(state, request)
  const endpoints = [
    { method: 'GET', path: '/oauth2/authorize', handle: consent },
    { method: 'POST', path: '/oauth2/authorize', handle: consent },
    { method: 'POST', path: '/oauth2/generate-customer-token', handle: generate },
  ]
  return {
    answer(request: ReceivedRequest): Reply {
      const match = findRoute(endpoints, request.method, request.path)
      if (match.found === 'nothing') return oauthError(404, 'not_found')
      return match.found === 'path' ? oauthError(405, 'method_not_allowed') : match.route.handle(request)
    },
    refuse: (status: number, message?: string): Reply => oauthError(status, errorNames[status] ?? usualErrorName(status), message),
  }
}
