/** A hosted walk over more than ten thousand orders. */
import { expect, test } from 'vitest'
import { walkOrders } from '../http/shopify-orders.ts'
import { sandboxStore, startWorld } from '../http/support.ts'
import { manyOrders, start } from '../sandbox/shopify-client.ts'

test('next_params lead to each of more than ten thousand orders once', async () => {
  const world = await startWorld({ sandbox: { clock: () => start } })
  try {
    expect(await walkOrders(world, await world.connect('store', sandboxStore('store')), manyOrders)).toBeGreaterThan(10_000)
  } finally {
    await world.close()
  }
})
