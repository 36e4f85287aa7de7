/** Who shares a vendor's budget: keys are no secrets, so only credentials that proved themselves do. In simulated time. */
import { describe, expect, test } from 'vitest'
import { MemoryLimiter } from '../../packages/ferrule/src/engine/limits/in-memory.ts'
import type { Asker, Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { provenAsker } from './limiter-support.ts'
import { movedTime } from './snowflake-support.ts'
import { accessKey, failure, gongAt, pageOf, type Reply, serve, testEngine } from './support.ts'

const limits = { key: [], rates: [{ calls: 3, seconds: 1 }] } as const
const start = Date.parse('2026-01-01T00:00:00Z')
const day = 86_400_000

/** Credentials that nobody knows yet. */
const stranger = (credential: string): Asker => ({ key: 'k', credential, limits })
const known = provenAsker(limits)

function turnOf(limiter: MemoryLimiter, asker: Asker, now = start): Turn {
  const { turn } = limiter.reserve(asker, { now, latest: now + day })
  if (turn === undefined) throw new Error('no turn was given')
  return turn
}

/** Returns the seconds at which waiting calls are sent, which ask again when they must. */
function sentAt(limiter: MemoryLimiter, calls: readonly Turn[], from = start): number[] {
  return entered(
    limiter,
    calls.map((turn) => ({ turn })),
    from,
  ).map(({ at }) => at)
}

function entered<T extends { readonly turn: Turn }>(limiter: MemoryLimiter, calls: readonly T[], from = start): (T & { at: number })[] {
  const waiting = calls.map((call) => ({ call, next: from }))
  const sent: (T & { at: number })[] = []
  for (let first = waiting.shift(); first !== undefined; first = waiting.sort((a, b) => a.next - b.next).shift()) {
    const wait = limiter.enter(first.call.turn, first.next)
    if (wait === 0) sent.push({ ...first.call, at: (first.next - start) / 1000 })
    else waiting.push({ call: first.call, next: first.next + wait })
  }
  return sent
}

describe('credentials that have not proven themselves', () => {
  test('send one call a second of their key, all together, and take nothing from those that have', () => {
    const limiter = new MemoryLimiter()
    const unknown = Array.from({ length: 6 }, (_each, index) => turnOf(limiter, stranger(`secret ${index}`)))
    expect(sentAt(limiter, unknown)).toEqual([0, 1, 2, 3, 4, 5])
    const proven = Array.from({ length: 3 }, () => limiter.reserve(known, { now: start, latest: start }))
    expect(proven.map(({ wait, turn }) => [wait, turn === undefined])).toEqual(Array(3).fill([0, false]))
  })

  test('take turns: fifty-five calls with one wrong secret hold up the first call of another by one second', () => {
    const limiter = new MemoryLimiter()
    const wrong = Array.from({ length: 55 }, () => ({ who: 'wrong', turn: turnOf(limiter, stranger('wrong')) }))
    const sent = entered(limiter, [...wrong, { who: 'new', turn: turnOf(limiter, stranger('new')) }])
    expect(sent.findIndex(({ who }) => who === 'new')).toBe(1)
    expect(sent).toHaveLength(56)
  })

  test('are told at once when their turn would come too late, once the vendor has refused them: before, an answer may change that', () => {
    const limiter = new MemoryLimiter()
    const turns = Array.from({ length: 5 }, () => turnOf(limiter, stranger('wrong')))
    const hasty = { now: start, latest: start + 4999 }
    const unjudged = limiter.reserve(stranger('wrong'), hasty)
    expect([unjudged.wait, unjudged.turn === undefined]).toEqual([100, false])
    if (unjudged.turn !== undefined) limiter.giveBack(unjudged.turn)
    for (const turn of turns.slice(0, 1)) limiter.prove(turn, false, start)
    expect(limiter.reserve(stranger('wrong'), hasty)).toEqual({ turn: undefined, wait: 5000 })
    expect(limiter.reserve(stranger('new'), { now: start, latest: start + 1000 }).turn).toBeDefined()
  })

  test('share the budget as soon as the vendor took one of their calls, which counts', () => {
    const limiter = new MemoryLimiter()
    const turns = Array.from({ length: 4 }, () => turnOf(limiter, stranger('right')))
    const [first, ...others] = turns
    if (first === undefined) throw new Error('no turn')
    expect(limiter.enter(first, start)).toBe(0)
    limiter.prove(first, true, start)
    expect(sentAt(limiter, others)).toEqual([0, 0, 1])
  })

  test('that were taken and are refused later share it no longer', () => {
    const limiter = new MemoryLimiter()
    const turn = turnOf(limiter, known)
    limiter.prove(turn, false, start)
    const lapsed: Asker = { ...known, isProven: () => false }
    expect(sentAt(limiter, [turnOf(limiter, lapsed), turnOf(limiter, lapsed)])).toEqual([0, 1])
  })
})

describe('a wait that the vendor asks for', () => {
  test('of credentials that have not proven themselves holds them alone', () => {
    const limiter = new MemoryLimiter()
    const turn = turnOf(limiter, stranger('wrong'))
    limiter.enter(turn, start)
    limiter.postpone(turn, start + day, start)
    expect(limiter.reserve(stranger('wrong'), { now: start, latest: start + 899_999 })).toEqual({ turn: undefined, wait: 900_000 })
    expect(limiter.reserve(known, { now: start, latest: start }).turn).toBeDefined()
    expect(sentAt(limiter, [turnOf(limiter, stranger('other'))], start + 1000)).toEqual([1])
  })

  test('of proven credentials holds the whole key for fifteen minutes at most; then one call goes, and the others when it was taken', () => {
    const limiter = new MemoryLimiter()
    const refused = turnOf(limiter, known)
    limiter.postpone(refused, start + day, start)
    const other = { ...known, credential: 'another' }
    expect(limiter.reserve(other, { now: start, latest: start + 899_999 })).toEqual({ turn: undefined, wait: 900_000 })
    const turns = [turnOf(limiter, other), turnOf(limiter, known), turnOf(limiter, known)]
    const [probe, ...others] = turns.map((turn) => ({ turn, wait: limiter.enter(turn, start + 900_000) }))
    expect(probe?.wait).toBe(0)
    expect(others.map(({ wait }) => wait)).toEqual([100, 100])
    if (probe === undefined) throw new Error('no probe')
    limiter.prove(probe.turn, true, start + 900_250)
    expect(
      sentAt(
        limiter,
        others.map(({ turn }) => turn),
        start + 900_300,
      ),
    ).toEqual([901, 901]) // their own turns had passed, and a second holds three
  })

  test('goes on when the call that looks is told to wait as well; one that brings no answer lets another look', () => {
    const limiter = new MemoryLimiter()
    limiter.postpone(turnOf(limiter, known), start + day, start)
    const [first, second] = [turnOf(limiter, known), turnOf(limiter, known)]
    const later = start + 900_000
    expect([limiter.enter(first, later), limiter.enter(second, later)]).toEqual([0, 100])
    limiter.giveBack(first) // no answer came
    expect(limiter.enter(second, later + 100)).toBeGreaterThanOrEqual(0)
    limiter.postpone(second, later + day, later + 200)
    limiter.giveBack(second)
    expect(limiter.reserve(known, { now: later + 200, latest: later + 200 })).toEqual({ turn: undefined, wait: 900_000 })
  })

  test('lets no call in the background look while another one does', () => {
    const limiter = new MemoryLimiter()
    limiter.postpone(turnOf(limiter, known), start + 2000, start)
    const probe = turnOf(limiter, known)
    expect(limiter.enter(probe, start + 2000)).toBe(0)
    const wish = { now: start + 3000, latest: start + day, background: true }
    expect(limiter.reserve(known, wish)).toEqual({ turn: undefined, wait: 100 })
    limiter.prove(probe, true, start + 3000)
    expect(limiter.reserve(known, wish).turn).toBeDefined()
  })
})

describe('credentials prove themselves by', () => {
  const page: Reply = { body: pageOf({ calls: [] }) }
  const said = (status: number, headers: Record<string, string> = {}): Reply => ({
    status,
    headers,
    body: { requestId: 'r', errors: ['the vendor says so'] },
  })
  const answers: readonly [string, Reply, boolean][] = [
    ['a success', page, true],
    ['400 with the words of the vendor', said(400), true],
    ['404 with the words of the vendor', said(404), true],
    ['403 with the words of the vendor', said(403), true],
    [
      'nothing of 403 with a page of somebody else',
      { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' },
      false,
    ],
    ['nothing of 403 with JSON of somebody else', { status: 403, body: { message: 'Forbidden' } }, false],
    ['nothing of 404 with a page of somebody else', { status: 404, body: '<h1>Not found</h1>' }, false],
    ['nothing of 401', said(401), false],
    ['nothing of 429', said(429, { 'retry-after': '0' }), false],
    ['nothing of 500', said(500), false],
    ['nothing of a page with status 200', { body: '<h1>Welcome</h1>' }, false],
    ['nothing of a redirect', { status: 302, headers: { location: 'https://elsewhere.example/' } }, false],
  ]
  const call = { entity: 'calls', action: 'list', params: { fromDateTime: '2026-01-01T00:00:00Z' } }

  test.each(answers)('%s', async (_what, reply, proves) => {
    let given = reply
    await using server = await serve(() => given)
    const clock = { now: start }
    await using engine = testEngine({ limits: true, clock: () => clock.now })
    using _time = movedTime(proves ? 10_000 : 200) // nobody waits for the turn of a second attempt
    await engine.run(gongAt(server.origin), call).catch(() => undefined)
    given = page
    const before = server.seen.length
    const next = await failure(engine.run(gongAt(server.origin), call)).catch(() => 'sent')
    expect([next === 'sent', server.seen.length - before]).toEqual(proves ? [true, 1] : [false, 0])
  })

  test('with one secret, not with another, and not for another budget', async () => {
    await using server = await serve(() => page)
    const clock = { now: start }
    await using engine = testEngine({ limits: true, clock: () => clock.now })
    using _time = movedTime(500)
    const run = (values: Record<string, string>) =>
      engine.run(gongAt(server.origin, { values: { ...accessKey, ...values } }), call).then(
        () => 'sent',
        () => 'held',
      )
    expect([await run({}), await run({})]).toEqual(['sent', 'sent'])
    expect(await run({ access_key_secret: 'another' })).toBe('held')
    expect(await run({ access_key: 'AK_OTHER' })).toBe('sent')
    clock.now += 1000
    expect(await run({ access_key_secret: 'another' })).toBe('sent')
    expect(await run({ access_key_secret: 'a third' })).toBe('held')
    expect([await run({}), await run({}), await run({})]).toEqual(['sent', 'sent', 'held']) // three in a second, with the other's call
  })
})
