import { randomUUID } from 'node:crypto'
import { keepNewest } from '../data.ts'
import { isObject, json, parseJson, type ReceivedRequest, type Reply, redirectTarget, sendBack } from '../http.ts'
import { appId, emptyAccount, mainAccount, sandboxAccount, secondAccount } from './accounts.ts'
import { Failure, missing, type Success } from './answers.ts'

/** The numeric scopes that advertisers consent to. */
export const scopes = {
  ...{ advertiser: 100, campaigns: 200, adGroups: 210, ads: 220, audiences: 30 },
  ...{ images: 600, videos: 610, posts: 691, catalogs: 900, reporting: 44 },
}

/** Credentials that every sandbox accepts; they are public and open nothing else. */
export const tiktokCredentials = {
  appId,
  secret: 'sandbox-secret',
  /** Good any number of times; codes of the authorization page are good once. */
  authCode: 'sandbox-code',
  /** Reads three advertisers, with every scope. */
  accessToken: 'sandbox-token',
  /** Has the scopes of campaigns and ad groups only. */
  limitedToken: 'sandbox-limited-token',
  expiredToken: 'sandbox-expired-token',
  revokedToken: 'sandbox-revoked-token',
  /** Of the vendor's sandbox environment; the others are refused there. */
  environmentToken: 'sandbox-environment-token',
} as const

const everything = {
  scopes: Object.values(scopes),
  advertiserIds: [mainAccount.id, secondAccount.id, emptyAccount.id],
  environment: 'production',
}

/** What a token allows. */
export type Access = Readonly<typeof everything>

const documented: ReadonlyMap<string, Access> = new Map([
  [tiktokCredentials.accessToken, everything],
  [tiktokCredentials.limitedToken, { ...everything, scopes: [scopes.campaigns, scopes.adGroups] }],
  [tiktokCredentials.environmentToken, { ...everything, advertiserIds: [sandboxAccount.id], environment: 'sandbox' }],
])

const remembered = 1000

/** Gives and checks tokens and codes. */
export type TokenStore = ReturnType<typeof createTokens>

/** Returns the tokens of one sandbox. */
export function createTokens(clock: () => number) {
  const issued = new Set<string>()
  const revoked = new Set<string>()
  const codes = new Map<string, number>()
  return {
    /** Returns what a token allows. @throws Failure for a token that is refused */
    check(token: string | undefined): Access {
      if (token === undefined || token === '') throw new Failure(40104)
      if (token === tiktokCredentials.expiredToken) throw new Failure(40102)
      const access = issued.has(token) ? everything : documented.get(token)
      if (!access || revoked.has(token)) throw new Failure(40105)
      return access
    },
    /** Returns a code of the authorization page, good once and until a time in epoch milliseconds. */
    issueCode(expires: number): string {
      const code = randomUUID().replaceAll('-', '')
      codes.set(code, expires)
      keepNewest(codes, remembered)
      return code
    },
    /** Returns a new token for a code; undefined when the code is unknown, used or too old. */
    exchange(code: string): { readonly token: string; readonly access: Access } | undefined {
      const expires = codes.get(code) ?? 0
      codes.delete(code)
      if (code !== tiktokCredentials.authCode && clock() >= expires) return undefined
      const token = randomUUID().replaceAll('-', '') + randomUUID().slice(0, 8)
      issued.add(token)
      keepNewest(issued, remembered)
      return { token, access: everything }
    },
    revoke(token: string) {
      revoked.add(token)
      keepNewest(revoked, remembered)
    },
    /** Forgets what was issued and revoked. */
    reset() {
      issued.clear()
      revoked.clear()
      codes.clear()
    },
  }
}

/** One endpoint that needs no token. */
interface OpenRoute {
  readonly method: string
  /** Below the version; ends with a slash. */
  readonly path: string
  readonly handle: (request: ReceivedRequest, tokens: TokenStore) => Success
}

/** Checks the app of a request. */
export function checkApp(given: unknown, secret: unknown): void {
  if (given !== tiktokCredentials.appId || secret !== tiktokCredentials.secret) {
    throw new Failure(40101, 'The app_id or secret is incorrect.')
  }
}

/** Reads a text of a JSON body, beside the app and its secret. */
function textOf(request: ReceivedRequest, wanted: string): string {
  const body = parseJson(request.body)
  if (!isObject(body)) throw new Failure(40002, 'The body is not a valid JSON object.')
  for (const name of ['app_id', 'secret', wanted]) {
    if (body[name] === undefined || body[name] === '') throw missing(name)
    if (typeof body[name] !== 'string') throw new Failure(40002, `${name}: Not a valid string.`)
  }
  checkApp(body['app_id'], body['secret'])
  return String(body[wanted])
}

function exchange(request: ReceivedRequest, tokens: TokenStore): Success {
  const given = tokens.exchange(textOf(request, 'auth_code'))
  if (!given) throw new Failure(40110, 'The auth_code is invalid, expired or has been used.')
  const { token, access } = given
  return { data: { access_token: token, advertiser_ids: access.advertiserIds, scope: access.scopes } }
}

function revoke(request: ReceivedRequest, tokens: TokenStore): Success {
  tokens.revoke(textOf(request, 'access_token'))
  return { data: {} }
}

/** Every endpoint that needs no token. */
export const openRoutes: readonly OpenRoute[] = [
  { method: 'POST', path: '/oauth2/access_token/', handle: exchange },
  { method: 'POST', path: '/oauth2/revoke_token/', handle: revoke },
]

/** The address of the consent page. */
export const consentPath = '/portal/auth'

/** Consents at once and sends the browser back with a code, good until a time in epoch milliseconds. */
export function consent({ query }: ReceivedRequest, tokens: TokenStore, expires: number): Reply {
  const target = redirectTarget(query.get('redirect_uri') ?? '')
  if (!target) return json(400, { error: 'redirect_uri is not an http or https address' })
  if (query.get('app_id') !== tiktokCredentials.appId) return json(400, { error: 'app_id is unknown' })
  const code = tokens.issueCode(expires)
  return sendBack(target, { auth_code: code, code, state: query.get('state') })
}
