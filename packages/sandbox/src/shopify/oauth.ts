import { createHmac, randomUUID } from 'node:crypto'
import {
  agreeForm,
  type ConsentRequest,
  createCodes,
  createConsentPage,
  type Person,
  registeredTarget,
  sendReturn,
  signInLink,
} from '../consent.ts'
import { keepNewest, seal, unseal } from '../data.ts'
import { answerAt, isObject, json, parseJson, type ReceivedRequest, type Reply } from '../http.ts'
import { html, pageReply } from '../pages.ts'
import { type Access, shopifyCredentials } from './access.ts'
import { storeHost } from './shop.ts'
import type { ShopifySwitches } from './switches.ts'

/** What the consent page and the token endpoint need of the stand-in. */
export interface ShopifyOauthState {
  readonly clock: () => number
  readonly secret: string
  readonly switches: () => ShopifySwitches
}

const vendor = 'Shopify'

const people: readonly Person[] = [
  { email: shopifyCredentials.owner, about: 'owner of the store', mayAgree: true },
  { email: shopifyCredentials.staff, about: 'works in the store, may not install apps', mayAgree: false },
]

/** What a token holds, signed, so that it outlives a restart of the sandbox. */
interface TokenContent {
  readonly use: 'access' | 'refresh'
  readonly scopes: readonly string[]
  /** Tokens that follow from one another share it. */
  readonly family: string
  readonly generation: number
  readonly expires: number
}

const isContent = (value: unknown): value is TokenContent =>
  isObject(value) && Array.isArray(value['scopes']) && typeof value['use'] === 'string' && typeof value['generation'] === 'number'

const ownSeconds = 86_399
const refreshSeconds = 7_776_000
const remembered = 10_000

