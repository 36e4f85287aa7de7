import { isObject, parseJson } from '../../http.ts'
import { type Answer, missingScope, notFound, ok, Refusal } from '../answers.ts'
import { shopTime } from '../world.ts'
import { findTopicScope } from './topics.ts'

/** A subscription of the app: whatever token made it, the app's other tokens see it. */
export interface Subscription {
  readonly id: number
  readonly address: string
  readonly topic: string
  readonly created_at: string
  readonly updated_at: string
  readonly format: 'json'
  readonly fields: readonly string[]
  readonly metafield_namespaces: readonly string[]
  readonly api_version: string
}

/** A request to the endpoints of subscriptions. */
export interface SubscriptionRequest {
  readonly method: string
  /** Path below the version, without `.json`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  readonly scopes: readonly string[]
  readonly version: string
  readonly now: number
}

/** An address of this machine may be http, for tests. */
function isAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && /^(localhost|127\..*|\[::1\])$/.test(url.hostname))
}

/** Returns the subscriptions of the app, and what answers `/webhooks`. */
export function createSubscriptions() {
  let all: readonly Subscription[] = []
  let last = 0

  const add = ({ body, scopes, version, now }: SubscriptionRequest): Answer => {
    const given = parseJson(body)
    const asked = isObject(given) ? given['webhook'] : undefined
    if (!isObject(asked)) throw new Refusal(400, { webhook: 'Required parameter missing or invalid' })
    const [topic, address] = [String(asked['topic'] ?? ''), String(asked['address'] ?? '')]
    const scope = findTopicScope(topic)
    if (scope === undefined) throw new Refusal(422, { topic: [`Invalid topic specified: ${topic}`] })
    if (scope !== '' && !scopes.includes(scope)) throw missingScope(scope)
    if (!isAddress(address)) throw new Refusal(422, { address: ['is invalid'] })
    if (all.some((each) => each.topic === topic && each.address === address))
      throw new Refusal(422, { address: ['for this topic has already been taken'] })
    last += 1
    const time = shopTime(now)
    const beside = { format: 'json', fields: [], metafield_namespaces: [], api_version: version } as const
    const webhook: Subscription = { id: 901_431_826_000 + last, address, topic, created_at: time, updated_at: time, ...beside }
    all = [...all, webhook]
    return { status: 201, body: { webhook } }
  }

  const list = (query: URLSearchParams): readonly Subscription[] =>
    all.filter(({ topic, address }) => (query.get('topic') ?? topic) === topic && (query.get('address') ?? address) === address)

  const answerOne = (id: number, method: string): Answer => {
    const webhook = all.find((each) => each.id === id)
    if (webhook === undefined) throw notFound
    if (method === 'GET') return ok({ webhook })
    if (method !== 'DELETE') throw new Refusal(405, 'Method Not Allowed', { allow: 'GET, DELETE' })
    all = all.filter((each) => each !== webhook)
    return ok({})
  }

  return {
    /** Answers a request; undefined for other paths. @throws Refusal */
    answer(request: SubscriptionRequest): Answer | undefined {
      const [, name, id] = request.path.split('/')
      if (name !== 'webhooks') return undefined
      if (id === 'count') return ok({ count: list(request.query).length })
      if (id !== undefined) return answerOne(Number(id), request.method)
      if (request.method === 'GET') return ok({ webhooks: list(request.query) })
      if (request.method !== 'POST') throw new Refusal(405, 'Method Not Allowed', { allow: 'GET, POST' })
      return add(request)
    },
    list: (): readonly Subscription[] => all,
    reset() {
      all = []
    },
  }
}
