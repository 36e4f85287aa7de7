/**
 * How long vendors wait for the answer to their webhooks, one at a time and 20 at a time, against a bare server that verifies the same
 * signature and inserts one row. The service works on the events meanwhile: it reads the record of each and writes it into the copy.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import type { ConnectorWebhooks } from '../packages/ferrule/src/wire/index.ts'
import { type Child, start } from './child.ts'
import { buildCustomer } from './customers.ts'
import { connectTo, serviceCredentials } from './hosted.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

/** Requests at a time. */
const widths = [1, 20] as const
/** Customers that events name. */
const customers = 5_000
const secret = 'a client secret of the benchmark'
/** Wait between looks at what the service has still to work on, in milliseconds. */
const lookMs = 100

/** Where a side takes webhooks. */
interface Target {
  readonly child: Child
  readonly path: string
  /** Waits until nothing of a round is left to do. */
  readonly settle: () => Promise<void>
}

/** Times of a round in milliseconds, and CPU time of the server until all events are worked on, in microseconds of a request. */
interface Round {
  readonly median: number
  readonly p95: number
  readonly cpu: number
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1] ?? Number.NaN

let sent = 0

/** Builds the next request of the vendor. */
function buildRequest() {
  sent += 1
  const body = JSON.stringify(buildCustomer(1_000_000 + (sent % customers)))
  const headers = {
    'content-type': 'application/json',
    'x-shopify-topic': 'customers/update',
    'x-shopify-shop-domain': 'example.myshopify.com',
    'x-shopify-webhook-id': randomUUID(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
  }
  return { body, headers }
}

/** Sends webhooks for some seconds, so many at once. */
async function measure({ child, path, settle }: Target, seconds: number, width: number): Promise<Round> {
  const agent = new Agent({ connections: width })
  const before = await child.usage()
  const times: number[] = []
  const end = performance.now() + seconds * 1_000
  const send = async (): Promise<void> => {
    while (performance.now() < end) {
      const request = buildRequest()
      const begin = performance.now()
      const { statusCode, body } = await agent.request({ origin: child.origin, path, method: 'POST', ...request })
      await body.dump()
      times.push(performance.now() - begin)
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: width }, send))
  await settle()
  await agent.close()
  const { cpu } = await child.usage()
  return { median: percentile(times, 0.5), p95: percentile(times, 0.95), cpu: (cpu - before.cpu) / times.length }
}

/** Makes the address of a connector that copies customers. */
async function makeAddress(service: Child): Promise<Target> {
  const shop = { connector_type: 'shopify', credentials: { api_key: 'key' }, replication_config: { shop: 'example' } }
  const { id, headers } = await connectTo(service, { ...shop, entities: [{ entity: 'customers' }] })
  await service.tell(`shopify customers ${id}`)
  const url = `${service.origin}/api/v1/integrations/connectors/${id}/webhooks`
  const ask = async (init: RequestInit): Promise<ConnectorWebhooks> => {
    const answer = await fetch(url, { ...init, headers })
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as ConnectorWebhooks // of our own API
  }
  const { address } = await ask({ method: 'PUT', body: JSON.stringify({ secret }) })
  if (address === null) throw new Error('there is no address')
  const settle = async (): Promise<void> => {
    for (;;) {
      const { waiting, given_up: lost } = await ask({ method: 'GET' })
      if (lost > 0) throw new Error(`${lost} events were given up`)
      if (waiting === 0) return
      await sleep(lookMs)
    }
  }
  return { child: service, path: new URL(address).pathname, settle }
}

/** Runs the benchmark, a line for each number of requests at a time. */
export async function* vendorEvents(effort: Effort): AsyncGenerator<Result> {
  await using vendor = await start('vendor.ts')
  const origins = { FERRULE_ORIGINS: JSON.stringify({ shopify: vendor.origin }), BENCH_VENDOR_EVENTS: 'on' }
  await using service = await start('service.ts', { ...serviceCredentials, ...origins })
  await using bare = await start('vendor-events-baseline.ts', { BENCH_SECRET: secret })
  const sides = { ours: await makeAddress(service), baseline: { child: bare, path: '/', settle: async () => {} } }
  for (const width of widths) {
    const { ours, baseline } = await alternate<Target, Round>(sides, effort, (target) => measure(target, effort.seconds, width))
    const middle = (rounds: readonly Round[], name: keyof Round) => median(rounds.map((round) => round[name]))
    yield time({
      ...{ name: `vendor-events-${width}`, unit: 'ms', ours: middle(ours, 'median'), baseline: middle(baseline, 'median') },
      ...{ ours_p95: middle(ours, 'p95'), baseline_p95: middle(baseline, 'p95') },
      ...{ ours_cpu_us: middle(ours, 'cpu'), baseline_cpu_us: middle(baseline, 'cpu') },
    })
  }
}
