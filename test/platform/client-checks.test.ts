/** Checks client secrets while other clients send wrong ones. */
import { describe, expect, test } from 'vitest'
import { ClientChecks, type ClientCredentials } from '../../packages/server/src/tenancy/applications/client-checks.ts'
import { refusal } from './world.ts'

const right = 'the right secret'

/** Builds checks whose hashes end on command, with a clock that the test moves. */
function desk({ held = false } = {}) {
  const clock = { now: 0 }
  const looked: string[] = []
  const pauses: number[] = []
  const open: (() => void)[] = []
  const checks = new ClientChecks({
    steady: () => clock.now,
    isSecret: async (secret) => {
      looked.push(secret)
      clock.now += 40
      if (held) await new Promise<void>((resolve) => open.push(resolve))
      return secret === right
    },
    pause: async (milliseconds) => pauses.push(milliseconds),
  })
  const outcome = (claim: Partial<ClientCredentials>, stored: string | null = 'hash') =>
    refusal(checks.check({ clientId: 'client', clientSecret: right, address: '203.0.113.1', ...claim }, stored ?? undefined)).then(
      (text) => text.split(':')[0],
      () => 'right',
    )
  /** Ends all hashes until nothing waits. */
  const finish = async () => {
    for (let idle = 0; idle < 5; idle = open.length > 0 ? 0 : idle + 1) {
      open.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { clock, looked, pauses, outcome, finish, release: () => open.shift()?.() }
}

describe('a secret', () => {
  test('is looked at once: what was right or wrong a moment ago is known', async () => {
    const { outcome, looked, clock } = desk()
    expect([await outcome({}), await outcome({})]).toEqual(['right', 'right'])
    expect([await outcome({ clientSecret: 'wrong' }), await outcome({ clientSecret: 'wrong' })]).toEqual([
      'invalid_client',
      'invalid_client',
    ])
    expect(looked).toEqual([right, 'wrong'])
    clock.now += 60_000
    expect(await outcome({ clientSecret: 'wrong' })).toBe('invalid_client')
    expect(looked).toHaveLength(3)
  })

  test('of a client that does not exist is not looked at', async () => {
    const { outcome, looked } = desk()
    expect(await strangers(outcome)).toEqual(Array(20).fill('invalid_client'))
    expect(looked).toEqual([])
  })

  test('that was replaced is looked at anew, right or wrong', async () => {
    const { outcome, looked } = desk()
    await outcome({})
    await outcome({ clientSecret: 'wrong' })
    await outcome({}, 'another hash')
    await outcome({ clientSecret: 'wrong' }, 'another hash')
    expect(looked).toEqual([right, 'wrong', right, 'wrong'])
  })

  test('is looked at once for those who bring it together', async () => {
    const { outcome, looked, finish } = desk({ held: true })
    const asked = Array.from({ length: 90 }, () => outcome({ clientSecret: 'wrong' }))
    await finish()
    expect(await Promise.all(asked)).toEqual(Array(90).fill('invalid_client'))
    expect(looked).toEqual(['wrong'])
  })

  test('is refused after a time that does not tell whether the client exists', async () => {
    const { outcome, pauses, clock } = desk()
    const took: number[] = []
    for (const stored of ['hash', 'hash', null]) {
      const before = clock.now
      await outcome({ clientSecret: 'wrong' }, stored)
      took.push(clock.now - before + (pauses.at(-1) ?? 0))
    }
    expect(took).toEqual([250, 250, 250])
  })
})

const strangers = (outcome: ReturnType<typeof desk>['outcome']) =>
  Promise.all(Array.from({ length: 20 }, (_each, index) => outcome({ clientId: `nobody ${index}`, clientSecret: `guess ${index}` }, null)))

describe('while one address guesses the secret of a client', () => {
  const guesses = (outcome: ReturnType<typeof desk>['outcome'], count: number, more: Partial<ClientCredentials> = {}) =>
    Array.from({ length: count }, (_each, index) => outcome({ clientSecret: `guess ${index}`, address: '198.51.100.7', ...more }))

  test('a client that got a token before does not wait', async () => {
    const { outcome, finish, release } = desk({ held: true })
    const first = outcome({})
    await new Promise((resolve) => setImmediate(resolve))
    release()
    await first
    const all = guesses(outcome, 90)
    expect(await outcome({})).toBe('right')
    await finish()
    await Promise.all(all)
  })

  test('another address is next, and so is another client of the same address', async () => {
    const { outcome, looked, finish } = desk({ held: true })
    const all = guesses(outcome, 90)
    all.push(outcome({ address: '203.0.113.9' }), outcome({ clientId: 'other', address: '198.51.100.7', clientSecret: 'new' }))
    await finish()
    await Promise.all(all)
    expect(looked.indexOf(right)).toBeLessThan(5)
    expect(looked.indexOf('new')).toBeLessThan(6)
  })

  test('with more than may wait, the newest of it are refused, and nobody else', async () => {
    const { outcome, finish } = desk({ held: true })
    const all = guesses(outcome, 400)
    const good = outcome({ address: '203.0.113.9' })
    await finish()
    const outcomes = await Promise.all(all)
    expect(await good).toBe('right')
    expect(outcomes.filter((each) => each === 'overloaded').length).toBeGreaterThanOrEqual(140)
    expect(outcomes.slice(0, 200)).toEqual(Array(200).fill('invalid_client'))
  })

  test('addresses of one IPv6 network are one', async () => {
    const { outcome, looked, finish } = desk({ held: true })
    const all = Array.from({ length: 60 }, (_each, index) => outcome({ clientSecret: `guess ${index}`, address: `2001:db8:1:2::${index}` }))
    all.push(outcome({ address: '2001:db8:9::1' }))
    await finish()
    await Promise.all(all)
    expect(looked.indexOf(right)).toBeLessThan(5)
  })
})
