/** A receiver of webhooks, and a service that may reach it. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { EventWorker, EventWorkerOptions } from '../../packages/server/src/events/event-worker.ts'
import { listen } from '../support/listen.ts'
import { base, connectorsPath, createTenant, type Json, startWorld, type Tenant, type World } from './support.ts'

export const endpointsPath = `${base}/webhooks/endpoints`
export const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** A request as the receiver got it. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
export const missing: Received = { path: '', headers: {}, body: '' }

/** How the receiver answers at a path. The last one answers again and again. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Waits before it answers. */
  readonly until?: Promise<void>
}

/** A receiver on this machine. */
export class Receiver {
  readonly got: Received[] = []
  readonly replies = new Map<string, Reply[]>()
  address = ''
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const path = (request.url ?? '').slice(1)
      this.got.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() })
      const queue = this.replies.get(path) ?? []
      const reply = (queue.length > 1 ? queue.shift() : queue[0]) ?? { status: 204 }
      await reply.until
      response.writeHead(reply.status, reply.headers).end(reply.body)
    })
  })

  async start(): Promise<this> {
    this.address = (await listen(this.#server)).origin
    return this
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  at(path: string): readonly Received[] {
    return this.got.filter((each) => each.path === path)
  }

  /** Events at a path, without tests. */
  events(path: string): readonly Json[] {
    return this.at(path)
      .map(({ body }) => JSON.parse(body))
      .filter(({ type }) => type !== 'webhook.test')
  }

  types(path: string): readonly string[] {
    return this.events(path).map(({ type }) => type)
  }
}

/** A service with a receiver, and one tenant at a time. */
export class HookWorld {
  readonly world: World
  readonly worker: EventWorker
  readonly receiver: Receiver
  #tenant: Tenant | undefined

  private constructor(world: World, receiver: Receiver, options: EventWorkerOptions) {
    this.world = world
    this.worker = world.platform.eventWorker({ attemptMs: 240_000, ...options }) // an attempt on a busy machine ends too
    this.receiver = receiver
  }

  static async start(options: EventWorkerOptions = {}): Promise<HookWorld> {
    const receiver = await new Receiver().start()
    return new HookWorld(await startWorld({ settings: { webhookHosts: ['127.0.0.1'] } }), receiver, options)
  }

  async close(): Promise<void> {
    await this.worker.stop()
    await this.world.close()
    this.receiver.close()
  }

  get tenant(): Tenant {
    if (this.#tenant === undefined) throw new Error('there is no tenant yet')
    return this.#tenant
  }

  /** Begins a test: another tenant, and a receiver that has got nothing. */
  async begin(): Promise<void> {
    this.#tenant = await createTenant(this.world, `Tenant ${randomUUID()}`)
    await this.worker.run()
    this.receiver.got.length = 0
    this.receiver.replies.clear()
  }

  send(method: string, path: string, body?: unknown, token = this.tenant.token) {
    return this.world.ask(path, { method, token, ...(body === undefined ? {} : { body }) })
  }

  async ok(method: string, path: string, body?: unknown): Promise<Json> {
    const { status, json, text } = await this.send(method, path, body)
    if (status !== 200 && status !== 202) throw new Error(text)
    return json
  }

  addressOf(name: string): string {
    return `${this.receiver.address}/${name}`
  }

  /** Makes an endpoint and sends its test. */
  async makeEndpoint(name: string, more: object = {}): Promise<Json> {
    const made = await this.ok('POST', endpointsPath, { name, url: this.addressOf(name), ...more })
    await this.worker.run()
    return { ...made, ...(await this.ok('GET', `${endpointsPath}/${made.id}`)) }
  }

  async deliveriesOf(id: string, query = ''): Promise<Json> {
    return (await this.ok('GET', `${endpointsPath}/${id}/deliveries${query}`)).data
  }

  /** Causes an event. */
  rename(name: string): Promise<Json> {
    return this.ok('PATCH', `${connectorsPath}/${this.tenant.connectorId}`, { name })
  }

  /** Causes an event, and lets the worker do all due work. */
  async sendRename(name: string): Promise<void> {
    await this.rename(name)
    await this.worker.run()
  }

  /** Moves the clock; the tenant gets a new token, because tokens live for minutes. */
  async move(milliseconds: number): Promise<void> {
    this.world.clock.now += milliseconds
    const { json } = await this.world.ask(`${base}/account/applications/token`, { body: this.tenant.client })
    this.#tenant = { ...this.tenant, token: String(json.access_token) }
  }

  /** Moves the clock and sends what is due then. */
  async wait(milliseconds: number): Promise<void> {
    await this.move(milliseconds)
    await this.worker.run()
  }
}
