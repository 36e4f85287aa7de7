import { createHash, randomUUID } from 'node:crypto'
import {
  agreeForm,
  type ConsentRequest,
  createCodes,
  createConsentPage,
  isBasicClient,
  type Person,
  refusalPage,
  registeredTarget,
  sendReturn,
} from '../consent.ts'
import { keepNewest, seal, unseal } from '../data.ts'
import { answerAt, isObject, json, type ReceivedRequest, type Reply } from '../http.ts'
import { html, pageReply } from '../pages.ts'
import { type Failure, failure } from './failures.ts'
import type { SnowflakeSwitches } from './switches.ts'
import { type Access, snowflakeCredentials } from './tokens.ts'

const vendor = 'Snowflake'

interface User extends Person {
  readonly name: string
  readonly roles: readonly string[]
}

const people: readonly User[] = [
  {
    email: snowflakeCredentials.login,
    about: 'has the roles SANDBOX_ROLE and ANALYST_ROLE',
    name: snowflakeCredentials.user,
    roles: ['SANDBOX_ROLE', 'ANALYST_ROLE'],
  },
  { email: snowflakeCredentials.readerLogin, about: 'has the role READER_ROLE only', name: 'SANDBOX_READER', roles: ['READER_ROLE'] },
]

interface Grant {
  readonly user: string
  readonly role: string
  readonly scope: string
}

interface Agreed extends Grant {
  readonly redirectUri: string
  /** Digest of the verifier, of a page that got one. */
  readonly challenge: string | null
}

/** What a token holds, signed, so that it outlives a restart of the sandbox. */
interface TokenContent extends Grant {
  readonly use: 'access' | 'refresh'
  readonly expires: number
}

const isContent = (value: unknown): value is TokenContent =>
  isObject(value) && typeof value['role'] === 'string' && typeof value['expires'] === 'number'

interface AuthorizationRequest extends ConsentRequest, Pick<Agreed, 'redirectUri' | 'challenge' | 'scope'> {
  /** Undefined: the user's default. */
  readonly role: string | undefined
}

const refreshSeconds = 7_776_000
const remembered = 10_000
const blocked = ['ACCOUNTADMIN', 'ORGADMIN', 'GLOBALORGADMIN', 'SECURITYADMIN']

const refusal = (error: string, message: string): Reply =>
  json(400, { data: null, error, code: null, message, success: false, headers: null })

function roleOf(scopes: readonly string[]): string | undefined {
  const encoded = scopes.find((scope) => scope.startsWith('session:role-encoded:'))?.slice('session:role-encoded:'.length)
  return encoded === undefined
    ? scopes.find((scope) => scope.startsWith('session:role:'))?.slice('session:role:'.length)
    : decodeURIComponent(encoded)
}

function readAsked(query: URLSearchParams, switches: SnowflakeSwitches): AuthorizationRequest | string {
  if (query.get('client_id') !== snowflakeCredentials.clientId) return 'OAuth client integration with the given client id is not found.'
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = registeredTarget(redirectUri, 'snowflake', switches)
  if (!target) return 'The redirect_uri is not that of the integration.'
  const scope = query.get('scope') ?? ''
  const scopes = scope.split(' ').filter((one) => one !== '')
  const strange = scopes.find((one) => one !== 'refresh_token' && !/^session:role(-encoded)?:./.test(one))
  if (strange !== undefined) return `The scope ${strange} is not valid.`
  if (scopes.filter((one) => one.startsWith('session:')).length > 1) return 'Only one session role scope can be specified.'
  const role = roleOf(scopes)
  if (role !== undefined && blocked.includes(role)) return 'The role requested has been explicitly blocked in the application integration.'
  return { target, redirectUri, scope, role, challenge: query.get('code_challenge'), state: query.get('state') }
}

interface Options {
  readonly clock: () => number
  readonly secret: string
  readonly switches: () => SnowflakeSwitches
}

