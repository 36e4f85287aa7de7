import { randomUUID } from 'node:crypto'
import {
  agreeForm,
  type ConsentRequest,
  createConsentPage,
  isBasicClient,
  type Person,
  registeredTarget,
  sendReturn,
  signInLink,
} from '../consent.ts'
import { findRoute, json, type ReceivedRequest, type Reply, sendBack } from '../http.ts'
import { html, pageReply } from '../pages.ts'
import { type GongState, homeOf } from './state.ts'
import { allScopes, type Customer, type Grant, sandboxCredentials } from './tokens.ts'

const oauthError = (status: number, error: string, description?: string): Reply =>
  json(status, description === undefined ? { error } : { error, error_description: description })

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
  if (!isBasicClient(request, sandboxCredentials)) return oauthError(401, 'invalid_client')
  const parameters = parametersOf(request)
  const grantType = parameters.get('grant_type')
  if (grantType === null) return oauthError(400, 'invalid_request', 'grant_type is missing')
  if ((parameters.get('client_id') ?? sandboxCredentials.clientId) !== sandboxCredentials.clientId)
    return oauthError(400, 'invalid_grant', codeProblems['other app'])
  if (grantType === 'authorization_code') return exchangeCode(state, parameters)
  return grantType === 'refresh_token' ? refresh(state, parameters) : oauthError(400, 'unsupported_grant_type')
}

/** Errors of statuses that say nothing of the grant. */
const errorNames: Readonly<Record<number, string>> = { 404: 'not_found', 405: 'method_not_allowed', 408: 'request_timeout' }
const usualErrorName = (status: number): string => (status < 500 ? 'invalid_request' : 'server_error')

/** Returns how the OAuth origin answers, and how it refuses when a fault asks for it. */
export function createOAuth(state: GongState) {
  const consent = createGongConsent(state)
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

const vendor = 'Gong'

interface Colleague extends Person {
  readonly customer: Customer
  readonly company: string
}

const people: readonly Colleague[] = [
  {
    email: sandboxCredentials.administrator,
    about: 'technical administrator of Sandbox Company',
    company: 'Sandbox Company',
    customer: 'sandbox',
    mayAgree: true,
  },
  {
    email: sandboxCredentials.member,
    about: 'works at Sandbox Company, is no administrator',
    company: 'Sandbox Company',
    customer: 'sandbox',
    mayAgree: false,
  },
  {
    email: sandboxCredentials.otherAdministrator,
    about: 'technical administrator of another customer, Other Company',
    company: 'Other Company',
    customer: 'other',
    mayAgree: true,
  },
]

interface AuthorizationRequest extends ConsentRequest {
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** Returns the scopes of a text; all of the vendor's for an empty one. */
function scopesOf(text: string): readonly string[] {
  const wanted = text.split(' ').filter((scope) => scope !== '')
  return wanted.length > 0 ? wanted : allScopes
}

function readAsked(state: GongState, query: URLSearchParams): AuthorizationRequest | Reply | string {
  const switches = state.switches.current()
  if (query.get('client_id') !== sandboxCredentials.clientId) return 'The client_id is unknown.'
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = registeredTarget(redirectUri, 'gong', switches)
  if (!target) return 'The redirect_uri is not registered for this app.'
  const scope = query.get('scope') ?? ''
  if (scope.trim() === '') return 'The scope is missing.'
  const scopes = scopesOf(scope)
  const foreign = scopes.find((wanted) => !scopesOf(switches.scopes).includes(wanted))
  if (foreign !== undefined) return `The scope ${foreign} is not one of this app.`
  const asked = { redirectUri, target, scopes, state: query.get('state') }
  return query.get('response_type') === 'code' ? asked : sendBack(target, { error: 'unsupported_response_type', state: asked.state })
}

function allow(state: GongState, { customer }: Colleague, asked: AuthorizationRequest): Reply {
  const switches = state.switches.current()
  const code = state.codes.issue({ scopes: asked.scopes, customer, redirectUri: asked.redirectUri }, switches)
  return sendReturn(asked.target, { answer: { code }, state: asked.state }, switches)
}

function notAdministratorPage(email: string, request: ReceivedRequest): Reply {
  const body = html`<p class="problem" role="alert">Only a technical administrator can connect an app. <strong>${email}</strong> is not one.</p>
<p>Ask a technical administrator of your company.</p>
<p>${signInLink(request)}</p>`
  return pageReply({ vendor, status: 403, title: 'You cannot authorize this app', body })
}

function consentPage({ email, company }: Colleague, asked: AuthorizationRequest, ticket: string): Reply {
  const body = html`<p>Signed in as <strong>${email}</strong>, of ${company}.</p>
<h2>The app asks for these permissions</h2>
<ul>${asked.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>
${agreeForm(asked, ticket, { allow: 'Allow', deny: 'Deny' })}`
  return pageReply({ vendor, title: 'Sandbox app wants to access Gong', body })
}

const createGongConsent = (state: GongState) =>
  createConsentPage<Colleague, AuthorizationRequest>({
    vendor,
    people,
    secret: state.secret,
    switches: state.switches.current,
    read: (query) => readAsked(state, query),
    agree: (colleague, asked) => allow(state, colleague, asked),
    ask: consentPage,
    refuse: notAdministratorPage,
  })
