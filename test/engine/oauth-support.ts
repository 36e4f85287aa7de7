/** What the tests of OAuth share: a vendor with single-use refresh tokens. */
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { type ConnectOptions, connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { callOf, pageOf, type Reply, type Seen } from './support.ts'

/** A page of calls. */
export const page = { body: pageOf({ calls: [callOf('7')] }) }
/** A token that lacks the scope. */
export const noScope = { status: 401, body: { errors: ["You don't have permission to use 'api:calls:read:basic' in your app."] } }
/** A token that is not taken any more. */
export const revoked = { status: 401, body: { errors: ['access token has been revoked'] } }
/** Credentials whose token has expired. */
export const expired = {
  refresh_token: 'RT_1',
  access_token: 'AT_1',
  client_id: 'CID',
  client_secret: 'CSECRET',
  token_expiry_date: '2020-01-01T00:00:00Z',
}
const { token_expiry_date: _unknown, ...withoutEnd } = expired
/** Credentials whose token has no known end. */
export const lasting = withoutEnd

/** The vendor of one test, and what it met. */
export interface Vendor {
  /** Refresh tokens, in the order in which they were asked for. */
  readonly refreshed: string[]
  /** Bearer tokens of the API requests. */
  readonly bearers: string[]
  readonly answer: (seen: Seen) => Reply
}

/** A vendor with single-use refresh tokens: RT_1 gives AT_2 and RT_2, and so on. */
export function vendor({
  api = () => page,
  token = {},
}: {
  api?: (bearer: string) => Reply
  token?: Readonly<Record<string, unknown>>
} = {}): Vendor {
  const refreshed: string[] = []
  const bearers: string[] = []
  let current = 1
  const answer = ({ url, headers }: Seen): Reply => {
    const { pathname, searchParams } = new URL(url, 'http://vendor')
    if (pathname !== '/oauth2/generate-customer-token') {
      bearers.push(headers.authorization ?? '')
      return api((headers.authorization ?? '').replace('Bearer ', ''))
    }
    const given = searchParams.get('refresh_token') ?? ''
    refreshed.push(given)
    if (given !== `RT_${current}`) return { status: 400, body: { error: 'invalid_grant', error_description: `${given} is used` } }
    current += 1
    return { body: { access_token: `AT_${current}`, refresh_token: `RT_${current}`, expires_in: 86_400, token_type: 'Bearer', ...token } }
  }
  return { refreshed, bearers, answer }
}

type Options = Partial<ConnectOptions<(typeof kinds)['gong']['definition']>>
/** A connector of the library whose API and OAuth are at this origin. */
export const connected = (origin: string, options: Options = {}) =>
  connectLocally(kinds.gong, { credentials: expired, origin, limits: false, ...options })
