/** What the tests of the TikTok Marketing connector share. */
import { afterAll } from 'vitest'
import {
  type ConfigurationOf,
  type CredentialsOf,
  connect,
  type Kinds,
  type LocalConnector,
  type OwnRates,
} from '../../packages/ferrule/src/index.ts'
import { tiktokCredentials as known, type Sandbox } from '../../packages/sandbox/src/index.ts'
import { ask } from '../sandbox/client.ts'

type Kind = Kinds['tiktok-marketing']
/** A connector of the advertiser accounts. */
export type Tiktok = LocalConnector<Kind>
/** Credentials of either scheme. */
export type TiktokCredentials = CredentialsOf<Kind>

interface More {
  /** Those of the documented token when they are left out. */
  readonly credentials?: TiktokCredentials
  /** The main account when it is left out. */
  readonly config?: ConfigurationOf<Kind>
  readonly limits?: boolean | OwnRates
  readonly onCredentials?: (next: TiktokCredentials) => void
  /** Instead of the sandbox. */
  readonly origin?: string
}

/** The documented token. */
export const token: TiktokCredentials = { access_token: known.accessToken }
/** The documented app, for exchanges. */
export const app = { app_id: known.appId, secret: known.secret } as const

/** Connects to the sandbox's accounts; the connector is closed with the test file. */
export function connectAds({ origins, tiktok }: Sandbox, more: More = {}): Tiktok {
  const { credentials = token, config = { advertiser_id: tiktok.world.advertiserId }, limits = false, onCredentials, origin } = more
  const connector = connect('tiktok-marketing', {
    credentials,
    config,
    limits,
    origin: origin ?? origins['tiktok-marketing'],
    ...(onCredentials === undefined ? {} : { onCredentials }),
  })
  afterAll(() => connector.close())
  return connector
}

/** A code of the consent page, good for one exchange. */
export async function freshCode({ origins, tiktok }: Sandbox): Promise<string> {
  tiktok.switches.set({ consent: 'at once' })
  const query = new URLSearchParams({ app_id: known.appId, redirect_uri: 'http://127.0.0.1/connect/callback/tiktok-marketing' })
  const page = await ask(`${origins['tiktok-marketing'].oauth}/portal/auth?${query}`)
  return new URL(page.headers.get('location') ?? '').searchParams.get('auth_code') ?? ''
}

/** An operation named by data: the typed door is tested elsewhere. */
export const execute = (connector: Tiktok, ...args: [entity: string, action: string, params?: unknown, options?: unknown]) =>
  Reflect.apply(connector.execute, connector, args) as Promise<{
    readonly data: readonly Readonly<Record<string, unknown>>[]
    readonly meta: Readonly<Record<string, unknown>>
  }>
