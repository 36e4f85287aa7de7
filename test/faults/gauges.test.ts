/** What runs is counted right, whatever went wrong: a wrong count would stay forever. */
import { channel } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import type { Fault } from '../../packages/sandbox/src/index.ts'
import { createMetrics } from '../../packages/server/src/main/metrics.ts'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { withoutJitter } from './doors.ts'

withoutJitter()
const world = await share(startWorld({ settings: { operationSeconds: 2 } }))
const connectorId = await world.connect('gauges')

const users = { entity: 'users', action: 'list' }
const file = () => ({
  entity: 'call_audio',
  action: 'download',
  params: { filter: { callIds: [world.sandbox.gong.world.callId] }, contentSelector: { exposedFields: { media: true } } },
})

async function inFlight(): Promise<readonly string[]> {
  const { text } = await world.ask('/metrics')
  return text
    .split('\n')
    .filter((line) => /^ferrule_\w+_in_flight/.test(line))
    .toSorted()
}
const none = ['ferrule_executes_in_flight 0', 'ferrule_vendor_requests_in_flight 0']

test.each<[string, Fault, () => unknown]>([
  ['connections that are reset', { kind: 'reset', times: 3 }, () => users],
  ['answers that are cut', { kind: 'cut', after: 100, times: 3 }, () => users],
  ['a vendor that does not answer', { kind: 'never-answer' }, () => users],
  ['a body that is too large', { kind: 'huge-body', bytes: 40_000_000, chunked: true }, () => users],
  ['a file that is cut', { kind: 'cut', after: 10_000, on: 'media' }, file],
  ['a file host that does not answer', { kind: 'never-answer', on: 'media' }, file],
])('after %s nothing is in flight', async (_what, fault, body) => {
  world.sandbox.faults.add(fault)
  await world.execute(connectorId, body()).catch(() => undefined) // a cut file breaks the connection
  await expect.poll(inFlight).toEqual(none)
  expect(world.sandbox.faults.pending()).toEqual([])
})

test('a request that was aborted is over once, although its connection fails afterwards', async () => {
  // As undici announces it in that case (HTTP/1, the socket ends after the abort); no server can be made to time it.
  const metrics = createMetrics()
  const message = { request: {}, error: new Error('aborted') }
  for (const event of ['create', 'error', 'error']) channel(`undici:request:${event}`).publish(message)
  expect((await metrics.text()).content).toMatch(/^ferrule_vendor_requests_in_flight 0$/m)
  metrics.close()
})