function createTokens({ clock, secret, switches }: Options) {
  const codes = createCodes<Agreed>(clock)
  const used = new Set<string>()
  const write = (content: Grant & Pick<TokenContent, 'use'>, seconds: number) =>
    seal(secret, { ...content, expires: clock() + seconds * 1000, nonce: randomUUID() })
  const giveAccess = ({ user, role, scope }: Grant) => ({
    access_token: write({ user, role, scope, use: 'access' }, switches().expiresIn),
    expires_in: switches().expiresIn,
    token_type: 'Bearer',
    username: user,
    scope,
  })
  const giveRefresh = ({ user, role, scope }: Grant) => ({
    refresh_token: write({ user, role, scope, use: 'refresh' }, refreshSeconds),
    refresh_token_expires_in: refreshSeconds,
  })
  const exchangeCode = (form: URLSearchParams): Reply => {
    const redeemed = codes.redeem(form.get('code') ?? '')
    if ('problem' in redeemed) return refusal('invalid_grant', 'Invalid authorization code.')
    const { challenge, redirectUri, ...agreed } = redeemed.content
    const digest = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (redirectUri !== form.get('redirect_uri') || (challenge !== null && challenge !== digest))
      return refusal('invalid_grant', 'Invalid authorization code.')
    return json(200, { ...giveAccess(agreed), ...(agreed.scope.split(' ').includes('refresh_token') ? giveRefresh(agreed) : {}) })
  }
  const refresh = (token: string): Reply => {
    const content = unseal(secret, token)
    if (!isContent(content) || content.use !== 'refresh' || used.has(token) || clock() >= content.expires)
      return refusal('invalid_grant', 'Invalid refresh token.')
    if (!switches().singleUseRefresh) return json(200, giveAccess(content))
    used.add(token)
    keepNewest(used, remembered)
    return json(200, { ...giveAccess(content), ...giveRefresh(content) })
  }
  return {
    codes,
    exchangeCode,
    refresh,
    /** Lets in the holder of a token, for the role that the user agreed to. */
    check(token: string): Access | Failure {
      const content = unseal(secret, token)
      if (!isContent(content) || content.use !== 'access')
        return failure('invalidOauth', `Invalid OAuth access token. ...${randomUUID().slice(0, 8)}`)
      return clock() < content.expires ? { user: content.user, roles: [content.role] } : failure('expiredOauth')
    },
    reset() {
      codes.reset()
      used.clear()
    },
  }
}

/** Returns the consent page, the token endpoint, and what their tokens allow. */
export function createSnowflakeOauth(options: Options) {
  const { secret, switches } = options
  const tokens = createTokens(options)
  const giveToken = (request: ReceivedRequest): Reply => {
    if (!isBasicClient(request, snowflakeCredentials)) return refusal('invalid_client', 'This is an invalid client.')
    const form = new URLSearchParams(request.body)
    if (form.get('grant_type') === 'authorization_code') return tokens.exchangeCode(form)
    return form.get('grant_type') === 'refresh_token'
      ? tokens.refresh(form.get('refresh_token') ?? '')
      : refusal('unsupported_grant_type', 'Unsupported.')
  }
  const allow = ({ name: user, roles }: User, { target, state, role = roles[0] ?? '', ...asked }: AuthorizationRequest): Reply => {
    const { redirectUri, scope, challenge } = asked
    const code = tokens.codes.issue({ user, role, redirectUri, scope, challenge }, switches())
    return sendReturn(target, { answer: { code }, state }, switches())
  }
  const agree = (user: User, asked: AuthorizationRequest): Reply =>
    asked.role === undefined || user.roles.includes(asked.role)
      ? allow(user, asked)
      : refusalPage(vendor, `The role ${asked.role} is not granted to ${user.email}, or does not exist. Names of roles are case-sensitive.`)
  const read = (query: URLSearchParams) => readAsked(query, switches())
  const consent = createConsentPage<User, AuthorizationRequest>({ vendor, people, secret, switches, read, agree, ask: consentPage })
  const endpoints = [
    { method: 'GET', path: '/oauth/authorize', handle: consent },
    { method: 'POST', path: '/oauth/authorize', handle: consent },
    { method: 'POST', path: '/oauth/token-request', handle: giveToken },
  ]
  return {
    /** Answers the consent page and the token endpoint; undefined for other paths. */
    answer: (request: ReceivedRequest): Reply | undefined => answerAt(endpoints, request),
    check: tokens.check,
    reset: tokens.reset,
  }
}

function consentPage(user: User, asked: AuthorizationRequest, ticket: string): Reply {
  const body = html`<p>Signed in as <strong>${user.email}</strong>.</p>
<p>Sandbox integration wants to use your account with the role <strong>${asked.role ?? user.roles[0] ?? ''}</strong>.</p>
${agreeForm(asked, ticket, { allow: 'Allow', deny: 'Cancel' })}`
  return pageReply({ vendor, title: 'Allow the integration?', body })
}
