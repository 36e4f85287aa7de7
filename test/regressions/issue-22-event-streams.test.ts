/** Streams of events: shares of a node, ends with what allowed them, and readers that do not read. */
import type { IncomingMessage } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import type { SyncStatusRecord } from '../../packages/ferrule/src/wire/index.ts'
import { StreamShares } from '../../packages/server/src/http/streams/stream-shares.ts'
import { contract } from '../http/contract.ts'
import { onlyUsers, search, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { beginSession, postForm } from '../http/session-support.ts'
import { base, connectorsPath, createTenant, type Json, type Tenant, type World } from '../http/support.ts'
import { share } from '../support/share.ts'

const route = `${connectorsPath}/{connector_id}/context_store/events`
const pathOf = (connectorId: string): string => `${connectorsPath}/${connectorId}/context_store/events`

interface Told {
  readonly event: string
  readonly data: Json
}

/** Reads the events of an answer to its end, each compared with the document. */
async function readEvents(answer: IncomingMessage): Promise<Told[]> {
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  const found = [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, event = '', data = '']) => ({ event, data: JSON.parse(data) }))
  for (const each of found) contract().checkEvent({ method: 'GET', path: route }, each)
  return found
}

/** Works until a promise is fulfilled. */
async function untilAnswered<T>(answering: Promise<T>, work: () => Promise<void>): Promise<T> {
  let isDone = false
  const done = answering.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await work()
    await new Promise(setImmediate) // the embedded database never leaves the event loop
  }
  return done
}

describe('shares of the streams of a node', async () => {
  const open: IncomingMessage[] = []
  const world = await startCopyWorld('postgres', { streams: { most: 60 } })
  const own = await syncedConnector(world, 'own', onlyUsers)
  const other = await createTenant(world, 'Other', onlyUsers)
  await world.context.sync()
  afterAll(async () => {
    for (const each of open) each.destroy()
    await world.close()
  })

  /** Opens streams until one is refused, or many are open. */
  const fill = async (token: string, connectorId: string): Promise<Json> => {
    for (let number = 0; number < 1_010; number += 1) {
      const answer = await world.open(pathOf(connectorId), { token })
      if (answer.statusCode !== 200) return { number, ...JSON.parse(String((await answer.toArray()).join(''))) }
      open.push(answer)
    }
    return { number: 1_010 }
  }

  test('leave some for others: another organization watches and searches while one has all that it gets', async () => {
    const refused = await fill(world.token, own)
    const [number, code, message] = [refused.number, refused.code, refused.message]
    const theirs = await world.open(pathOf(other.connectorId), { token: other.token })
    world.clock.now += 60_000
    const searching = search(world, own, { entity: 'users', params: { query: {} }, max_age: 30 })
    const asked = world.clock.now
    const fresh = await untilAnswered(searching, async () => {
      await world.context.sync()
      world.clock.now += 1_000 // the wait of the search has an end
    })
    expect([theirs.statusCode, code, number]).toEqual([200, 'overloaded', 15])
    expect(message).toContain('event streams')
    open.push(theirs)
    expect([fresh.status, Date.parse(fresh.json.context_store.synced_at)]).toEqual([200, expect.toSatisfy((at: number) => at >= asked)])
    const [left] = open.splice(0, 1)
    left?.destroy()
    await expect.poll(async () => (await world.open(pathOf(own), { token: world.token })).statusCode).toBe(200)
  })
})

test('each organization and each application finds a slot, however many hold all they get', () => {
  const shares = new StreamShares(1_000)
  const fill = (organizationId: string, applicationId: string): (() => void)[] => {
    const taken: (() => void)[] = []
    try {
      for (;;) taken.push(shares.enter({ organizationId, applicationId }))
    } catch {
      return taken
    }
  }
  const first = fill('one', 'a')
  expect(first).toHaveLength(250)
  expect(fill('one', 'b').length).toBeGreaterThan(100)
  for (const each of ['two', 'three', 'four', 'five']) expect(fill(each, 'a').length).toBeGreaterThan(5)
  for (const leave of first) {
    leave()
    leave() // twice counts once
  }
  expect(fill('six', 'a').length).toBeGreaterThan(20)
  expect(shares.open).toBeLessThan(1_000)
})