function refusal(status: number, error: string, description: string, { oauthErrors }: ShopifySwitches): Reply {
  if (oauthErrors === 'json') return json(status, { error, error_description: description })
  const body = `<!DOCTYPE html><html><head><title>Oauth error ${error}</title></head><body><p>Oauth error ${error}: ${description}</p></body></html>`
  return { status: 400, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

function parametersOf({ headers, body }: ReceivedRequest): ReadonlyMap<string, string> {
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return new Map(new URLSearchParams(body))
  const given = parseJson(body)
  return new Map(Object.entries(isObject(given) ? given : {}).map(([name, value]) => [name, String(value)]))
}

interface AuthorizationRequest extends ConsentRequest {
  readonly scopes: readonly string[]
}

const scopesOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((scope) => scope !== '')

/** Returns what gives and checks tokens; codes stand for the scopes that were agreed to. */
function createTokens(state: ShopifyOauthState) {
  const codes = createCodes<readonly string[]>(state.clock)
  /** The newest generation in use, by family: the vendor keeps a refresh token until its successor is used. */
  const inUse = new Map<string, number>()
  const open = (token: string, use: TokenContent['use']): TokenContent | undefined => {
    const content = unseal(state.secret, token.slice(token.indexOf('_') + 1))
    return isContent(content) && content.use === use && state.clock() < content.expires ? content : undefined
  }
  const write = (prefix: string, content: Omit<TokenContent, 'expires'>, seconds: number) =>
    `${prefix}_${seal(state.secret, { ...content, expires: state.clock() + seconds * 1000, nonce: randomUUID() })}`

  const issue = (grant: Pick<TokenContent, 'scopes' | 'family' | 'generation'>, isExpiring: boolean): Reply => {
    const { expiresIn } = state.switches()
    const access = write('shpat', { ...grant, use: 'access' }, isExpiring ? expiresIn : refreshSeconds * 100)
    const scope = grantedOf(grant.scopes).join(',')
    if (!isExpiring) return json(200, { access_token: access, scope })
    const renewal = {
      refresh_token: write('shprt', { ...grant, use: 'refresh' }, refreshSeconds),
      refresh_token_expires_in: refreshSeconds,
    }
    return json(200, { access_token: access, scope, expires_in: expiresIn, ...renewal })
  }
  const grantedOf = (asked: readonly string[]): readonly string[] => {
    const own = scopesOf(state.switches().scopes)
    return own.length === 0 ? asked : asked.filter((scope) => own.includes(scope))
  }

  const exchangeCode = (code: string, isExpiring: boolean): Reply => {
    const redeemed = codes.redeem(code)
    if (!('problem' in redeemed)) return issue({ scopes: redeemed.content, family: randomUUID(), generation: 0 }, isExpiring)
    return refusal(400, 'invalid_request', 'The authorization code was not found or was already used', state.switches())
  }
  const refresh = (token: string): Reply => {
    const known = open(token, 'refresh')
    if (known === undefined || known.generation < (inUse.get(known.family) ?? 0) || !state.switches().installed)
      return refusal(401, 'invalid_request', 'This request requires an active refresh_token', state.switches())
    return issue({ ...known, generation: known.generation + 1 }, true)
  }
  const ownToken = (): Reply => {
    if (!state.switches().installed) return refusal(400, 'app_not_installed', 'The app is not installed on this shop', state.switches())
    const grant = { scopes: shopifyCredentials.appScopes, family: randomUUID(), generation: 0, use: 'access' } as const
    return json(200, { access_token: write('shpat', grant, ownSeconds), scope: grantedOf(grant.scopes).join(','), expires_in: ownSeconds })
  }
  return {
    codes,
    exchangeCode,
    refresh,
    ownToken,
    /** Returns what a token allows; undefined for one that is unknown, has ended, or whose app was removed. */
    accessOf(token: string): Access | undefined {
      const known = open(token, 'access')
      if (known === undefined || !state.switches().installed) return undefined
      inUse.set(known.family, Math.max(known.generation, inUse.get(known.family) ?? 0))
      keepNewest(inUse, remembered)
      return { scopes: known.scopes, customerData: true }
    },
    reset() {
      codes.reset()
      inUse.clear()
    },
  }
}

function readAsked(query: URLSearchParams, switches: ShopifySwitches): AuthorizationRequest | string {
  if (query.get('client_id') !== shopifyCredentials.clientId) return 'Oauth error invalid_request: Could not find the app.'
  const target = registeredTarget(query.get('redirect_uri') ?? '', 'shopify', switches)
  if (!target) return 'Oauth error invalid_request: The redirect_uri is not whitelisted.'
  const scopes = scopesOf(query.get('scope') ?? '')
  const foreign = scopes.find((scope) => !shopifyCredentials.appScopes.includes(scope))
  return foreign === undefined
    ? { target, scopes, state: query.get('state') }
    : `Oauth error invalid_scope: ${foreign} is not a scope of the app.`
}

/** Returns the consent page, the token endpoint, and what their tokens allow. */
export function createShopifyOauth(state: ShopifyOauthState) {
  const tokens = createTokens(state)
  const giveToken = (request: ReceivedRequest): Reply => {
    const given = parametersOf(request)
    if (given.get('client_id') !== shopifyCredentials.clientId || given.get('client_secret') !== shopifyCredentials.clientSecret)
      return refusal(401, 'invalid_client', 'Client authentication failed', state.switches())
    const grantType = given.get('grant_type')
    if (grantType === 'client_credentials') return tokens.ownToken()
    if (grantType === 'refresh_token') return tokens.refresh(given.get('refresh_token') ?? '')
    return tokens.exchangeCode(given.get('code') ?? '', given.get('expiring') === '1')
  }
  const agree = (_owner: Person, { target, scopes, state: given }: AuthorizationRequest): Reply => {
    const switches = state.switches()
    const code = tokens.codes.issue(scopes, switches)
    const timestamp = String(Math.floor(state.clock() / 1000))
    const host = Buffer.from(`admin.shopify.com/store/${shopifyCredentials.shop}`).toString('base64url')
    return signReturn(
      sendReturn(target, { answer: { code, host, shop: switches.returnShop || storeHost, timestamp }, state: given }, switches),
      switches,
    )
  }
  const consent = createConsentPage<Person, AuthorizationRequest>({
    vendor,
    people,
    secret: state.secret,
    switches: state.switches,
    read: (query) => readAsked(query, state.switches()),
    agree,
    ask: installPage,
    refuse: notAllowedPage,
  })
  const endpoints = [
    { method: 'GET', path: '/admin/oauth/authorize', handle: consent },
    { method: 'POST', path: '/admin/oauth/authorize', handle: consent },
    { method: 'POST', path: '/admin/oauth/access_token', handle: giveToken },
  ]
  return {
    /** Answers the consent page and the token endpoint; undefined for other paths. */
    answer: (request: ReceivedRequest): Reply | undefined => answerAt(endpoints, request),
    accessOf: tokens.accessOf,
    reset: tokens.reset,
  }
}

/** Signs a return as the vendor does, over what it carries; a switch spoils the signature. */
function signReturn(reply: Reply, { returnHmac }: ShopifySwitches): Reply {
  const target = new URL(String(reply.headers['location']))
  if (!target.searchParams.has('code') || returnHmac === 'missing') return reply
  const sorted = new URLSearchParams([...target.searchParams].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const key = returnHmac === 'wrong' ? 'another-secret' : shopifyCredentials.clientSecret
  target.searchParams.set('hmac', createHmac('sha256', key).update(sorted.toString()).digest('hex'))
  return { ...reply, headers: { ...reply.headers, location: target.href } }
}

function notAllowedPage(email: string, request: ReceivedRequest): Reply {
  const body = html`<p class="problem" role="alert"><strong>${email}</strong> does not have permission to install apps.</p>
<p>Ask the owner of the store.</p>
<p>${signInLink(request)}</p>`
  return pageReply({ vendor, status: 403, title: 'You cannot install this app', body })
}

function installPage({ email }: Person, asked: AuthorizationRequest, ticket: string): Reply {
  const body = html`<p>Signed in at ${storeHost} as <strong>${email}</strong>.</p>
<h2>The app asks for these permissions</h2>
<ul>${asked.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>
${agreeForm(asked, ticket, { allow: 'Install', deny: 'Cancel' })}`
  return pageReply({ vendor, title: 'Install Sandbox app', body })
}
