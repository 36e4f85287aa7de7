/** Bodies that never end: all together they take no more memory than the setting allows, and nobody else is kept from theirs. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { callOf, type Reply, type Seen, serve } from '../engine/support.ts'
import { createTenant, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

let answer: (seen: Seen) => Reply = () => ({})

const vendor = await share(serve((seen) => answer(seen)))
const world = await share(
  startWorld({ settings: { origins: { gong: { api: vendor.origin } }, bodyMemory: 8_388_608, operationSeconds: 240 } }),
)
const greedy = await world.connect('greedy', { environment: undefined })
const modest = await createTenant(world, 'modest', { environment: undefined })

const list = { entity: 'calls', action: 'list' }
const good: Reply = { body: { requestId: 'r', records: {}, calls: [callOf('1')] } }

/** Sends JSON without an end, as fast as it is taken. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"calls":["')
  const chunk = 'x'.repeat(65_536)
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', more)
  }
  more()
}

/** Memory that is counted now. */
async function held(): Promise<number> {
  const { text } = await world.ask('/metrics')
  return Number(/^ferrule_body_memory_bytes (\S+)$/m.exec(text)?.[1])
}

test('bodies that never end are refused, another organization gets its answer, and all is given back', async () => {
  answer = ({ url }) => (url.includes('endless') ? endless : good)
  const attack = Array.from({ length: 12 }, () => world.execute(greedy, { ...list, params: { cursor: 'endless' } }))
  await vi.waitFor(async () => expect(await held()).toBeGreaterThan(6_000_000), 240_000)
  const most = held()
  expect(await world.execute(modest.connectorId, list, modest.token)).toMatchObject({ status: 200 })
  expect(await most).toBeLessThanOrEqual(8_388_608)
  expect((await world.ask('/health/ready')).status).toBe(200)
  const codes = (await Promise.all(attack)).map(({ json }) => json.code)
  expect(codes.filter((code) => code !== 'overloaded' && code !== 'result_too_large')).toEqual([])
  expect(codes).toContain('overloaded')
  await vi.waitFor(async () => expect(await held()).toBe(0), 240_000)
})

test('what is packed small is counted as it is unpacked', async () => {
  const packed = gzipSync(JSON.stringify({ requestId: 'r', calls: [callOf('1', { extra: 'x'.repeat(20_000_000) })] }))
  answer = () => ({ headers: { 'content-encoding': 'gzip' }, body: packed })
  const answers = await Promise.all(Array.from({ length: 4 }, () => world.execute(greedy, { ...list, select_fields: ['id'] })))
  for (const { status, json } of answers)
    expect([200, 503]).toContain(status === 503 ? (json.code === 'overloaded' ? 503 : json.code) : status)
  expect(answers.some(({ status }) => status === 200)).toBe(true) // one may have all there is
  await vi.waitFor(async () => expect(await held()).toBe(0), 240_000)
})
