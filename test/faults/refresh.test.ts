/** Single-use refresh tokens under load and under faults: one renewal for all calls, on all nodes, and its outcome is kept. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/index.ts'
import { type Sandbox, sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { failure, gongAt, testEngine } from '../engine/support.ts'
import { makeFolder } from '../support/folder.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { type Answered, ask } from './client.ts'
import { clientOf, type ServiceNode, settingsFor, startNode } from './node.ts'

const { clientId, clientSecret, expiredToken, refreshToken, revokedToken } = sandboxCredentials
const tokenPath = '/oauth2/generate-customer-token'
const list = { entity: 'workspaces', action: 'list' }
const day = 86_400_000

/** Credentials whose access token has ended, as they themselves say. */
const expired = {
  refresh_token: refreshToken,
  access_token: expiredToken,
  client_id: clientId,
  client_secret: clientSecret,
  token_expiry_date: '2024-01-01T00:00:00Z',
}
/** Credentials whose access token the vendor refuses, which nobody knows before. */
const { token_expiry_date: _end, ...revoked } = { ...expired, access_token: revokedToken }

interface Installation {
  readonly sandbox: Sandbox
  readonly clock: { now: number }
  start(): Promise<ServiceNode>
}

/** Makes an installation for one test. */
async function install(database: 'SQLite' | 'PostgreSQL'): Promise<Installation> {
  const clock = { now: Date.now() }
  const sandbox = await startSandbox({ limits: false, clock: () => clock.now })
  onTestFinished(() => sandbox.close())
  const env: Record<string, string> = { ...settingsFor(sandbox, makeFolder('refresh', onTestFinished)) }
  if (database === 'PostgreSQL') {
    const { url, drop } = await createTestDatabase('refresh')
    onTestFinished(drop)
    Object.assign(env, { DATABASE_URL: url, FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
  }
  return {
    sandbox,
    clock,
    start: async () => {
      const node = await startNode({ env, clock: () => clock.now })
      onTestFinished(node.close)
      return node
    },
  }
}

/** The vendor takes a second or two for a token, so that all calls wait for it. */
const slowToken = (sandbox: Sandbox) => sandbox.faults.add({ kind: 'slow-body', intervalMs: 1, on: 'oauth' })
/** Statuses of the vendor's answers cannot be seen; what was asked of its token endpoint can. */
const tokenRequests = (sandbox: Sandbox): (string | undefined)[] =>
  sandbox.gong.requests().flatMap(({ path, query }) => (path === tokenPath ? [query['refresh_token']] : []))

/** Makes concurrent calls, shared out over the nodes. */
async function callAll(nodes: readonly ServiceNode[], { id, count }: { id: string; count: number }): Promise<Answered[]> {
  const clients = await Promise.all(nodes.map(clientOf))
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const client = clients[index % clients.length]
      if (client === undefined) throw new Error('no node')
      return ask({ ...client.execute(id), body: list })
    }),
  )
}

const succeeded = (answers: readonly Answered[]): readonly string[] => [
  ...new Set(answers.map(({ status, text }) => (status === 200 ? 'ok' : text))),
]

describe.each([
  ['SQLite', 1],
  ['PostgreSQL', 2],
] as const)('hosted on %s, %i service(s)', (database, count) => {
  // Each test starts its services twice, and the first one the run's database server.
  test.each([
    ['has expired', expired, true],
    ['was revoked', revoked, false],
  ])('50 calls at one time on a token that %s ask the vendor once; what it gave outlives a restart', async (_what, credentials, isSlow) => {
    const { sandbox, clock, start } = await install(database)
    const nodes = await Promise.all(Array.from({ length: count }, start))
    const [first] = nodes
    if (first === undefined) throw new Error('no node')
    const id = await (await clientOf(first)).connect('oauth', credentials)
    if (isSlow) slowToken(sandbox)
    expect(succeeded(await callAll(nodes, { id, count: 50 }))).toEqual(['ok'])
    expect(tokenRequests(sandbox)).toEqual([refreshToken])

    for (const node of nodes) await node.close()
    clock.now += 2 * day
    const restarted = await Promise.all(nodes.map(start))
    expect(succeeded(await callAll(restarted, { id, count: 50 }))).toEqual(['ok'])
    const [, rotated] = tokenRequests(sandbox)
    expect(tokenRequests(sandbox)).toHaveLength(2)
    expect(rotated).not.toBe(refreshToken)
  })
})

