import { expect, test } from 'vitest'
import { readServiceSettings, type ServiceOptions } from '../../packages/ferrule/src/client/settings.ts'
import { Transport } from '../../packages/ferrule/src/client/transport.ts'
import { endpoints } from '../../packages/ferrule/src/wire/endpoints.ts'
import type { OrganizationRecord } from '../../packages/ferrule/src/wire/organizations.ts'
import { client, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const world = await share(startWorld())

/** A transport whose requests are noted, and can be answered by the test. */
function open(more: ServiceOptions = {}, answer: (url: string, init: RequestInit) => Response | undefined = () => undefined) {
  const sent: { url: string; init: RequestInit }[] = []
  const settings = readServiceSettings({
    ...{ url: world.url, clientId: client.id, clientSecret: client.secret },
    fetch: async (input, init = {}) => {
      sent.push({ url: String(input), init })
      return answer(String(input), init) ?? fetch(input, init)
    },
    ...more,
  })
  return { transport: new Transport(settings), sent, paths: () => sent.map(({ url }) => new URL(url).pathname) }
}

const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  Response.json({ code, message: `it is ${code}`, hint: 'do this', retryable: true, errors: [] }, { status, headers })
const organizations = (transport: Transport) =>
  transport.json<{ data: readonly OrganizationRecord[] }>(endpoints.listOrganizations, { deadlineMs: 50_000 })

test('concurrent requests share one token', async () => {
  const { transport, paths } = open()
  const answers = await Promise.all([organizations(transport), organizations(transport), organizations(transport)])
  expect(answers.map(({ data }) => data[0]?.id)).toEqual(Array(3).fill(world.organizationId))
  expect(paths().filter((path) => path === endpoints.createToken.path)).toHaveLength(1)
})

test('clients of one identity share a token; another secret or organization has its own', async () => {
  const { transport, paths } = open()
  const { settings } = transport
  const countTokens = () => paths().filter((path) => path === endpoints.createToken.path).length
  await Promise.all([organizations(transport), organizations(new Transport({ ...settings }))])
  expect(countTokens()).toBe(1)
  const wrong = new Transport({ ...settings, identity: { type: 'client', clientId: client.id, clientSecret: 'wrong' } })
  await expect(organizations(wrong)).rejects.toMatchObject({ code: 'invalid_client' })
  await organizations(new Transport({ ...settings, organizationId: world.organizationId }))
  expect(countTokens()).toBe(3)
  transport.renewToken()
  await organizations(new Transport(settings))
  expect(countTokens()).toBe(4)
})

test('a refused token is replaced once', async () => {
  let refusals = 0
  const { transport, paths } = open({}, (url) => {
    if (url.endsWith('/organizations') && refusals === 0) {
      refusals += 1
      return problem(401, 'token_expired')
    }
    return undefined
  })
  expect((await organizations(transport)).data[0]?.id).toBe(world.organizationId)
  const token = endpoints.createToken.path
  const list = endpoints.listOrganizations.path
  expect(paths()).toEqual([token, list, token, list])
})

test('a token that stays refused is an error, and a given token is not renewed', async () => {
  const refusing = open({}, (url) => (url.endsWith('/organizations') ? problem(401, 'token_expired') : undefined))
  await expect(organizations(refusing.transport)).rejects.toMatchObject({ code: 'token_expired', status: 401 })
  expect(refusing.paths()).toHaveLength(4)
  const given = open({ token: 'not-a-token' })
  await expect(organizations(given.transport)).rejects.toMatchObject({ code: 'invalid_token' })
  expect(given.paths()).toHaveLength(1)
})

test('a read is repeated while the service is busy, as Retry-After says', async () => {
  let busy = 2
  const { transport, paths } = open({}, (url) =>
    url.endsWith('/organizations') && busy-- > 0 ? problem(503, 'overloaded', { 'retry-after': '0' }) : undefined,
  )
  expect((await organizations(transport)).data).toHaveLength(1)
  expect(paths().filter((path) => path === endpoints.listOrganizations.path)).toHaveLength(3)
})

test('a wait beyond the deadline is an error at once', async () => {
  const { transport, paths } = open({}, (url) =>
    url.endsWith('/organizations') ? problem(429, 'rate_limited', { 'retry-after': '60' }) : undefined,
  )
  await expect(organizations(transport)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 })
  expect(paths()).toHaveLength(2)
})

test('a creation without a key is sent once, and its lost answer says that the outcome is unknown', async () => {
  const { transport, paths } = open({}, (url) => {
    if (url.endsWith('/workspaces'))
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
    return undefined
  })
  const creation = transport.json(endpoints.createWorkspace, { body: { name: 'lost' } })
  await expect(creation).rejects.toMatchObject({ code: 'outcome_unknown', retryable: false })
  expect(paths()).toHaveLength(2)
})

test('a write to a route with keys is repeated under the same key', async () => {
  const { transport, sent } = open({}, (url) =>
    url.endsWith('/connectors') ? problem(503, 'overloaded', { 'retry-after': '0' }) : undefined,
  )
  await expect(transport.json(endpoints.createConnector, { body: {} })).rejects.toMatchObject({ code: 'overloaded' })
  const keys = sent.slice(1).map(({ init }) => new Headers(init.headers).get('idempotency-key'))
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
})

test.each([
  ['http://ferrule.example.com', 'must begin with https'],
  ['https://user:pass@ferrule.example.com', 'must not hold a user'],
  ['https://ferrule.example.com/?a=1', 'must not have a query'],
  ['ferrule.example.com', 'must be an address'],
])('the address %s is refused', (url, reason) => {
  expect(() => readServiceSettings({ url, token: 'token' })).toThrow(reason)
})

test('a redirect is not followed', async () => {
  const { transport, paths } = open({}, (url) =>
    url.endsWith('/organizations') ? new Response(null, { status: 307, headers: { location: 'https://elsewhere.example/' } }) : undefined,
  )
  await expect(organizations(transport)).rejects.toMatchObject({ code: 'service_answer_invalid', retryable: false })
  expect(paths()).toHaveLength(2)
})

test('a service that is not there is an error that names its address', async () => {
  const { transport } = open({ url: 'http://127.0.0.1:1' })
  await expect(organizations(transport)).rejects.toMatchObject({ code: 'service_unreachable', retryable: true })
})

test('an aborted request fails with the reason of its signal', async () => {
  const { transport } = open()
  const reason = new Error('no longer wanted')
  await expect(transport.json(endpoints.listOrganizations, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
