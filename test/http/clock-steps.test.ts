/** The machine's clock steps by an hour: nobody is locked out. */
import { afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { movedTime } from '../engine/snowflake-support.ts'
import { gongAt, pageOf, serve } from '../engine/support.ts'
import { client, startWorld, tokenPath, type World } from './support.ts'

const hour = 3_600_000
const list = { entity: 'users', action: 'list', select_fields: ['id'] }
let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

/** Time passes, and the clock shows it in its own way. */
function pass(clock: World['clock'], milliseconds: number, step = 0): void {
  clock.steady = (clock.steady ?? clock.now) + milliseconds
  clock.now += milliseconds + step
}

describe.each([-hour, hour])('a step by %i ms', (step) => {
  test('leaves the minute of an organization as it is: full until it is over, and not longer', async () => {
    world = await startWorld({ settings: { rateLimit: 2 }, steps: true })
    const { clock } = world
    const id = await world.connect('limited')
    let token = world.token
    const status = async () => (await world?.execute(id, list, token))?.status
    expect([await status(), await status()]).toEqual([200, 200])
    pass(clock, 1_000, step)
    const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })
    token = json.access_token // a token is over when the clock has passed its end
    const refused = await world.execute(id, list, token)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '59'])
    pass(clock, 59_000)
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429])
  })

  test('back leaves tokens as long as they are', async () => {
    world = await startWorld({ steps: true })
    const { clock, token } = world
    const status = async () => (await world?.ask('/api/v1/workspaces', { token }))?.status
    pass(clock, 1_000, Math.min(0, step))
    expect(await status()).toBe(200)
    pass(clock, 898_000)
    expect(await status()).toBe(200)
    pass(clock, 2_000)
    expect(await status()).toBe(401)
  })

  test("leaves the vendor's budget as it is", async () => {
    await using vendor = await serve(() => ({ body: pageOf({ users: [] }) }))
    const clock: World['clock'] = { now: Date.now() }
    clock.steady = clock.now
    const engine = createEngine({ wall: () => clock.now, steady: () => clock.steady ?? 0 })
    using time = movedTime()
    const call = { entity: 'users', action: 'list' }
    for (let count = 0; count < 3; count++) await engine.run(gongAt(vendor.origin), call)
    pass(clock, 0, step)
    time.left = 400
    await expect(engine.run(gongAt(vendor.origin), call)).rejects.toMatchObject({ retryAfterMs: 1_000 })
    pass(clock, 1_000)
    await engine.run(gongAt(vendor.origin), call)
    expect(vendor.seen).toHaveLength(4)
    await engine.close()
    expect(kinds.gong.definition.limits.rates[0]).toEqual({ calls: 3, seconds: 1 })
  })
})
