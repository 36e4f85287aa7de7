/**
 * The matrix of lost answers of test/library/snowflake-once.test.ts, for a vendor that knows a repeated write by a key (Stripe) and for one
 * that does not (GitHub): whatever the link does, no write is done twice.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as waitForTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { createMemoryClaims } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { fixed } from '../engine/support.ts'
import { hastenTime } from '../support/hastened-time.ts'
import { loadSubject } from './connectors.ts'
import { type Subject, subjects } from './subjects.ts'

/** An answer on its way. */
interface Passing {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}
/** What the link does to one request: before it reaches the vendor, or to its answer. */
interface Break {
  readonly moment: 'before' | 'after'
  readonly does: (answer: ServerResponse, passing: Passing) => unknown
}

const send = (answer: ServerResponse, { status, type, body }: Passing, more: Readonly<Record<string, string | number>> = {}) =>
  answer.writeHead(status, { 'content-type': type, 'content-length': body.length, ...more }).end(body)
const with200 =
  (body: Buffer | string, more: Readonly<Record<string, string | number>> = {}) =>
  (answer: ServerResponse) => {
    send(answer, { status: 200, type: 'application/json', body: Buffer.from(body) }, more)
  }
const withStatus =
  (status: number, type = 'application/json', more: Readonly<Record<string, string>> = {}) =>
  (answer: ServerResponse) => {
    send(answer, { status, type, body: Buffer.from(type === 'text/html' ? '<html>Gateway</html>' : '{}') }, more)
  }
const reset = (answer: ServerResponse): void => void answer.socket?.destroy()
const cut = (answer: ServerResponse, { body, type }: Passing, more: Readonly<Record<string, string>> = {}): void => {
  const half = body.subarray(0, Math.ceil(body.length / 2))
  answer.writeHead(200, { 'content-type': type, 'content-length': body.length + 9, ...more }).write(half, () => answer.socket?.destroy())
}

const breaks: Readonly<Record<string, Break>> = {
  'a reset before the write': { moment: 'before', does: reset },
  'a reset after it': { moment: 'after', does: reset },
  'an answer that is cut': { moment: 'after', does: cut },
  'a 500 before': { moment: 'before', does: withStatus(500) },
  'a 500 after': { moment: 'after', does: withStatus(500) },
  'a 502 of a gateway after': { moment: 'after', does: withStatus(502, 'text/html') },
  'a 503 of a gateway before': { moment: 'before', does: withStatus(503, 'text/html') },
  'a 504 after': { moment: 'after', does: withStatus(504) },
  'half of the JSON': { moment: 'after', does: with200('{"id": ') },
  'half of the compressed answer': {
    moment: 'after',
    does: (answer, passing) => cut(answer, { ...passing, body: gzipSync(passing.body) }, { 'content-encoding': 'gzip' }),
  },
  'a body that is no JSON': { moment: 'after', does: with200('OK') },
  'an empty body': { moment: 'after', does: with200('') },
  'JSON of something else': { moment: 'after', does: with200('["hello"]') },
  'a late answer': { moment: 'after', does: (answer, passing) => waitForTurn().then(() => send(answer, passing)) },
  'a turn that is refused': { moment: 'before', does: withStatus(429, 'application/json', { 'retry-after': '1' }) },
}

const refusal = (status: number, error: object = {}) => ({
  does: (answer: ServerResponse) =>
    send(answer, { status, type: 'application/json', body: Buffer.from(JSON.stringify({ error })) }, { 'retry-after': '1' }),
})
/** What all attempts after a lost answer can meet. */
const refusals: Readonly<Record<string, { readonly does: Break['does'] } | 'closed'>> = {
  'a rate limit': refusal(429),
  'refused credentials': refusal(401),
  'a missing permission': refusal(403),
  'the first attempt at work': refusal(409, { code: 'idempotency_key_in_use' }),
  'a stored failure': refusal(402, { type: 'card_error', message: 'Your card was declined.' }),
  'a vendor that is down': 'closed',
}

