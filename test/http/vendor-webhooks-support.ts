/** A service with copies of the sandbox's store, which sends webhooks to it. */
import { createHmac, randomUUID } from 'node:crypto'
import { shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import type { Settings } from '../../packages/server/src/main/settings/settings.ts'
import { Browser, gongLink, ownOrigin } from '../connect/support.ts'
import { ask as askVendor } from '../sandbox/client.ts'
import { withToken } from '../sandbox/shopify-client.ts'
import { eventually, onlyUsers, search, startCopyWorld } from './search-support.ts'
import { base, connectorsPath, createTenant, type Json, sandboxStore, type Tenant, type World } from './support.ts'

/** Who sends. */
export interface Client {
  readonly token: string
}

/** A record of the copy that tests look at. */
export interface Collection {
  readonly id: number
  readonly title: string
}

/** The world, and what the tests do in it. */
export class VendorWorld {
  readonly world: World

  private constructor(world: World) {
    this.world = world
  }

  static async start(settings: Partial<Settings> = {}): Promise<VendorWorld> {
    return new VendorWorld(await startCopyWorld('embedded', { settings: { publicUrl: ownOrigin, trustedProxies: 1, ...settings } }))
  }

  get shopify() {
    return this.world.sandbox.shopify
  }

  async ok(who: Client, method: string, path: string, body?: unknown): Promise<Json> {
    const { status, json, text } = await this.world.ask(path, { method, token: who.token, ...(body === undefined ? {} : { body }) })
    if (status !== 200 && status !== 201 && status !== 202) throw new Error(`${status} ${text}`)
    return json
  }

  tenant(name: string): Promise<Tenant> {
    return createTenant(this.world, `${name} ${randomUUID()}`, onlyUsers)
  }

  /** A connector that copies some entities of the store. */
  async connect(who: Client, entities: readonly string[] = ['custom_collections']): Promise<string> {
    const body = { ...sandboxStore(`store ${randomUUID()}`), entities: entities.map((entity) => ({ entity })) }
    const { id } = await this.ok(who, 'POST', connectorsPath, body)
    await this.world.context.sync()
    return id
  }

  /** A connector of a consent, through the OAuth client that its organization has. */
  async consent(who: Client, entities: readonly string[] = ['custom_collections']): Promise<string> {
    const { url, id: linkId } = await this.ok(who, 'POST', `${base}/connect/links`, {
      ...gongLink,
      redirect_url: undefined,
      kinds: ['shopify'],
    })
    const browser = new Browser(this.world)
    await browser.open(url)
    await browser.comeBack(await browser.agreeAtShopify())
    const { connector_id: id } = await this.ok(who, 'GET', `${base}/connect/links/${linkId}`)
    await this.ok(who, 'PATCH', `${connectorsPath}/${id}`, { entities: entities.map((entity) => ({ entity })) })
    await eventually(
      async () => {
        await this.world.context.sync() // the copies of other entities are removed first
        return (await this.ok(who, 'GET', `${connectorsPath}/${id}/context_store`)).state
      },
      (state) => state === 'ready',
    )
    return id
  }

  /** Stores the operator's OAuth client at the sandbox. @returns its address for webhooks */
  async saveOAuthClient(who: Client): Promise<string> {
    const { clientId: client_id, clientSecret: client_secret } = shopifyCredentials
    const body = { connector_type: 'shopify', configuration: { client_id, client_secret } }
    return this.reach((await this.ok(who, 'PUT', `${base}/oauth/credentials`, body)).webhook_uri)
  }

  /** The address as it is reached in a test: the world does not listen at its public one. */
  reach(address: string): string {
    return address.replace(ownOrigin, this.world.url)
  }

  status(who: Client, id: string): Promise<Json> {
    return this.ok(who, 'GET', `${connectorsPath}/${id}/webhooks`)
  }

  /** Makes the address of a connector, with the secret of the sandbox's app. */
  async makeAddress(who: Client, id: string, secret: string | null = shopifyCredentials.clientSecret): Promise<string> {
    return this.reach((await this.ok(who, 'PUT', `${connectorsPath}/${id}/webhooks`, { secret })).address)
  }

  /** Subscribes an address at the store. */
  async subscribe(address: string, ...topics: readonly string[]): Promise<void> {
    for (const topic of topics) {
      const body = { webhook: { topic, address, format: 'json' } }
      const headers = withToken(shopifyCredentials.token)
      const url = `${this.world.sandbox.origins.shopify.api}/admin/api/2026-07/webhooks.json`
      const { status, text } = await askVendor(url, { method: 'POST', headers, body })
      if (status !== 201) throw new Error(text)
    }
  }

  /** Works on what came. */
  async work(): Promise<void> {
    await this.shopify.webhooks.settled()
    await this.world.context.vendorEvents.run()
  }

  /** Moves the clock, and works on what is due then. */
  async wait(milliseconds: number): Promise<void> {
    this.world.clock.now += milliseconds
    await this.work()
  }

  /** Titles of collections in the copy, by id. */
  async titles(who: Client, id: string, ids: readonly number[]): Promise<readonly (string | undefined)[]> {
    const params = { query: { filter: { in: { id: ids } } }, fields: ['id', 'title'], limit: 100 }
    const { status, json, text } = await search(
      { ...this.world, execute: (connector, body) => this.world.execute(connector, body, who.token) },
      id,
      {
        entity: 'custom_collections',
        params,
        allow_partial: true,
      },
    )
    if (status !== 200) throw new Error(text)
    const found = new Map<number, string>(json.data.map(({ id: own, title }: Collection) => [own, title]))
    return ids.map((each) => found.get(each))
  }

  /** Sends a request as the store does. */
  send(address: string, body: unknown, forged: ForgedWebhook = {}) {
    return sendAsStore(address, body, forged)
  }

  close(): Promise<void> {
    return this.world.close()
  }
}

/** Sends a request as the store does. */
export function sendAsStore(address: string, body: unknown, { secret = shopifyCredentials.clientSecret, ...more }: ForgedWebhook = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'x-shopify-topic': 'collections/update',
    'x-shopify-shop-domain': 'sandbox-store.myshopify.com',
    'x-shopify-webhook-id': randomUUID(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(text).digest('base64'),
    ...more.headers,
  }
  return askVendor(address, { method: 'POST', headers, body: text })
}

/** How a request differs from that of the store. */
export interface ForgedWebhook {
  readonly secret?: string
  readonly headers?: Readonly<Record<string, string>>
}
