/** Links over both databases, and on two nodes: what is done once, what a kill leaves, and what is purged. */
import { beforeEach, expect, test } from 'vitest'
import { kinds as kindTable } from '../../packages/ferrule/src/connectors/index.ts'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { createWorld, firstPrincipal, openBeside, overBoth, refusal, secretOf } from '../platform/world.ts'
import { createStubEngine } from '../support/engines.ts'
import { share } from '../support/share.ts'

const options = {
  kinds: Object.values(kindTable),
  sandboxOrigins: () => ({ gong: { api: 'http://127.0.0.1:1' }, 'tiktok-marketing': { api: 'http://127.0.0.1:1' } }),
}
const token = { access_token: 'a', refresh_token: 'r' }

const failing: Engine['revokeConsent'] = async () => Promise.reject(fail('upstream_error', { vendor: 'TikTok', reason: 'down' }))
/** What the vendor does with a token that ends. */
let revoke = failing

type Vendor = Pick<Engine, 'exchangeConsent' | 'checkAccount'>

/** A vendor that takes everything. */
const taking: Vendor = {
  exchangeConsent: async (_connection, { oauthClient }) =>
    secretOf({ ...('app_id' in oauthClient.reveal() ? { access_token: 'a' } : token), ...oauthClient.reveal() }),
  checkAccount: async () => ({ kind: 'gong', ids: ['1'] }),
}

/** A vendor that gives a token for every code. */
const giving = (access_token: string): Vendor => ({
  ...taking,
  exchangeConsent: async (_connection, { oauthClient }) => secretOf({ access_token, ...oauthClient.reveal() }),
})

/** The vendor of a node: what it does now, and the exchanges that it has seen. */
class VendorOfNode {
  does = taking
  exchanges = 0

  /** Builds the engine of the node. */
  readonly engine = () =>
    createStubEngine({
      exchangeConsent: (connection, consented) => {
        this.exchanges += 1
        return this.does.exchangeConsent(connection, consented)
      },
      checkAccount: (connection) => this.does.checkAccount(connection),
      listConsentAccounts: async () => [{ id: '7', name: 'Seven' }],
      revokeConsent: (connection) => revoke(connection),
    })
}

