import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { FerruleError } from '../../packages/ferrule/src/errors.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { stall } from './kinds.ts'
import { ledger } from './sync-kinds.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { openBeside, overServer, refusal } from './world.ts'

const day = 86_400_000

overServer('an organization that is deleted', async (database) => {
  const here = await share(createSyncWorld(database, 'organization removal'))
  const platform = here.platform
  const raw = here.world.raw()
  /** The first application, with a token that names no organization. */
  const caller = { ...here.principal, organizationId: null }

  async function filled(principal: Principal, body: Record<string, unknown> = {}): Promise<string> {
    const id = await here.connect({ principal, body })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    here.world.now += 1
    return id
  }
  /** Counts the rows of an organization, of all tables that have its id. */
  async function rowsOf(organizationId: string): Promise<Readonly<Record<string, number>>> {
    const tables = ['organizations', 'grants', 'workspaces', 'data_keys', 'connectors', 'connector_creations', 'jobs'] as const
    const others = ['idempotency_keys', 'request_claims', 'sync_schedules', 'sync_runs', 'sync_entities', 'sync_removals'] as const
    const counted: [string, number][] = []
    for (const table of [...tables, ...others]) {
      const column = table === 'organizations' ? 'id' : 'organization_id'
      const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table(table)}
        where ${sql.ref(column)} = ${organizationId}`.execute(raw.db)
      counted.push([table, Number(rows[0]?.count)])
    }
    return Object.fromEntries(counted.filter(([, count]) => count > 0))
  }
  const tokenFor = async (organizationId: string, name: string): Promise<{ clientId: string; token: string }> => {
    const { clientId, clientSecret } = await platform.applications.create({ name, organizationId })
    const { access_token: token } = await platform.tokens.issueApplicationToken({ clientId, clientSecret: clientSecret.reveal() })
    return { clientId, token }
  }

  test('is out of reach at once on every node, its runs end and its copies are emptied', async () => {
    const [principal, neighbour] = [await here.tenant(), await here.tenant()]
    const [id, other] = [await filled(principal), await filled(neighbour)]
    const { token } = await tokenFor(principal.organizationId, 'Bound')
    const { token: scoped } = await platform.tokens.issueScopedToken(principal, { workspace_name: 'default' })
    const nodes = [platform, await openBeside(here.world)]
    for (const node of nodes)
      for (const each of [token, scoped])
        expect((await node.tokens.authenticate(each, undefined)).organizationId).toBe(principal.organizationId)
    const run = await platform.syncs.request(principal, id, { mode: 'full' })
    await here.hold()

    const removal = await platform.organizations.remove(caller, principal.organizationId)
    expect(removal).toEqual({ id: principal.organizationId, deleted_at: new Date(here.world.now).toISOString() })
    const gone = /^organization_forbidden/
    for (const node of nodes) {
      for (const each of [token, scoped]) {
        expect(await refusal(node.tokens.authenticate(each, undefined))).toMatch(gone)
        expect(await refusal(node.tokens.authenticate(each, principal.organizationId))).toMatch(gone)
      }
      expect(await refusal(node.connectors.readAccess(principal, id))).toMatch(gone)
      expect(await refusal(node.workspaces.create(principal, { name: 'Late' }))).toMatch(gone)
      expect(await refusal(node.tokens.issueScopedToken(principal, { workspace_name: 'Late' }))).toMatch(gone)
      expect((await node.organizations.list(caller)).map((each) => each.id)).not.toContain(principal.organizationId)
    }
    here.world.now += 15_000
    await here.worker.tick()
    here.vendor.open()
    await here.work()
    expect(await here.copies(id)).toEqual({})
    expect(await here.copies(other)).toEqual(whole)
    expect((await platform.connectors.get(neighbour, other)).id).toBe(other)
    expect(here.errors.splice(0)).toEqual([])

    expect(await platform.organizations.remove(caller, principal.organizationId)).toEqual(removal) // a repeat
    expect(await platform.organizations.restore(caller, principal.organizationId)).toMatchObject({ id: principal.organizationId })
    expect(await platform.syncs.get(principal, id, run.id)).toMatchObject({ state: 'cancelled' })
    expect(await newest(here, principal, id)).toMatchObject({ state: 'queued', mode: 'full', cause: 'changed' })
    await here.work()
    expect(await here.copies(id)).toEqual(whole)
    for (const node of nodes) expect((await node.tokens.authenticate(token, undefined)).organizationId).toBe(principal.organizationId)
    expect(await refusal(platform.organizations.restore(caller, principal.organizationId))).toMatch(/^organization_not_found/)
  })

  test('comes back with the workspaces that it had then', async () => {
    const principal = await here.tenant()
    const earlier = await platform.workspaces.create(principal, { name: 'Earlier' })
    await platform.workspaces.remove(principal, earlier.id)
    const quiet = await platform.connectors.create(principal, {
      ...{ workspace_name: 'Quiet', create_workspace: true, name: 'Quiet', connector_type: 'ledger', credentials: { token: 'quiet' } },
    })
    await platform.workspaces.update(principal, quiet.workspace_id, { status: 'inactive' })
    here.world.now += 1
    await platform.organizations.remove(principal, principal.organizationId)
    await platform.organizations.restore(principal, principal.organizationId)
    const kept = (await platform.workspaces.list(principal, {})).data.map(({ name, status }) => `${name} ${status}`)
    expect(kept.toSorted()).toEqual(['Quiet inactive', 'default active'])
    expect(await newest(here, principal, quiet.id)).toMatchObject({ state: 'cancelled' }) // an inactive workspace starts none
    await platform.workspaces.restore(principal, earlier.id)
  })

  test('is as it was when the node dies before the end, and deleted by the next try', async () => {
    const principal = await here.tenant()
    const id = await filled(principal)
    const before = await rowsOf(principal.organizationId)
    let isDying = false
    const dying = await openBeside(here.world, {
      kinds: [ledger, stall],
      randomBytes: (size) => {
        if (isDying) throw new Error('the node dies') // after the marks, at the first removal of copies
        return randomBytes(size)
      },
    })
    isDying = true
    await expect(dying.organizations.remove(principal, principal.organizationId)).rejects.toThrow('the node dies')
    expect(await rowsOf(principal.organizationId)).toEqual(before)
    expect((await platform.connectors.get(principal, id)).status).toBe('active')
    await platform.organizations.remove(principal, principal.organizationId)
    expect(await refusal(platform.connectors.readAccess(principal, id))).toMatch(/^organization_forbidden/)
  })

  test('loses its copies also when the node that empties them dies', async () => {
    const principal = await here.tenant()
    const id = await filled(principal)
    await platform.organizations.remove(principal, principal.organizationId)
    const stuck = new Proxy(here.store, {
      get: (target, name) => {
        if (name === ('deleteAll' satisfies keyof ContextStore)) return () => new Promise<never>(() => undefined)
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const dying = await here.node({ store: stuck })
    await dying.worker.tick() // and never comes back
    expect(await here.copies(id)).toEqual(whole)
    here.world.now += 90_000
    await here.work()
    expect(await here.copies(id)).toEqual({})
  })

  test('is destroyed after 30 days, also in several tries: keys, credentials, copies and applications', async () => {
    const purge = [platform.workspaces.purgeExpired, platform.organizations.purgeExpired]
    for (const each of purge) await each(here.world.now + 31 * day) // those of other tests
    const [principal, neighbour] = [await here.tenant(), await here.tenant()]
    const [id, other] = [await filled(principal), await filled(neighbour)]
    const [own, shared] = [await tokenFor(principal.organizationId, 'Own'), await tokenFor(principal.organizationId, 'Shared')]
    await platform.applications.grant(shared.clientId, neighbour.organizationId)
    const clients = async () => (await platform.applications.list()).map(({ client_id }) => client_id)
    await platform.organizations.remove(principal, principal.organizationId)
    await here.work()
    const { now } = here.world
    const { sync_runs: _, ...neighbours } = await rowsOf(neighbour.organizationId) // its schedule queues runs

    here.world.now += 30 * day
    await platform.workspaces.purgeExpired(here.world.now)
    expect(await platform.organizations.purgeExpired(here.world.now)).toBe(0)
    expect(await rowsOf(principal.organizationId)).toMatchObject({ organizations: 1, data_keys: 1, connectors: 1 })
    here.world.now += 1
    expect(await refusal(platform.organizations.restore(caller, principal.organizationId))).toMatch(/^organization_not_found/)
    expect(await refusal(platform.organizations.remove(caller, principal.organizationId))).toMatch(/^organization_not_found/)
    expect(await platform.organizations.purgeExpired(here.world.now)).toBe(0) // its workspaces go first
    await platform.workspaces.purgeExpired(here.world.now)
    const later = await openBeside(here.world) // the node died between the two
    expect(await later.organizations.purgeExpired(here.world.now)).toBe(1)
    await here.work()
    expect(await rowsOf(principal.organizationId)).toEqual({})
    expect(await here.copies(id)).toEqual({})
    expect(await rowsOf(neighbour.organizationId)).toMatchObject(neighbours)
    expect(await here.copies(other)).toEqual(whole)
    expect(await clients()).not.toContain(own.clientId)
    expect(await clients()).toEqual(expect.arrayContaining([shared.clientId, platform.first.clientId]))
    expect(await later.organizations.purgeExpired(here.world.now)).toBe(0)
    here.world.now = now
  })

  test('is not the only one of the first application, even of several deletions at once', async () => {
    const reached = await platform.organizations.list(caller)
    const outcomes = await Promise.allSettled(reached.map(({ id }) => platform.organizations.remove(caller, id)))
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as FerruleError] : []))
    expect(refused.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^validation_failed: .*the only organization of the first application of the service/),
    ])
    expect(await platform.organizations.list(caller)).toHaveLength(1)
    for (const { id } of reached) await platform.organizations.restore(caller, id).catch(() => undefined) // the one that stayed
    expect(await platform.organizations.list(caller)).toEqual(reached)
  })
})
