/** What a browser and the connect page do with links, without a browser: a cookie jar, and the page's own requests. */
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { sandboxCredentials, shopifyCredentials, snowflakeCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { type Answer, base, client, type Json, type Sent, startWorld, type World, type WorldOptions } from '../http/support.ts'
import { consentAtGong, consentAtShopify, consentAtSnowflake, consentAtTiktok, returnOf } from '../sandbox/consent-client.ts'

/** Address of the service in the tests. The port differs: nothing may be read from a request. */
export const ownOrigin = 'http://127.0.0.1:4321'
export const appOrigin = 'https://app.example.com'

/** The operator's OAuth clients at the stand-ins. */
export const oauthClients = {
  gong: { client_id: sandboxCredentials.clientId, client_secret: sandboxCredentials.clientSecret },
  'tiktok-marketing': { app_id: tiktokCredentials.appId, secret: tiktokCredentials.secret },
  shopify: { client_id: shopifyCredentials.clientId, client_secret: shopifyCredentials.clientSecret },
  snowflake: { client_id: snowflakeCredentials.clientId, client_secret: snowflakeCredentials.clientSecret },
} as const
const isKnown = (kind: string): kind is keyof typeof oauthClients => Object.hasOwn(oauthClients, kind)

/** Starts a world whose links lead to `ownOrigin`. */
export const startConnectWorld = (options: WorldOptions = {}): Promise<World> =>
  startWorld({
    ...options,
    settings: { trustedProxies: 1, publicUrl: ownOrigin, connectRedirects: [appOrigin], connectOrigins: [appOrigin], ...options.settings },
  })

/** Asks with a new token: tests move the clock beyond the life of the world's own. */
export async function askAs(world: World, path: string, sent: Sent = {}): Promise<Answer> {
  const { access_token: token } = await world.platform.tokens.issueApplicationToken({ clientId: client.id, clientSecret: client.secret })
  return world.ask(path, { token, ...sent })
}

/** Body of a link for Gong's stand-in. */
export const gongLink = {
  kinds: ['gong'],
  end_user: { id: 'user-17', name: 'Ada Example' },
  sandbox: true,
  redirect_url: `${appOrigin}/done`,
}

/** Creates a link. */
export async function createLink(world: World, more: object = {}): Promise<{ id: string; url: string }> {
  const { status, json } = await askAs(world, `${base}/connect/links`, { body: { ...gongLink, ...more } })
  if (status !== 201) throw new Error(`no link: ${JSON.stringify(json)}`)
  return json
}

/** Reads a link from the server's side. */
export const readLink = async (world: World, id: string): Promise<Json> => (await askAs(world, `${base}/connect/links/${id}`)).json

/** Reads a connector. */
export const readConnector = async (world: World, id: string): Promise<Json> =>
  (await askAs(world, `${base}/integrations/connectors/${id}`)).json

/** Counts the connectors of the organization. */
export const countConnectors = async (world: World): Promise<number> =>
  (await askAs(world, `${base}/integrations/connectors?limit=100`)).json.data.length

/** Stores the operator's OAuth client at a stand-in. */
export const saveOAuthClient = (world: World, kind: string, more: object = {}): Promise<Answer> =>
  askAs(world, `${base}/oauth/credentials`, {
    method: 'PUT',
    body: { connector_type: kind, configuration: { ...oauthClients[isKnown(kind) ? kind : 'gong'], ...more } },
  })

/** Reads an answer of a page, which no document describes. */
async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const bytes = await buffer(message)
  const text = bytes.toString()
  return { status: message.statusCode ?? 0, headers: message.headers, bytes, text, json: text.startsWith('{') ? JSON.parse(text) : {} }
}

interface Cookie {
  readonly value: string
  readonly attributes: string
}

let browsers = 0
const nextAddress = (): string => {
  browsers += 1
  return `10.0.${browsers >> 8}.${browsers & 255}`
}

/** A browser on the page of one link. */
export class Browser {
  readonly #world: World
  readonly #cookies = new Map<string, Cookie>()
  readonly #address: string
  linkId = ''

