import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { share } from '../support/share.ts'
import { connectorsPath, createTenant, sandboxConnector, startWorld } from './support.ts'

const list = { entity: 'users', action: 'list', select_fields: ['id'] }

describe('calls per minute', async () => {
  const world = await share(startWorld({ settings: { rateLimit: 3 } }))
  const connectorId = await world.connect('limited')

  const shown = async () => {
    const { status, headers } = await world.execute(connectorId, list)
    return [status, headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset'], headers['retry-after']]
  }

  test('are counted down and refused at the end, until the minute is over', async () => {
    expect(await shown()).toEqual([200, '3', '2', '60', undefined])
    world.clock.now += 20_500
    expect((await world.execute(connectorId, { entity: 'nothing', action: 'list' })).headers['ratelimit-remaining']).toBe('1')
    expect(await shown()).toEqual([200, '3', '0', '40', undefined])
    const refused = await world.execute(connectorId, list)
    expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([429, 'rate_limited', '40'])
    expect(refused.json).toMatchObject({ retryable: true, fault: 'caller', retry_after_seconds: 40 })
    const checked = await world.ask(`${connectorsPath}/check`, { token: world.token, body: sandboxConnector('x') })
    expect(checked.json.code).toBe('rate_limited')
    world.clock.now += 39_500
    expect(await shown()).toEqual([200, '3', '2', '60', undefined])
  })

  test('are the same for existing clients, who read whole seconds', async () => {
    world.clock.now += 60_000
    for (const _ of [1, 2, 3]) await world.execute(connectorId, list)
    const refused = await world.ask(`/compat${connectorsPath}/${connectorId}/execute`, { token: world.token, body: list })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
  })

  test('are those of one organization', async () => {
    const other = await createTenant(world, 'Other')
    world.clock.now += 60_000
    for (const _ of [1, 2, 3]) await world.execute(connectorId, list)
    expect((await world.execute(connectorId, list)).status).toBe(429)
    expect((await world.execute(other.connectorId, list, other.token)).status).toBe(200)
  })

  test('do not slow anything else', async () => {
    const { status, headers } = await world.ask(connectorsPath, { token: world.token })
    expect([status, headers['ratelimit-limit']]).toEqual([200, undefined])
  })
})

describe('calls at one time', async () => {
  let held: { readonly arrived: Promise<void>; readonly release: () => void } | undefined

  let gate: { enter(): Promise<void> } | undefined
  function hold() {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: opened, resolve: release } = Promise.withResolvers<void>()
    gate = {
      enter: () => {
        arrive()
        return opened
      },
    }
    held = { arrived, release }
    return held
  }

  const engine = (real: Engine): Pick<Engine, 'run'> => ({
    run: async (connection, call) => {
      await gate?.enter()
      return real.run(connection, call)
    },
  })
  const world = await share(startWorld({ settings: { concurrency: 1 }, engine }))
  const connectorId = await world.connect('limited')

  test('are refused beyond the limit and let in again', async () => {
    const { arrived, release } = hold()
    const first = world.execute(connectorId, list)
    await arrived
    const second = await world.execute(connectorId, list)
    expect([second.status, second.json.code, second.headers['retry-after']]).toEqual([503, 'overloaded', '1'])
    gate = undefined
    release()
    expect((await first).status).toBe(200)
    expect((await world.execute(connectorId, list)).status).toBe(200)
  })

  test('count a download until its last byte', async () => {
    const params = { filter: { callIds: [world.sandbox.gong.world.largeCallId] }, contentSelector: { exposedFields: { media: true } } }
    const body = { entity: 'call_audio', action: 'download', params }
    const message = await world.open(`${connectorsPath}/${connectorId}/execute`, { token: world.token, body })
    expect(message.statusCode).toBe(200)
    expect((await world.execute(connectorId, list)).json.code).toBe('overloaded')
    message.resume()
    await once(message, 'end')
    expect((await world.execute(connectorId, list)).status).toBe(200)
  })

  test('count a failed call no longer', async () => {
    expect((await world.execute(connectorId, { entity: 'nothing', action: 'list' })).status).toBe(422)
    expect((await world.execute(connectorId, list)).status).toBe(200)
  })
})

describe('the size of an answer', () => {
  test('ends at 32 MiB', async () => {
    const bytes = { count: 0 }
    const engine = (): Pick<Engine, 'run'> => ({
      run: async () => ({ type: 'list', data: [{ text: 'ü'.repeat(bytes.count / 2) }], meta: { next_params: null } }),
    })
    const world = await startWorld({ engine })
    const connectorId = await world.connect('large')
    bytes.count = 32 * 1024 * 1024 - 200
    const fits = await world.execute(connectorId, { entity: 'users', action: 'list' })
    expect([fits.status, fits.bytes.length > bytes.count]).toEqual([200, true])
    bytes.count = 32 * 1024 * 1024
    const refused = await world.execute(connectorId, { entity: 'users', action: 'list' })
    expect([refused.status, refused.json.code]).toEqual([422, 'result_too_large'])
    await world.close()
  })
})
