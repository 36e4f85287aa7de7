/** A vendor that drips its body: at the deadline of the call the transfer ends, and its bytes are given back. */
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { callOf, heldTimers, type Reply, serve } from '../engine/support.ts'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

let reply: Reply = {}
const closed: Promise<void>[] = []

const vendor = await share(serve(() => reply))
const world = await share(startWorld({ settings: { origins: { gong: { api: vendor.origin } } } }))
const connector = await world.connect('dripping', { environment: undefined })

/** Sends the beginning of a body of a known or an unknown length, then a byte now and then without an end. @param after some of these */
const drip =
  (first: string, { headers, after }: { readonly headers: Readonly<Record<string, string>>; readonly after: () => void }) =>
  (response: ServerResponse): void => {
    closed.push(new Promise((resolve) => response.once('close', resolve)))
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.write(first)
    let bytes = 0
    const timer = setInterval(() => {
      response.write('x')
      bytes += 1
      if (bytes === 3) after()
    }, 10)
    response.once('close', () => clearInterval(timer))
  }

async function held(): Promise<number> {
  const { text } = await world.ask('/metrics')
  return Number(/^ferrule_body_memory_bytes (\S+)$/m.exec(text)?.[1])
}

test.each([
  ['of an unknown length', '{"calls":["', {}],
  ['of a declared length', '{"calls":["', { 'content-length': '10000000' }],
  ['after some megabytes', `{"calls":["${'y'.repeat(3_000_000)}`, {}],
  ['after nothing', '', {}],
])('a body %s', async (_name, first, headers) => {
  const before = await held()
  const timers = heldTimers()
  reply = drip(first, { headers, after: () => timers.pass(60_000) })
  const { status, json } = await world.execute(connector, { entity: 'calls', action: 'list' }).finally(timers[Symbol.dispose])
  expect([status, json.code]).toEqual([504, 'upstream_timeout'])
  await Promise.all(closed.splice(0)) // the vendor sees that the transfer ended
  await expect.poll(held).toBe(before)
  reply = { body: { requestId: 'r', records: {}, calls: [callOf('1')] } }
  expect((await world.execute(connector, { entity: 'calls', action: 'list' })).status).toBe(200)
})