overBoth('links', async (database) => {
  const vendors = [new VendorOfNode(), new VendorOfNode()] as const
  /** Sets what the vendor does, on both nodes. */
  const set = (does: Vendor): void => {
    for (const vendor of vendors) Object.assign(vendor, { does, exchanges: 0 })
  }
  const countExchanges = () => vendors[0].exchanges + vendors[1].exchanges
  beforeEach(() => set(taking))
  const world = await share(createWorld(database, 'connect'))
  const env = { FERRULE_PUBLIC_URL: 'https://ferrule.example.com' }
  const first = await world.open({ ...options, env, engine: vendors[0].engine })
  const nodes = [first, await openBeside(world, { ...options, env, engine: vendors[1].engine })] as const
  const owner = await firstPrincipal(first)
  const save = (connector_type: string, configuration: object) => first.oauthClients.save(owner, { connector_type, configuration })
  await save('gong', { client_id: 'id', client_secret: 'secret' })
  await save('tiktok-marketing', { app_id: '7', secret: 'secret' })

  const create = (more: object = {}) =>
    nodes[0].connectLinks.create(owner, { end_user: { id: 'u' }, kinds: ['gong'], sandbox: true, ...more })
  /** Two handles of one SQLite file in one process would wait for each other. */
  const racing = () => (database === 'sqlite' ? [nodes[0], nodes[0]] : nodes)
  const count = async () => (await nodes[0].connectors.list(owner, { limit: 100 })).data.length

  /** Opens a link and begins a consent. */
  async function begin(more: object = {}, kind = 'gong') {
    const { id, url } = await create({ kinds: [kind], ...more })
    const { cookie: session } = await nodes[0].connectPages.open({ id, secret: new URL(url).hash.slice(1) })
    const visit = { linkId: id, session: session.value }
    const { consent, cookie } = await nodes[0].connectPages.begin(visit, { kind })
    const state = new URL(consent.consent_url).searchParams.get('state') ?? ''
    const back = { kind, query: new URLSearchParams({ state, code: 'c' }), readCookie: () => cookie.value }
    return { id, visit, back, readCookie: () => cookie.value }
  }

  test('of two nodes one exchanges a code', async () => {
    const { id, back } = await begin()
    const before = await count()
    await Promise.all(racing().map((node) => node.connectPages.takeReturn(back)))
    await nodes[1].connectPages.takeReturn(back)
    expect([countExchanges(), await count()]).toEqual([1, before + 1])
    expect((await nodes[1].connectLinks.get(owner, id)).status).toBe('used')
  })

  test('of two nodes one creates a connector from a form', async () => {
    const { visit } = await begin()
    const before = await count()
    const body = { kind: 'gong', credentials: { access_key: 'k', access_key_secret: 's' } }
    const done = await Promise.allSettled(racing().map((node) => node.connectPages.authorize(visit, body)))
    expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await count()).toBe(before + 1)
  })

  test('a kill between the exchange and the storing leaves the link usable, and the code is not sent again', async () => {
    const { id, visit, back } = await begin()
    const before = await count()
    const hanging = Promise.withResolvers<never>()
    vendors[1].does = { ...taking, checkAccount: () => hanging.promise }
    const lost = nodes[1].connectPages.takeReturn(back)
    await expect.poll(() => vendors[1].exchanges).toBe(1)
    await expect.poll(async () => (await nodes[0].connectPages.read(visit)).attempt?.status).toBe('exchanging')
    await nodes[0].connectPages.takeReturn(back)
    expect([vendors[0].exchanges, await count()]).toEqual([0, before])
    expect((await nodes[0].connectLinks.get(owner, id)).status).toBe('open')
    const next = await nodes[0].connectPages.begin(visit, { kind: 'gong' })
    const state = new URL(next.consent.consent_url).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ state, code: 'd' })
    await nodes[0].connectPages.takeReturn({ kind: 'gong', query, readCookie: () => next.cookie.value })
    expect((await nodes[0].connectLinks.get(owner, id)).status).toBe('used')
    hanging.reject(fail('upstream_error', { vendor: 'Gong', reason: 'the node is gone' })) // so that the platform can close
    await lost
    expect(await count()).toBe(before + 1)
  })

  test('an exchange with an unclear end is kept for the page, and never repeated', async () => {
    const { visit, back } = await begin()
    set({ ...taking, exchangeConsent: async () => Promise.reject(fail('consent_unclear', { vendor: 'Gong', reason: 'no answer' })) })
    for (const node of [...nodes, nodes[0]]) await node.connectPages.takeReturn(back)
    expect(countExchanges()).toBe(1)
    expect((await nodes[1].connectPages.read(visit)).attempt).toMatchObject({ status: 'failed', failure: { code: 'consent_unclear' } })
  })

  test('what waits for a choice of accounts is opened by the cookie only, on any node', async () => {
    const { visit, back, readCookie } = await begin({}, 'tiktok-marketing')
    await nodes[0].connectPages.takeReturn(back)
    const rows = await world.raw().db.selectFrom('connect_attempts').select('sealed').where('status', '=', 'choosing').execute()
    expect(rows.map(({ sealed }) => Buffer.from(sealed ?? []).includes('secret'))).toEqual([false])
    const stolen = { ...visit, readCookie: () => 'A'.repeat(43) }
    expect(await refusal(nodes[1].connectPages.listAccounts(stolen))).toContain('another browser')
    const { attempt_id, accounts } = await nodes[1].connectPages.listAccounts({ ...visit, readCookie })
    expect(accounts).toEqual([{ id: '7', name: 'Seven' }])
    const done = await nodes[1].connectPages.choose({ ...visit, readCookie }, { attempt_id, ids: ['7'] })
    expect((await nodes[0].connectors.get(owner, done.connector_id)).replication_config['advertiser_id']).toBe('7')
  })

  test('the token of a consent ends with the last connector that has it', async () => {
    const connect = async () => {
      const { visit, back, readCookie } = await begin({}, 'tiktok-marketing')
      set(giving('shared'))
      await nodes[0].connectPages.takeReturn(back)
      const { attempt_id } = await nodes[0].connectPages.listAccounts({ ...visit, readCookie })
      return (await nodes[0].connectPages.choose({ ...visit, readCookie }, { attempt_id, ids: ['7'] })).connector_id
    }
    const [first, second] = [await connect(), await connect()]
    const ended: unknown[] = []
    const ending: Engine['revokeConsent'] = async ({ credentials }) => void ended.push((await credentials.open()).values.reveal())
    await nodes[0].connectors.remove(owner, first)
    revoke = ending
    expect([await nodes[0].consentRevocations.run(), ended]).toEqual([0, []])
    await nodes[0].connectors.remove(owner, second)
    revoke = failing
    expect(await nodes[1].consentRevocations.run()).toBe(1)
    revoke = ending
    expect(await nodes[0].consentRevocations.run()).toBe(0) // not before a minute has passed
    world.now += 61_000
    const runs = await Promise.all(nodes.map((node) => node.consentRevocations.run()))
    expect([runs.length, ended]).toEqual([2, [{ access_token: 'shared', app_id: '7', secret: 'secret' }]])
    world.now += 86_400_000
    expect(await nodes[0].consentRevocations.run()).toBe(0)
  })

  test('a token that no vendor ends is reported, and given up', async () => {
    const errors: unknown[] = []
    const node = await openBeside(world, { ...options, engine: vendors[1].engine, onBackgroundError: (error) => errors.push(error) })
    const { visit, back, readCookie } = await begin({}, 'tiktok-marketing')
    set(giving('lasting'))
    await nodes[0].connectPages.takeReturn(back)
    const { attempt_id } = await nodes[0].connectPages.listAccounts({ ...visit, readCookie })
    const { connector_id } = await nodes[0].connectPages.choose({ ...visit, readCookie }, { attempt_id, ids: ['7'] })
    await nodes[0].connectors.remove(owner, connector_id)
    revoke = failing
    let tries = 0
    for (let hours = 0; hours < 30; hours += 1) {
      tries += await node.consentRevocations.run()
      world.now += 3_600_000
    }
    expect([tries, errors.map(String)]).toEqual([8, [expect.stringContaining(connector_id)]])
  })

  test('ended links go after 30 days, sessions and attempts with their end', async () => {
    const { id } = await create({ expires_in: 60 })
    await begin()
    const rows = async (table: 'connect_links' | 'connect_sessions' | 'connect_attempts') =>
      (await world.raw().db.selectFrom(table).selectAll().execute()).length
    world.now += 3 * 3_600_000
    await nodes[0].connectLinks.purgeExpired(world.now)
    expect([await rows('connect_sessions'), await rows('connect_attempts')]).toEqual([0, 0])
    expect((await nodes[0].connectLinks.get(owner, id)).status).toBe('expired')
    world.now += 31 * 86_400_000
    await nodes[0].connectLinks.purgeExpired(world.now)
    expect(await refusal(nodes[0].connectLinks.get(owner, id))).toContain('connect_link_not_found')
    world.now += 31 * 86_400_000
    await nodes[0].connectLinks.purgeExpired(world.now)
    expect(await rows('connect_links')).toBe(0)
  })
})
