/** Two organizations that name the same vendor account: keys of budgets are no secrets, so one of them may be a stranger. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { pageOf, type Reply, serve, type TestServer } from '../engine/support.ts'
import { base, connectorsPath, createTenant, startWorld, type Tenant, type World } from './support.ts'

const list = { entity: 'users', action: 'list' }
const empty: Reply = { body: pageOf({ users: [] }) }
const users = (secret: string) => ({
  connector_type: 'gong',
  credentials: { access_key: 'AK_OF_A_COMPANY', access_key_secret: secret },
  environment: null,
})
const sentBy = (secret: string) => `Basic ${Buffer.from(`AK_OF_A_COMPANY:${secret}`).toString('base64')}`

describe('a stranger who knows an access key and not its secret', () => {
  let world: World
  let vendor: TestServer
  let owner: { readonly id: string }
  let stranger: Tenant & { readonly id: string }
  /** What a wrong secret is answered; undefined: as a right one. */
  let refusal: Reply | undefined
  // A clock of the test's: the stranger's calls are counted by it, however long the owner's calls take.
  const clock = { now: Date.now() }
  const engine = createEngine({ steady: () => clock.now })
  let running = 0
  const run: Engine['run'] = async (...given) => {
    running += 1
    return await engine.run(...given).finally(() => {
      running -= 1
    })
  }
  const execute = (id: string, token?: string) => {
    clock.now += 1_000
    return world.execute(id, list, token)
  }
  const strangers = () => vendor.seen.filter(({ headers }) => headers.authorization === sentBy('wrong')).length

  beforeAll(async () => {
    vendor = await serve(({ headers }) => (headers.authorization === sentBy('right') ? empty : (refusal ?? empty)))
    world = await startWorld({ settings: { origins: { gong: { api: vendor.origin } } }, engine: () => ({ ...engine, run }) })
    const other = await createTenant(world, 'Stranger')
    owner = { id: await world.connect('of the owner', users('right')) }
    stranger = { ...other, id: await world.connect('of the stranger', users('wrong'), other.token) }
    refusal = { status: 401, body: { requestId: 'r', errors: ['Invalid credentials'] } }
    expect((await execute(owner.id)).status).toBe(200)
    expect((await execute(stranger.id, stranger.token)).json.code).toBe('upstream_auth_failed')
  })
  afterAll(async () => {
    await world.close()
    await engine.close()
    await vendor[Symbol.asyncDispose]()
  })

  test('does not make its owner wait, with fifty-five calls in flight', async () => {
    const calls = inFlight(world, stranger, 55)
    const begun = () => {
      clock.now += 400
      return strangers()
    }
    await expect.poll(begun).toBeGreaterThan(1)
    const before = strangers()
    for (let call = 0; call < 6; call++) expect((await execute(owner.id)).status).toBe(200)
    expect(strangers() - before).toBeLessThan(20) // of the owner's six calls none waited for all of these
    expect(calls.ended()).toBeLessThan(30)
    calls.abort()
    await expect.poll(() => running).toBe(0)
  })

  test('does not make its owner wait by what the vendor tells the stranger, who waits fifteen minutes at most', async () => {
    refusal = { status: 429, headers: { 'retry-after': '86400' }, body: { requestId: 'r', errors: ['API request limit exceeded'] } }
    const told = await execute(stranger.id, stranger.token)
    expect([told.status, told.json.code]).toEqual([429, 'upstream_rate_limited'])
    expect((await execute(owner.id)).status).toBe(200)
    const before = strangers()
    const held = await execute(stranger.id, stranger.token)
    expect([held.status, held.json.code, strangers() - before]).toEqual([429, 'upstream_rate_limited', 0])
    expect(Number(held.headers['retry-after'])).toBeLessThanOrEqual(900)
    expect((await execute(owner.id)).status).toBe(200)
  })
})

/** Calls in flight, whatever becomes of them. */
function inFlight(world: World, { id, token }: { readonly id: string; readonly token: string }, count: number) {
  const controller = new AbortController()
  let ended = 0
  for (let call = 0; call < count; call++)
    void fetch(`${world.url}${connectorsPath}/${id}/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(list),
      signal: controller.signal,
    }).then(
      () => (ended += 1),
      () => undefined,
    )
  return { ended: () => ended, abort: () => controller.abort() }
}

test('an account that proved itself shares its budget with another organization that knows the secret too', async () => {
  await using vendor = await serve(() => empty)
  const clock = { now: Date.now() }
  const engine = createEngine({ steady: () => clock.now })
  const world = await startWorld({ settings: { origins: { gong: { api: vendor.origin } } }, engine: () => engine })
  try {
    const other = await createTenant(world, 'Partner')
    const one = await world.connect('one', users('right'))
    const two = await world.connect('two', users('right'), other.token)
    const slow = await world.execute(one, list)
    expect(slow.status).toBe(200)
    clock.now += 1000
    for (const [id, token] of [
      [one, world.token],
      [two, other.token],
      [one, world.token],
    ] as const)
      expect((await world.execute(id, list, token)).status).toBe(200)
    const sent = vendor.seen.length
    const fourth = world.execute(two, list, other.token)
    await world.ask(`${base}/workspaces`, { token: world.token })
    expect(vendor.seen).toHaveLength(sent) // the second is full: the fourth waits, until the clock is moved
    await new Promise((resolve) => setImmediate(resolve))
    clock.now += 1000
    expect((await fourth).status).toBe(200)
  } finally {
    await world.close()
    await engine.close()
  }
})