/** A link to a vendor that breaks one request, and those after it. */
class Link {
  origin = ''
  /** Requests that reached the vendor. */
  passed = 0
  fault: Break | undefined
  /** What becomes of the requests after the broken one. */
  later: (typeof refusals)[string] | undefined
  readonly #vendor: () => string
  readonly #server = createServer((request, answer) => void this.#pass(request, answer).catch(() => answer.destroy()))

  constructor(vendor: () => string) {
    this.#vendor = vendor
  }

  async #pass(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const sent = Buffer.concat(await Array.fromAsync(request))
    const { fault } = this
    this.fault = this.later === undefined || this.later === 'closed' ? undefined : { moment: 'before', does: this.later.does }
    const nothing = { status: 200, type: 'application/json', body: Buffer.alloc(0) }
    if (fault?.moment === 'before') return void (await fault.does(answer, nothing))
    this.passed += 1
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers
    const { method = 'GET', url = '' } = request
    const body = sent.length === 0 ? {} : { body: sent }
    const given = await fetch(this.#vendor() + url, { method, headers: headers as Record<string, string>, ...body })
    const type = given.headers.get('content-type') ?? 'application/json'
    const passing = { status: given.status, type, body: Buffer.from(await given.arrayBuffer()) }
    if (this.later === 'closed') this.#server.close() // no further connections
    if (fault !== undefined) await fault.does(answer, passing)
    else if (given.status === 204) answer.writeHead(204).end()
    else send(answer, passing)
  }

  async listen(port = 0): Promise<this> {
    // An address at which no other test listens: the port stays free while it is closed.
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.3', resolve))
    this.origin = `http://127.0.0.3:${(this.#server.address() as AddressInfo).port}` // a server on a port has such an address
    return this
  }

