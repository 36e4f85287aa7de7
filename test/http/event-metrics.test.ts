import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { connectorsPath, type Json } from './support.ts'
import { VendorWorld } from './vendor-webhooks-support.ts'
import { endpointsPath, Receiver } from './webhook-support.ts'

const receiver = await share(new Receiver().start())
const here = await share(VendorWorld.start({ webhookHosts: ['127.0.0.1'] }))
const owner = await here.tenant('Owner')
const connectorId = await here.connect(owner)
await here.world.context.events.run()

/** Numbers of the metrics of events, by their names with labels. */
async function read(): Promise<ReadonlyMap<string, number>> {
  const { text } = await here.world.ask('/metrics')
  const lines = text.split('\n').filter((line) => /^ferrule_(?:events|webhook|vendor_event|vendor_webhooks)_/.test(line))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}
const attempts = (outcome: string) => `ferrule_webhook_attempt_duration_seconds_count{outcome="${outcome}"}`
const worked = (outcome: string) => `ferrule_vendor_event_duration_seconds_count{outcome="${outcome}"}`
const due = (queue: string) => `ferrule_events_due{queue="${queue}"}`
const dueSeconds = (queue: string) => `ferrule_events_due_seconds{queue="${queue}"}`
const disabled = 'ferrule_webhook_endpoints{endpoint_status="disabled"}'

const endpoint = async (name: string, more: object = {}): Promise<Json> => {
  const made = await here.ok(owner, 'POST', endpointsPath, { name, url: `${receiver.address}/${name}`, ...more })
  await here.world.context.events.run()
  return made
}
const rename = (name: string) => here.ok(owner, 'PATCH', `${connectorsPath}/${connectorId}`, { name })

test('attempts to deliver are counted by what they leave, from the first scrape on', async () => {
  const before = await read()
  expect([before.get(attempts('delivered')), before.get(attempts('failed')), before.get(disabled)]).toEqual([0, 0, 0])
  await endpoint('good')
  const gone = await endpoint('gone')
  receiver.replies.set('gone', [{ status: 500 }, { status: 410 }])
  await rename('Counted')
  await here.world.context.events.run()
  expect((await read()).get(attempts('waiting'))).toBe(1)
  here.world.clock.now += 60_000
  await here.world.context.events.run()
  const after = await read()
  expect([after.get(attempts('failed')), after.get(disabled)]).toEqual([1, 1])
  expect(after.get(attempts('delivered'))).toBeGreaterThan(2)
  expect(after.get('ferrule_webhook_attempt_duration_seconds_bucket{le="60",outcome="failed"}')).toBe(1)
  await here.ok(owner, 'DELETE', `${endpointsPath}/${gone.id}`)
})

test('an endpoint with an order that fails holds nothing back that is due', async () => {
  const { id } = await endpoint('ordered', { ordered: true })
  receiver.replies.set('ordered', [{ status: 500 }])
  await rename('One')
  await here.world.context.events.run()
  await rename('Two')
  await here.world.context.events.run()
  expect((await read()).get(due('deliveries'))).toBe(0)
  await here.ok(owner, 'DELETE', `${endpointsPath}/${id}`)
})

test('events of vendors are counted while they are due, and with the time until they are worked on', async () => {
  const address = await here.makeAddress(owner, connectorId)
  const { data } = await here.ok(owner, 'POST', `${connectorsPath}/${connectorId}/execute`, {
    entity: 'custom_collections',
    action: 'list',
    params: { limit: 1 },
  })
  await here.send(address, { id: data[0].id })
  here.world.clock.now += 30_000
  const waiting = await read()
  expect(waiting.get('ferrule_vendor_webhooks_total{outcome="taken"}')).toBe(1)
  expect([waiting.get(due('vendor_events')), waiting.get(dueSeconds('vendor_events'))]).toEqual([2, 30]) // an event names a collection of either sort
  expect(waiting.get(worked('worked'))).toBe(0)
  await here.work()
  const after = await read()
  expect([after.get(due('vendor_events')), after.get(dueSeconds('vendor_events'))]).toEqual([0, 0])
  expect([after.get(worked('worked')), after.get(worked('given_up'))]).toEqual([2, 0])
  const within = (seconds: number) => after.get(`ferrule_vendor_event_duration_seconds_bucket{le="${seconds}",outcome="worked"}`)
  expect([within(10), within(30)]).toEqual([0, 2])
})
