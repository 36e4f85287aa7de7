import { createHmac, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { shopifyCredentials } from '../access.ts'
import { storeHost } from '../shop.ts'
import type { ShopifySwitches } from '../switches.ts'
import type { Subscription } from './subscriptions.ts'
import { mandatoryTopics } from './topics.ts'

/** A webhook as it was sent, or waits to be sent. */
export interface SentWebhook {
  readonly address: string
  readonly topic: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Status of each answer, in order; 0 for none. */
  readonly answers: readonly number[]
}

/** What deliveries need of the stand-in. */
export interface DeliveryState {
  readonly clock: () => number
  readonly switches: () => ShopifySwitches
  readonly subscriptions: () => readonly Subscription[]
}

/** Time for an answer, in milliseconds, as the vendor gives. */
const answerMs = 5_000
const remembered = 1_000

/** An `import` would load Node's `fetch` with it. */
const web = { 'http:': process.getBuiltinModule('node:http'), 'https:': process.getBuiltinModule('node:https') } as const

function post(address: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const url = new URL(address)
  const { request } = url.protocol === 'https:' ? web['https:'] : web['http:']
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) }, timeout: answerMs })
    sent.on('response', (answer: IncomingMessage) => {
      answer.resume()
      answer.once('close', () => resolve(answer.statusCode ?? 0))
    })
    sent.once('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.once('error', () => resolve(0))
    sent.end(body)
  })
}

const isTaken = ({ answers }: SentWebhook): boolean => {
  const status = answers.at(-1) ?? 0
  return status >= 200 && status < 300
}

function sign(body: string, { webhookHmac }: ShopifySwitches): Readonly<Record<string, string>> {
  if (webhookHmac === 'missing') return {}
  const key = webhookHmac === 'wrong' ? 'another-secret' : shopifyCredentials.clientSecret
  return { 'x-shopify-hmac-sha256': createHmac('sha256', key).update(body).digest('base64') }
}

/** Returns what sends webhooks: at once, twice, or later in order or in the reverse order. */
export function createDeliveries(state: DeliveryState) {
  let all: SentWebhook[] = []
  const sending = new Set<Promise<void>>()

  const replace = (one: SentWebhook, other: SentWebhook): void => {
    all = all.map((each) => (each === one ? other : each))
  }
  const send = async (webhook: SentWebhook): Promise<void> => {
    const status = await post(webhook.address, webhook.headers, webhook.body)
    const now = all.find(({ headers }) => headers === webhook.headers) ?? webhook
    replace(now, { ...now, answers: [...now.answers, status] })
  }
  const begin = (work: Promise<void>): void => {
    const running = work.finally(() => sending.delete(running))
    sending.add(running)
  }
  const build = ({ address, topic, version }: { address: string; topic: string; version: string }, body: string): SentWebhook => ({
    address,
    topic,
    body,
    answers: [],
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Shopify-Captain-Hook',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': storeHost,
      'x-shopify-api-version': version,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-event-id': randomUUID(),
      'x-shopify-triggered-at': new Date(state.clock()).toISOString(),
      ...sign(body, state.switches()),
    },
  })
  const findTargets = (topic: string) => {
    const own = state.subscriptions().map(({ address, topic: of, api_version: version }) => ({ address, topic: of, version }))
    if (!mandatoryTopics.includes(topic)) return own.filter((each) => each.topic === topic)
    return [...new Map(own.map((each) => [each.address, { ...each, topic }])).values()]
  }

  return {
    /** Sends a webhook to all subscriptions of a topic. Topics of privacy go to all addresses. Without a body there is nothing to send. */
    tell(topic: string, body: () => unknown): void {
      const targets = findTargets(topic)
      const content = targets.length === 0 ? undefined : body()
      if (content === undefined) return
      const text = JSON.stringify(content)
      const made = targets.map((target) => build(target, text))
      all = [...all, ...made].slice(-remembered)
      const { webhooks } = state.switches()
      if (webhooks === 'late' || webhooks === 'swapped') return
      for (const webhook of made) begin(send(webhook).then(() => (webhooks === 'twice' ? send(webhook) : undefined)))
    },
    /** Sends what waits, and what was not taken, again; in the reverse order with the switch `swapped`. */
    async sendWaiting(): Promise<void> {
      const waiting = all.filter((webhook) => !isTaken(webhook))
      const { webhooks } = state.switches()
      for (const webhook of webhooks === 'swapped' ? waiting.toReversed() : waiting) await send(webhook)
    },
    /** Resolves when nothing is being sent. */
    async settled(): Promise<void> {
      while (sending.size > 0) await Promise.all(sending)
    },
    list: (): readonly SentWebhook[] => all,
    reset() {
      all = []
    },
  }
}
