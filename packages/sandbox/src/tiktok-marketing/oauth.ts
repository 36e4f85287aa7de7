import { randomUUID } from 'node:crypto'
import { type createCodes, password } from '../consent.ts'
import { keepNewest } from '../data.ts'
import { headerOf, isObject, parseJson, type ReceivedRequest } from '../http.ts'
import { appId, emptyAccount, mainAccount, sandboxAccount, secondAccount } from './accounts.ts'
import { Failure, missing, type Success } from './answers.ts'

/** The numeric scopes that advertisers consent to. */
export const scopes = {
  advertiser: 100,
  campaigns: 200,
  adGroups: 210,
  ads: 220,
  audiences: 30,
  images: 600,
  videos: 610,
  posts: 691,
  catalogs: 900,
  reporting: 44,
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
  /** Has the three advertisers of the access token. */
  user: 'owner@sandbox.example',
  /** Has another advertiser. */
  otherUser: 'owner@other.example',
  /** Of everybody who signs in on a consent page. */
  password,
  /** Asked for at the end of the consent page. */
  verificationCode: '000000',
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

/** Gives and checks tokens. */
export type TokenStore = ReturnType<typeof createTokens>

/** Returns the tokens of one sandbox. */
export function createTokens() {
  const issued = new Map<string, Access>()
  const revoked = new Set<string>()
  return {
    /** Returns what a token allows. @throws Failure for a token that is refused */
    check(token: string | undefined): Access {
      if (token === undefined || token === '') throw new Failure(40104)
      if (token === tiktokCredentials.expiredToken) throw new Failure(40102)
      const access = issued.get(token) ?? documented.get(token)
      if (!access || revoked.has(token)) throw new Failure(40105)
      return access
    },
    issue(access: Access): string {
      const token = randomUUID().replaceAll('-', '') + randomUUID().slice(0, 8)
      issued.set(token, access)
      keepNewest(issued, remembered)
      return token
    },
    revoke(token: string) {
      revoked.add(token)
      keepNewest(revoked, remembered)
    },
    reset() {
      issued.clear()
      revoked.clear()
    },
  }
}

/** The codes of the consent page; each stands for what was ticked. */
export type CodeStore = ReturnType<typeof createCodes<Access>>

interface Stores {
  readonly tokens: TokenStore
  readonly codes: CodeStore
}

interface OpenRoute {
  readonly method: string
  /** Below the version; ends with a slash. */
  readonly path: string
  readonly handle: (request: ReceivedRequest, stores: Stores) => Success
}

/** Checks the app of a request. */
export function checkApp(given: unknown, secret: unknown): void {
  if (given !== tiktokCredentials.appId || secret !== tiktokCredentials.secret)
    throw new Failure(40101, 'The app_id or secret is incorrect.')
}

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

const codeProblems = {
  unusable: 'The auth_code is invalid, expired or has been used.',
  'other app': 'The auth_code was issued to another app.',
} as const

function exchange(request: ReceivedRequest, { tokens, codes }: Stores): Success {
  const code = textOf(request, 'auth_code')
  const redeemed = code === tiktokCredentials.authCode ? { content: everything } : codes.redeem(code)
  if ('problem' in redeemed) throw new Failure(40110, codeProblems[redeemed.problem])
  const { advertiserIds, scopes: agreed } = redeemed.content
  return { data: { access_token: tokens.issue(redeemed.content), advertiser_ids: advertiserIds, scope: agreed } }
}

/** Revokes a token: the vendor wants it in the header and in the body. */
function revoke(request: ReceivedRequest, { tokens }: Stores): Success {
  const { advertiserIds } = tokens.check(headerOf(request, 'access-token'))
  const token = textOf(request, 'access_token')
  if (token !== headerOf(request, 'access-token')) throw new Failure(40105)
  tokens.revoke(token)
  return { data: { advertiser_ids: advertiserIds, app_id: appId } }
}

/** Every endpoint that needs no token. */
export const openRoutes: readonly OpenRoute[] = [
  { method: 'POST', path: '/oauth2/access_token/', handle: exchange },
  { method: 'POST', path: '/oauth2/revoke_token/', handle: revoke },
]