  /** Lets all requests pass. */
  async mend(): Promise<void> {
    this.fault = undefined
    this.later = undefined
    if (!this.#server.listening) await this.listen(Number(new URL(this.origin).port))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** What breaks a write: its first request, and those after it. */
interface Breaking {
  readonly fault: Break
  readonly later?: (typeof refusals)[string]
}

/** Runs a write through a link that breaks it, and repeats it under the same key. @returns how both ended, and what was done */
async function writeTwice(subject: Subject, write: Subject['writes'][number], { fault, later }: Breaking) {
  await using vendor = subject.start()
  await vendor.listen()
  await using link = await new Link(() => vendor.origin).listen()
  const { definition } = await loadSubject(subject)
  const connection = {
    ...{ kind: { definition, rules: {} }, configuration: subject.config ?? {}, credentials: fixed(subject.credentials) },
    ...{ origin: { api: link.origin }, writes: createMemoryClaims() },
  }
  const engine = createEngine({ limits: false })
  const [row = {}] = write.of === undefined ? [] : vendor.holds(write.of)
  const before = vendor.holds(write.holds).length
  const { entity, action } = write
  const call = { entity, action, params: write.params(structuredClone(row)), idempotencyKey: 'key-1' }
  const run = () =>
    engine.run(connection, call).then(
      () => 'done',
      (thrown: unknown) => (thrown instanceof FerruleError ? thrown.code : String(thrown)),
    )
  using _time = hastenTime(20)
  Object.assign(link, { fault, later })
  const first = await run()
  const { passed } = link
  await link.mend()
  const second = first === 'done' ? 'done' : await run()
  await engine.close()
  return { first, second, more: vendor.holds(write.holds).length - before, passed, again: link.passed - passed }
}

const find = (slug: string): Subject => subjects.find((subject) => subject.slug === slug) as Subject // one of the ten

describe.each(Object.entries(breaks))('%s', (_name, fault) => {
  test('of Stripe, which knows the key: each write is done once, at the latest when it is repeated', async () => {
    for (const write of find('stripe').writes) {
      const ended = await writeTwice(find('stripe'), write, { fault })
      const isKnown = write.once === true
      if (isKnown) expect([write.action, ended]).toMatchObject([write.action, { second: 'done', more: write.more ?? 0 }])
      else expect(ended.passed + ended.again).toBeLessThanOrEqual(1)
    }
  })

  test('of GitHub, which knows none: no write is sent again after it may have been done', async () => {
    for (const write of find('github').writes) {
      const ended = await writeTwice(find('github'), write, { fault })
      const name = `${write.action} ${write.entity}`
      expect([name, ended.passed + ended.again]).toEqual([name, expect.toBeOneOf([0, 1])])
      expect([name, ended.more]).toEqual([name, expect.toBeOneOf([0, write.more ?? 0])])
      if (ended.first === 'done') expect([name, ended.more]).toEqual([name, write.more ?? 0])
      else if (ended.first === 'upstream_rate_limited') expect([name, ended.passed, ended.more]).toEqual([name, 0, 0])
      else expect([name, ended.first, ended.second]).toEqual([name, 'outcome_unknown', 'outcome_unknown'])
    }
  })
})

// Such a refusal can come before the vendor looks at the key, so it says nothing of the first attempt.
test.each(Object.entries(refusals))(
  'of Stripe, after a lost answer %s leaves the outcome unknown, and a repetition ends it',
  async (_name, later) => {
    const fault = { moment: 'after', does: reset } as const
    for (const write of find('stripe').writes.filter(({ once }) => once)) {
      const ended = await writeTwice(find('stripe'), write, { fault, later })
      const expected = { first: 'outcome_unknown', second: 'done', more: write.more ?? 0, passed: 1 }
      expect([write.action, ended]).toMatchObject([write.action, expected])
    }
  },
)

// Stripe removes keys that are "at least 24 hours old": https://docs.stripe.com/api/idempotent_requests
// Zendesk's keys expire after two hours: https://developer.zendesk.com/api-reference/ticketing/introduction/#idempotency
test.each([
  ['stripe', 24],
  ['zendesk', 2],
] as const)('%s knows a key for %i hours: after that a write whose answer was lost is not sent again', async (slug, hours) => {
  const subject = find(slug)
  const write = subject.writes.find(({ once, action }) => once === true && action === 'create') as Subject['writes'][number] // both have one
  await using vendor = subject.start()
  await vendor.listen()
  const time = { now: Date.now() }
  const clock = () => time.now
  const connection = {
    ...{ kind: { definition: (await loadSubject(subject)).definition, rules: {} }, configuration: subject.config ?? {} },
    ...{ credentials: fixed(subject.credentials), origin: { api: vendor.origin }, writes: createMemoryClaims(clock) },
  }
  const engine = createEngine({ limits: false, clock })
  const [row = {}] = write.of === undefined ? [] : vendor.holds(write.of)
  const params = write.params(structuredClone(row))
  const before = vendor.holds(write.holds).length
  const run = (idempotencyKey: string) =>
    engine.run(connection, { entity: write.entity, action: write.action, params, idempotencyKey, deadlineMs: 25_000 }).then(
      () => 'done',
      (thrown: unknown) => (thrown instanceof FerruleError ? thrown.code : String(thrown)),
    )
  const loseAnswers = async (key: string) => {
    vendor.lostAnswers = 100
    expect(await run(key)).toBe('outcome_unknown')
    vendor.lostAnswers = 0
  }
  const made = () => vendor.holds(write.holds).length - before
  using _time = hastenTime(20)

  await loseAnswers('known')
  time.now += hours * 3_600_000 - 600_000
  expect([await run('known'), made()]).toEqual(['done', 1])

  await loseAnswers('forgotten')
  const sent = vendor.calls.length
  vendor.forgetKeys()
  // A call that begins just before the end might reach the vendor after it.
  for (const passed of [hours * 3_600_000 - 5_000, 5_000, 60_000, 86_400_000]) {
    time.now += passed
    expect(await run('forgotten')).toBe('outcome_unknown')
  }
  expect([vendor.calls.length - sent, made()]).toEqual([0, 2])
  await engine.close()
})
