/** What the console asks the service for, beside what other clients ask. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { base, startWorld, type World } from './support.ts'

let world: World
let connector: string
beforeAll(async () => {
  world = await startWorld()
  connector = await world.connect('Console')
})
afterAll(() => world.close())

const ask = (path: string) => world.ask(`${base}${path}`, { token: world.token })

describe('calls over time', () => {
  test('are those of clients, with the codes of their errors', async () => {
    await world.execute(connector, { entity: 'users', action: 'list' })
    await world.execute(connector, { entity: 'users', action: 'fetch' })
    await world.execute(connector, { entity: 'users', action: 'context_store_search', params: { query: {} } })
    world.clock.now += 1
    const { status, json } = await ask(`/usage?connector_id=${connector}&step=5m`)
    expect(status).toBe(200)
    expect(json.total).toMatchObject({ calls: 3, failed: 2, aborted: 0, latency: { p50_ms: expect.any(Number) } })
    expect(json.total.errors.map(({ code, fault }: Record<string, unknown>) => [code, fault])).toEqual([
      ['action_not_supported', 'caller'],
      ['context_store_unavailable', 'service'],
    ])
    expect((await ask('/usage')).json.total.calls).toBe(3)
  })

  test('are refused for a range that ends before it begins', async () => {
    const { status, json } = await ask('/usage?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', '/from'])
  })
})
