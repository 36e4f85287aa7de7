/** What one tenant, and nobody at all, can do to others: figures. */
import { expect, test } from 'vitest'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { pageOf, type Reply, serve } from '../engine/support.ts'
import { client, connectorsPath, createTenant, startWorld, tokenPath, type World } from '../http/support.ts'

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Milliseconds of calls in a row. */
async function times(count: number, call: () => Promise<number>): Promise<number[]> {
  const taken: number[] = []
  for (let each = 0; each < count; each++) {
    const begin = performance.now()
    expect(await call()).toBe(200)
    taken.push(performance.now() - begin)
  }
  return taken
}

/** Runs so many concurrent attacks, again and again, while other work is done. */
async function amid<T>(count: number, attack: (signal: AbortSignal) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const attackers = Array.from({ length: count }, async () => {
    while (!controller.signal.aborted) await attack(controller.signal).catch(() => undefined)
  })
  try {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    return await work()
  } finally {
    controller.abort()
    await Promise.all(attackers)
  }
}

const post = (world: World, path: string, { body, token, signal }: { body: object; token?: string; signal: AbortSignal }) =>
  fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    signal,
  }).then((answer) => answer.text())

test('a stranger with a wrong secret, 55 calls in flight and a 429 for a day: the owner of the account is within 2 times of its quiet time', async () => {
  const sent = (secret: string) => `Basic ${Buffer.from(`AK_OF_A_COMPANY:${secret}`).toString('base64')}`
  const of = (secret: string) => ({ credentials: { access_key: 'AK_OF_A_COMPANY', access_key_secret: secret }, environment: null })
  let refusal: Reply | undefined
  let wrong = 0
  await using vendor = await serve(({ headers }) => {
    if (refusal === undefined || headers.authorization === sent('right')) return { body: pageOf({ users: [] }) }
    wrong += 1
    return refusal
  })
  const engine = createEngine()
  const world = await startWorld({ settings: { origins: { gong: { api: vendor.origin } } }, engine: () => engine })
  try {
    const stranger = await createTenant(world, 'Stranger')
    const owner = await world.connect('of the owner', of('right'))
    const id = await world.connect('of the stranger', of('wrong'), stranger.token)
    const list = { entity: 'users', action: 'list' }
    const call = async () => (await world.execute(owner, list)).status
    const ask = (signal: AbortSignal) => post(world, `${connectorsPath}/${id}/execute`, { body: list, token: stranger.token, signal })
    refusal = { status: 401, body: { requestId: 'r', errors: ['Invalid credentials'] } }
    await world.execute(id, list, stranger.token)
    // Four callers use the vendor's three calls a second up, so a median is a wait for a turn, whatever else the machine does.
    const callers = async () => median((await Promise.all(Array.from({ length: 4 }, () => times(10, call)))).flat())
    const quiet = await callers()
    const waiting = await amid(55, ask, callers)
    const refused = wrong
    refusal = { status: 429, headers: { 'retry-after': '86400' }, body: { requestId: 'r', errors: ['API request limit exceeded'] } }
    const pacing = (signal: AbortSignal) => ask(signal).then(() => new Promise((resolve) => setTimeout(resolve, 1_000)))
    const told = await amid(55, pacing, callers)
    const figures = [quiet, waiting, told].map((each) => `${each.toFixed(0)} ms`)
    console.log(`the owner's median: ${figures[0]} quiet, ${figures[1]} with 55 calls in flight, ${figures[2]} after a 429 for a day`)
    console.log(`of the stranger's calls ${refused} were sent, then ${wrong - refused}`)
    expect(waiting).toBeLessThanOrEqual(2 * quiet)
    expect(told).toBeLessThanOrEqual(2 * quiet)
  } finally {
    await world.close()
    await engine.close()
  }
})

test.each([
  ['a client that does not exist', () => 'nobody'],
  ['a client that exists, each time another secret', () => client.id],
])('ninety connections with %s: those that are right get their token, in 100 ms at the median', async (what, clientId) => {
  const world = await startWorld()
  try {
    const body = () => ({ client_id: clientId(), client_secret: crypto.randomUUID() })
    const right = async () => (await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })).status
    const quiet = median(await times(50, right))
    const taken = await amid(
      90,
      (signal) => post(world, tokenPath, { body: body(), signal }),
      () => times(200, right),
    )
    console.log(
      `${what}: a token in ${quiet.toFixed(1)} ms quiet, ${median(taken).toFixed(1)} ms under attack, ${Math.max(...taken).toFixed(0)} ms at most`,
    )
    expect(median(taken)).toBeLessThanOrEqual(100)
  } finally {
    await world.close()
  }
})
