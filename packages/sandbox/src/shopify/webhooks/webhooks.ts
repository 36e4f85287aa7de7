import { isObject, json, type Reply } from '../../http.ts'
import type { IdKind } from '../world.ts'
import { createDeliveries, type DeliveryState, type SentWebhook } from './deliveries.ts'
import { createSubscriptions, type SubscriptionRequest } from './subscriptions.ts'
import { recordTopics } from './topics.ts'

/** What can be asked of, and done to, the webhooks of the store. */
export interface ShopifyWebhooks {
  /** The newest 1,000 webhooks with the answers of their receivers, oldest first. */
  sent(): readonly SentWebhook[]
  /** Sends a webhook of any topic to those who subscribed to it, such as `app/uninstalled`. Topics of privacy go to all addresses. */
  tell(topic: string, body: unknown): void
  /** Sends what waits, and what was not taken, again. */
  sendWaiting(): Promise<void>
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>
}

interface WebhookState extends Omit<DeliveryState, 'subscriptions'> {
  /** Returns a record as the API answers it; undefined for a missing one. */
  readonly read: (path: string, key: string) => unknown
}

/** Returns the subscriptions of the app, and what sends webhooks to them. */
export function createWebhooks({ read, ...state }: WebhookState) {
  const subscriptions = createSubscriptions()
  const deliveries = createDeliveries({ ...state, subscriptions: subscriptions.list })
  const visible: ShopifyWebhooks = {
    sent: deliveries.list,
    tell: (topic, body) => deliveries.tell(topic, () => body),
    sendWaiting: deliveries.sendWaiting,
    settled: deliveries.settled,
  }
  const path = '/_sandbox/webhooks'
  const tell = (given: unknown): Reply => {
    const { topic, body } = isObject(given) ? given : {}
    if (typeof topic !== 'string') return json(400, { error: 'A webhook has a topic, and a body' })
    visible.tell(topic, body ?? {})
    return json(200, { topic })
  }
  const sendWaiting = async (): Promise<Reply> => {
    await visible.sendWaiting()
    return json(200, { webhooks: visible.sent() })
  }
  return {
    visible,
    control: [
      { method: 'GET', path, handle: () => json(200, { webhooks: visible.sent() }) },
      { method: 'POST', path, handle: tell },
      { method: 'POST', path: `${path}/waiting`, handle: sendWaiting },
    ],
    answer: (request: SubscriptionRequest) => subscriptions.answer(request),
    /** Sends webhooks about a record that was changed or removed. */
    changed(kind: IdKind, id: number, isRemoved: boolean): void {
      const topics = recordTopics[kind]
      if (topics === undefined) return
      const { records, changed, removed } = topics
      const readFirst = () => records.map(([at, key]) => read(`${at}/${id}`, key)).find((record) => record !== undefined)
      if (isRemoved) deliveries.tell(removed, () => ({ id }))
      else deliveries.tell(changed, readFirst)
    },
    reset() {
      subscriptions.reset()
      deliveries.reset()
    },
  }
}
