import { expect, test } from 'vitest'
import { shopifyAt } from './shopify-support.ts'
import { failure, serve, testEngine } from './support.ts'

test('the scopes are what the vendor lists', async () => {
  await using server = await serve(() => ({ body: { access_scopes: [{ handle: 'read_orders' }, { handle: 'read_products' }] } }))
  await using engine = testEngine()
  expect(await engine.scopes(shopifyAt(server.origin))).toEqual(new Set(['read_orders', 'read_products']))
})

test.each([{}, { access_scopes: null }, { access_scopes: { handle: 'read_orders' } }, 'none'])(
  'an answer without a list is none, and not a token without scopes: %j',
  async (body) => {
    await using server = await serve(() => ({ body }))
    await using engine = testEngine()
    expect(await failure(engine.scopes(shopifyAt(server.origin)))).toMatchObject({ code: 'upstream_answer_invalid' })
  },
)
