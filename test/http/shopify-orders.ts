/** A walk over a store's orders as a plain client makes it. */
import { expect } from 'vitest'
import { countOrders } from '../sandbox/shopify-client.ts'
import type { Json, World } from './support.ts'

/**
 * Follows `next_params` to the end, and expects each order once. Every 2,500 orders are 30 MB, made and read in this process.
 * @param connector id of a connector of the sandbox's store
 * @param filter of the list
 * @returns how many orders there were
 */
export async function walkOrders(world: World, connector: string, filter: Readonly<Record<string, string>>): Promise<number> {
  const ids: number[] = []
  for (let params: object | null = { limit: 250, ...filter }; params !== null; ) {
    const { status, json } = await world.execute(connector, { entity: 'orders', action: 'list', params, select_fields: ['id'] })
    expect(status).toBe(200)
    const { data, meta }: Json = json
    ids.push(...data.map((order: Json) => order.id))
    params = meta.next_params === null ? null : { ...params, ...meta.next_params }
  }
  expect(ids).toHaveLength(await countOrders(world.sandbox.origins.shopify.api, filter))
  expect(new Set(ids).size).toBe(ids.length)
  return ids.length
}
