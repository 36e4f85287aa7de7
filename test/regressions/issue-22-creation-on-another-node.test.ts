// Issue 22, E8: a creation repeated on another node, while the first ran, ended in connector_name_conflict.
import { expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { connectorBody, createWorld, firstPrincipal, refusal } from '../platform/world.ts'
import { createStubEngine } from '../support/engines.ts'
import { share } from '../support/share.ts'

let waits = Promise.withResolvers<void>()
/** The vendor as each node sees it. */
const vendor: { one: Engine['checkAccount']; two: Engine['checkAccount'] } = { one: async () => undefined, two: async () => undefined }
const world = await share(createWorld('postgres', 'creation nodes'))
const one = await world.open({ engine: () => createStubEngine({ checkAccount: (connection) => vendor.one(connection) }) })
const two = await world.open({
  engine: () => createStubEngine({ checkAccount: (connection) => vendor.two(connection) }),
  sleep: async (milliseconds) => {
    waits.resolve()
    world.now += milliseconds
    await new Promise((resolve) => setTimeout(resolve, 5))
  },
})
const principal = await firstPrincipal(one)

/** Begins a creation on the first node, whose vendor answers when the test says so. */
async function begin(name: string) {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<undefined>()
  vendor.one = () => {
    asked.resolve()
    return answer.promise
  }
  const made = one.connectors.create(principal, connectorBody({ name }), { idempotencyKey: name })
  made.catch(() => undefined)
  await asked.promise
  waits = Promise.withResolvers<void>()
  return { made, answer }
}

/** Repeats a creation on the second node, and counts how often its vendor was asked. */
function repeat(name: string, more: Record<string, unknown> = {}) {
  const seen = { calls: 0, replays: 0 }
  vendor.two = async () => {
    seen.calls += 1
    return undefined
  }
  const trial = {
    idempotencyKey: name,
    replayed: () => {
      seen.replays += 1
    },
  }
  return { seen, made: two.connectors.create(principal, connectorBody({ name, ...more }), trial) }
}

test('a repeat waits for the first, and answers its result', async () => {
  const first = await begin('both')
  const second = repeat('both')
  await Promise.race([waits.promise, second.made])
  expect(await refusal(repeat('both', { name: 'another' }).made)).toMatch(/^idempotency_key_conflict/)
  first.answer.resolve(undefined)
  expect((await second.made).id).toBe((await first.made).id)
  expect(second.seen).toEqual({ calls: 0, replays: 1 })
})

test('a repeat of one that fails is tried itself, and of one that is done is answered', async () => {
  const first = await begin('failing')
  const second = repeat('failing')
  await Promise.race([waits.promise, second.made])
  first.answer.reject(fail('upstream_auth_failed', { vendor: 'Good Notes', reason: 'status 401' }))
  expect(await refusal(first.made)).toMatch(/^upstream_auth_failed/)
  const { id } = await second.made
  expect(second.seen).toEqual({ calls: 1, replays: 0 })
  expect((await repeat('failing').made).id).toBe(id)
  // After a failure the key is free for another body.
  const other = await begin('free')
  other.answer.reject(fail('upstream_auth_failed', { vendor: 'Good Notes', reason: 'status 401' }))
  await refusal(other.made)
  expect((await repeat('free', { name: 'freed' }).made).name).toBe('freed')
})

test('a repeat does not wait for a node that died', async () => {
  const first = await begin('dead')
  // The node does not renew its lease, as far as the other node sees.
  await world.raw().db.updateTable('connector_creations').set({ owner: 'a dead node' }).where('busy_until', '>', 0).execute()
  const second = repeat('dead')
  const { id } = await second.made
  expect(second.seen).toEqual({ calls: 1, replays: 0 })
  first.answer.resolve(undefined)
  expect(await refusal(first.made)).toMatch(/^connector_name_conflict/)
  expect((await repeat('dead').made).id).toBe(id)
})