describe('a stream ends with what allowed it, and says so', async () => {
  const world = await share(startCopyWorld('postgres', { streams: { lookMs: 20 } }))

  const lastEvent = async (tenant: Tenant, end: () => Promise<unknown>, headers?: Record<string, string>): Promise<Told | undefined> => {
    const sent = headers === undefined ? { token: tenant.token } : { headers: { ...headers, 'x-organization-id': tenant.organizationId } }
    const answer = await world.open(pathOf(tenant.connectorId), sent)
    expect(answer.statusCode).toBe(200)
    const reading = readEvents(answer)
    await end()
    return (await reading).at(-1)
  }
  const remove = (path: string, token: string) => world.ask(path, { method: 'DELETE', token })

  test('the application', async () => {
    const tenant = await createTenant(world, 'Application')
    const body = { name: 'second', scopes: undefined }
    const { json: second } = await world.ask(`${base}/account/applications`, { token: tenant.token, body })
    const sent = { body: { client_id: second.client_id, client_secret: second.client_secret } }
    const { json: issued } = await world.ask(`${base}/account/applications/token`, sent)
    const end = () => remove(`${base}/account/applications/${second.id}`, tenant.token)
    const last = await lastEvent({ ...tenant, token: issued.access_token }, end)
    expect(last).toMatchObject({ event: 'end', data: { code: 'organization_forbidden', hint: expect.any(String) } })
  })

  test('the organization', async () => {
    const tenant = await createTenant(world, 'Organization')
    const last = await lastEvent(tenant, () => remove(`${base}/organizations/${tenant.organizationId}`, tenant.token))
    expect(last).toMatchObject({ event: 'end', data: { code: 'organization_forbidden' } })
  })

  test('the connector', async () => {
    const tenant = await createTenant(world, 'Connector')
    const last = await lastEvent(tenant, () => remove(`${connectorsPath}/${tenant.connectorId}`, tenant.token))
    expect(last).toMatchObject({ event: 'end', data: { code: 'connector_not_found' } })
  })

  test('the session', async () => {
    const tenant = await createTenant(world, 'Session')
    const headers = await beginSession(world)
    const last = await lastEvent(tenant, () => postForm(world, '/console/session/end', { headers }), headers)
    expect(last).toMatchObject({ event: 'end', data: { code: 'session_ended' } })
  })

  test('the token', async () => {
    const tenant = await createTenant(world, 'Token')
    const last = await lastEvent(tenant, async () => {
      world.clock.now += 16 * 60_000
    })
    expect(last).toMatchObject({ event: 'end', data: { code: 'token_expired', retryable: false } })
  })
})

describe('a reader that does not read', () => {
  test('is dropped with a reason, after a bounded number of bytes', async () => {
    const world = await startCopyWorld('postgres', { streams: { stallMs: 20, graceMs: 20 } })
    try {
      const id = await world.connect('slow', onlyUsers)
      const { syncs } = world.platform
      const status: SyncStatusRecord = await syncs.status((await principalOf(world)) ?? never(), id)
      let made = 0
      const long = 'x'.repeat(1_000_000)
      // A status that changes without a pause, as long as somebody takes it.
      const changing = async function* () {
        for (;;) {
          made += 1
          yield { ...status, entities: status.entities.map((each) => ({ ...each, error: null, about: long })) }
          await new Promise(setImmediate)
        }
      }
      Object.assign(syncs, { watchStatus: changing })
      const answer = await world.open(pathOf(id), { token: world.token })
      answer.pause()
      const dropped = () => world.log.some((line) => line.includes('an event stream was ended') && line.includes('"code":"overloaded"'))
      await expect.poll(dropped).toBe(true)
      // The system's buffers between both processes hold some megabytes; nothing is made beyond them.
      expect(made).toBeLessThan(50)
      const closed = new Promise((resolve) => answer.once('close', resolve).once('error', resolve))
      answer.resume()
      await closed
    } finally {
      await world.close()
    }
  })
})

const never = (): never => {
  throw new Error('no principal')
}
const principalOf = (world: World) => world.platform.tokens.authenticate(world.token, undefined)