describe('hosted, when the renewal meets a fault', () => {
  const connected = async () => {
    const { sandbox, start } = await install('SQLite')
    const client = await clientOf(await start())
    const id = await client.connect('oauth', expired)
    return { sandbox, call: () => ask({ ...client.execute(id), body: list }), stored: () => client.connector(id) }
  }

  test.each([
    ['a 503', { kind: 'status', status: 503 }, [502, 'upstream_error', 'vendor', true]],
    ['a 429', { kind: 'status', status: 429, retryAfter: 7 }, [429, 'upstream_rate_limited', 'vendor', true]],
    ['a page of a gateway', { kind: 'html-502' }, [502, 'upstream_error', 'vendor', true]],
    ['a reset', { kind: 'reset' }, [502, 'upstream_unreachable', 'vendor', true]],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/' }, [502, 'upstream_answer_invalid', 'vendor', true]],
    ['malformed JSON', { kind: 'malformed-json' }, [502, 'upstream_answer_invalid', 'vendor', true]],
    ['an empty body', { kind: 'empty-body' }, [502, 'upstream_answer_invalid', 'vendor', true]],
    ['a body of 40 MB', { kind: 'huge-body', bytes: 40_000_000 }, [502, 'upstream_answer_invalid', 'vendor', true]],
  ] as const)('%s: all 50 calls are told, and the next call renews', async (_what, fault, told) => {
    const { sandbox, call, stored } = await connected()
    sandbox.faults.add({ ...fault, on: 'oauth' })
    const answers = await Promise.all(Array.from({ length: 50 }, call))
    const failed = answers.filter(({ status }) => status !== 200)
    for (const { status, json } of failed) expect([status, json.code, json.fault, json.retryable]).toEqual(told)
    expect(failed.length).toBeGreaterThan(0)
    expect((await stored()).status).not.toBe('auth_error')
    expect((await call()).status).toBe(200)
    expect(tokenRequests(sandbox)).toEqual([refreshToken, refreshToken])
  })

  test('an answer that is lost has spent the token: the connector says what to do', async () => {
    const { sandbox, call, stored } = await connected()
    sandbox.faults.add({ kind: 'cut', after: 20, on: 'oauth' })
    expect((await call()).json).toMatchObject({ code: 'upstream_unreachable', retryable: true })
    const { json } = await call()
    expect(json).toMatchObject({ status: 424, code: 'upstream_auth_failed', fault: 'credentials', retryable: false })
    expect(json.hint).toBe('Connect the account again: the refresh token was used or revoked.')
    expect(await stored()).toMatchObject({ status: 'auth_error' })
    expect(tokenRequests(sandbox)).toHaveLength(2)
  })
})

describe('in the library', () => {
  test.each([
    ['has expired', expired, true],
    ['was revoked', revoked, false],
  ])('50 calls at one time on a token that %s ask the vendor once; what it gave goes on', async (_what, credentials, isSlow) => {
    await using sandbox = await startSandbox({ limits: false })
    let kept: Readonly<Record<keyof typeof revoked, string>> & { readonly token_expiry_date?: string } = credentials
    const open = () =>
      connect('gong', {
        credentials: kept,
        origin: sandbox.origins.gong,
        limits: false,
        onCredentials: (next) => {
          kept = { ...kept, ...next }
        },
      })
    if (isSlow) slowToken(sandbox)
    for (const round of [1, 2]) {
      await using gong = open()
      const pages = await Promise.all(Array.from({ length: 50 }, () => gong.workspaces.list()))
      expect(new Set(pages.map(({ data }) => data.length))).toEqual(new Set([3]))
      expect(tokenRequests(sandbox)).toHaveLength(round)
      expect(kept.refresh_token).not.toBe(tokenRequests(sandbox).at(-1))
      kept = { ...kept, token_expiry_date: '2024-01-01T00:00:00Z' }
    }
    expect(new Set(tokenRequests(sandbox)).size).toBe(2)
  })
})

test('a download does not wait beyond its time for a renewal that another call began', async () => {
  await using sandbox = await startSandbox({ limits: false })
  await using engine = testEngine()
  const access = gongAt(sandbox.origins.gong, { values: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' } })
  let opened = 0
  const { open, renew } = access.credentials
  const credentials = { open: () => (++opened === 1 ? open() : new Promise<never>(() => {})), renew }
  const params = { filter: { callIds: [sandbox.gong.world.callId] }, contentSelector: { exposedFields: { media: true } } }
  const call = engine.run({ ...access, credentials }, { entity: 'call_audio', action: 'download', params, deadlineMs: 400 })
  expect(await failure(call)).toMatchObject({
    code: 'upstream_timeout',
    message: 'Gong did not answer in time: no answer within 400 milliseconds.',
  })
})