  /** @param address of the browser; each has its own limits */
  constructor(world: World, address = nextAddress()) {
    this.#world = world
    this.#address = address
  }

  get cookies(): ReadonlyMap<string, Cookie> {
    return this.#cookies
  }

  /** Sends a request with the cookies that a browser sends. @param isCrossSite true: a redirect from another site, which sends no strict cookie */
  async send(path: string, sent: Sent = {}, isCrossSite = false): Promise<Answer> {
    const fitting = [...this.#cookies].filter(([, { attributes }]) => !isCrossSite || attributes.includes('SameSite=Lax'))
    const cookie = fitting.map(([name, { value }]) => `${name}=${value}`).join('; ')
    const headers = { 'x-forwarded-for': this.#address, ...(cookie === '' ? {} : { cookie }), ...sent.headers }
    const answer = await readAnswer(await this.#world.open(path, { ...sent, headers }))
    for (const text of answer.headers['set-cookie'] ?? []) {
      const [pair = '', ...attributes] = text.split('; ')
      const at = pair.indexOf('=')
      this.#cookies.set(pair.slice(0, at), { value: pair.slice(at + 1), attributes: attributes.join('; ') })
    }
    return answer
  }

  /** Sends a request of the page. */
  async page(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const own = { 'connect-link': this.linkId, 'sec-fetch-site': 'same-origin', ...(body === undefined ? {} : { origin: ownOrigin }) }
    return this.send(`/connect/api/${path}`, { ...(body === undefined ? {} : { body }), headers: { ...own, ...headers } })
  }

  /** Opens a link as its page does. */
  async open(url: string): Promise<Answer> {
    const { pathname, hash } = new URL(url)
    this.linkId = pathname.split('/').at(-1) ?? ''
    return this.page('session', { id: this.linkId, secret: hash.slice(1) })
  }

  /** Begins a consent. */
  async begin(kind: string, more: object = {}): Promise<Json> {
    const { status, json } = await this.page('consent', { kind, ...more })
    if (status !== 200) throw new Error(`no consent: ${JSON.stringify(json)}`)
    return json
  }

  /** Begins a consent at Gong and agrees. @returns the address that the vendor leads back to */
  async agreeAtGong(account: string = sandboxCredentials.administrator): Promise<URL> {
    return returnOf(await consentAtGong((await this.begin('gong')).consent_url, { account }))
  }

  /** Begins a consent at TikTok and ticks accounts. @returns the address that the vendor leads back to */
  async agreeAtTiktok(advertisers: readonly string[], account: string = tiktokCredentials.user): Promise<URL> {
    return returnOf(await consentAtTiktok((await this.begin('tiktok-marketing')).consent_url, { advertisers, account }))
  }

  /** Begins a consent at Shopify and agrees. @returns the address that the vendor leads back to */
  async agreeAtShopify(shop: string = shopifyCredentials.shop): Promise<URL> {
    return returnOf(await consentAtShopify((await this.begin('shopify', { configuration: { shop } })).consent_url))
  }

  /** Begins a consent at Snowflake and agrees. @returns the address that the vendor leads back to */
  async agreeAtSnowflake(configuration: object = warehouse): Promise<URL> {
    return returnOf(await consentAtSnowflake((await this.begin('snowflake', { configuration })).consent_url))
  }

  /** Follows a return from the vendor. */
  async comeBack(url: URL): Promise<Answer> {
    return this.send(`${url.pathname}${url.search}`, { headers: { 'sec-fetch-site': 'cross-site' } }, true)
  }
}

/** What the page asks for before it leads to Snowflake. */
export const warehouse = {
  account: snowflakeCredentials.account,
  database: snowflakeCredentials.database,
  warehouse: snowflakeCredentials.warehouse,
  role: snowflakeCredentials.role,
}

/** Opens a new link in a new browser. */
export async function visitLink(world: World, more: object = {}): Promise<{ browser: Browser; id: string; url: string }> {
  const link = await createLink(world, more)
  const browser = new Browser(world)
  await browser.open(link.url)
  return { browser, ...link }
}
