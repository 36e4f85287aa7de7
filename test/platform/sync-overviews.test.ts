import { expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { ConnectorOverview } from '../../packages/ferrule/src/wire/connectors.ts'
import type { Page } from '../../packages/ferrule/src/wire/paging.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createSyncWorld, type SyncWorld } from './sync-world.ts'
import { overBoth, scopedPrincipal } from './world.ts'

overBoth('connectors at a glance', async (database) => {
  let principal: Principal
  const here = await share(createSyncWorld(database, 'sync overviews'))
  here.vendor.fill(3, 3)

  const list = (query: Record<string, unknown> = {}, who = principal): Promise<Page<ConnectorOverview>> =>
    here.platform.syncs.listOverviews(who, query)
  const findOverview = async (id: string): Promise<ConnectorOverview | undefined> => (await list()).data.find((each) => each.id === id)

  test('say the same as the status of each copy, from the first run to a failure', async () => {
    principal = await here.tenant()
    const id = await here.connect({ principal })
    expect(await findOverview(id)).toMatchObject({
      ...{ connector_type: 'ledger', kind_title: 'Ledger', status: 'active', status_reason: null, sandbox: false, notices: [] },
      context_store: { state: 'loading', records: 0, synced_at: null, last_error: null },
      ...{ failing_entities: [], running: null, queued: { state: 'queued', attempts: 0, error: null, connector_id: id } },
    })
    here.vendor.hold((call) => JSON.stringify(call.params) === '{"account":"3"}')
    await here.worker.tick()
    await here.vendor.arrived
    const running = await findOverview(id)
    expect(running?.running).toMatchObject({ state: 'running', connector_id: id })
    expect((await here.platform.syncs.listUnfinished(principal, { state: 'running' })).data).toEqual([
      { ...running?.running, connector_name: running?.name, connector_type: 'ledger' },
    ])
    here.vendor.open()
    await here.work()
    here.vendor.trouble = ({ entity }) => {
      if (entity === 'accounts') throw fail('upstream_invalid_request', { vendor: 'Ledger', reason: 'the field is gone' })
    }
    here.world.now += 1_000 // the last run has the last id
    await here.platform.syncs.request(principal, id, { mode: 'full' })
    await here.work()
    here.vendor.trouble = () => undefined
    const overview = await findOverview(id)
    const {
      entities,
      running: _running,
      queued,
      schedules: _schedules,
      changes_days: _days,
      connector_id: _id,
      ...copy
    } = await here.platform.syncs.status(principal, id)
    expect(overview?.context_store).toEqual(copy)
    expect(overview?.queued).toEqual(queued)
    expect(overview?.failing_entities).toEqual(
      entities.flatMap(({ entity, last_error: error }) => (error === null ? [] : [{ entity, error }])),
    )
    expect(overview?.failing_entities[0]).toMatchObject({ entity: 'accounts', error: { code: 'upstream_invalid_request' } })
    expect(overview?.context_store?.last_error).not.toBeNull()
  })

  test('come in pages, limited to a kind or a workspace, and null stands for a kind without a copy', async () => {
    principal = await here.tenant()
    const connect = (options: Parameters<SyncWorld['connect']>[0] = {}) => {
      here.world.now += 1 // ids sort by time
      return here.connect({ principal, ...options })
    }
    const ids = [await connect(), await connect()]
    const stall = await connect({
      body: { connector_type: 'market-stall', workspace_name: 'Other', replication_config: { stall: 'fruit' } },
    })
    const page = await list({ limit: 2 })
    expect(page.data.map(({ id }) => id)).toEqual(ids)
    const rest = await list({ limit: 2, cursor: page.next })
    expect([rest.data.map(({ id, context_store }) => [id, context_store]), rest.next]).toEqual([[[stall, null]], null])
    expect((await list({ connector_type: 'market-stall' })).data.map(({ id }) => id)).toEqual([stall])
    expect((await list({ workspace_name: 'Other' })).data.map(({ id }) => id)).toEqual([stall])
    const queued = await here.platform.syncs.listUnfinished(principal, { limit: 1 })
    expect(queued.data.map((run) => run.connector_id)).toEqual([ids[1]])
    const older = await here.platform.syncs.listUnfinished(principal, { limit: 1, cursor: queued.next })
    expect([older.data.map((run) => run.connector_id), older.next]).toEqual([[ids[0]], null])
  })

  test('show nothing of another organization or workspace', async () => {
    principal = await here.tenant()
    const id = await here.connect({ principal })
    const inside = await here.connect({ principal, body: { workspace_name: 'Inside' } })
    const stranger = await here.tenant()
    expect([(await list({}, stranger)).data, (await here.platform.syncs.listUnfinished(stranger, {})).data]).toEqual([[], []])
    const scoped = await scopedPrincipal(here.platform, principal, 'Inside')
    expect((await list({}, scoped)).data.map((each) => each.id)).toEqual([inside])
    expect((await here.platform.syncs.listUnfinished(scoped, {})).data.map((run) => run.connector_id)).toEqual([inside])
    const one = { ...principal, connectorIds: [id] }
    expect((await here.platform.syncs.listUnfinished(one, {})).data.map((run) => run.connector_id)).toEqual([id])
  })

  test('the node names its databases with their sizes, and the nodes that sync', async () => {
    await here.connect()
    await here.work()
    const { state, context_store: copy, nodes } = await here.platform.installation.readNode(here.principal)
    expect(state).toEqual({ engine: database, version: expect.stringMatching(/^\d+\./), size_bytes: expect.any(Number) })
    expect(copy).toEqual({ engine: 'postgres', version: expect.stringMatching(/^\d+\./), size_bytes: expect.any(Number) })
    expect(nodes).toEqual([{ id: expect.any(String), running: 0, last_started_at: expect.any(String) }])
  })
})
