import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { advertising, eventually, onlyUsers, overStatements, search, startCopyWorld, syncedConnector } from './search-support.ts'
import type { Json } from './support.ts'

overStatements('a search', async (engine) => {
  const world = await share(startCopyWorld(engine))
  const users = await world.connect('users', onlyUsers)
  const campaigns = await syncedConnector(world, 'ads', advertising(world, 'ads'))

  test('finds a record that was just read live', async () => {
    const { campaignId, advertiserId } = world.sandbox.tiktok.world
    const body = { entity: 'campaigns', params: { query: { filter: { eq: { campaign_name: 'Read live' } } }, fields: ['campaign_name'] } }
    world.sandbox.tiktok.edit('campaigns', campaignId, { fields: { campaign_name: 'Read live' } })
    expect((await search(world, campaigns, body)).json.data).toEqual([])
    world.clock.now += 1_000
    await world.execute(campaigns, { entity: 'campaigns', action: 'list', params: { advertiser_id: advertiserId, page_size: 1000 } })
    const found = await eventually(
      async () => (await search(world, campaigns, body)).json.data,
      (data: Json[]) => data.length > 0,
    )
    expect(found).toEqual([{ campaign_name: 'Read live' }])
  })

  test('finds nothing that is hidden, also when it lies between records that were read live', async () => {
    const calls = await world.connect('calls', { entities: [{ entity: 'calls' }] })
    const first = await world.execute(users, { entity: 'calls', action: 'list', params: {} })
    world.sandbox.gong.editCall(first.json.data[0].id, { isPrivate: true })
    const known = { key: 'known', fields: { id: 'known', title: 'Known' } }
    await world.context.store.writeBatch({ connector: calls, kind: 'gong', entity: 'calls' }, { records: [known], asked: world.clock.now })
    const { json } = await world.execute(calls, { entity: 'calls', action: 'list', params: {} })
    expect(json.meta.private_calls_excluded).toBe(1)
    const all = { entity: 'calls', params: { query: {}, fields: ['id', 'isPrivate'] }, allow_partial: true }
    const found = await eventually(
      async () => (await search(world, calls, all)).json.data,
      (data: Json[]) => data.length === json.data.length + 1,
    )
    expect(found.filter(({ isPrivate }: Json) => isPrivate)).toEqual([])
  })

  test('is counted with what was read live', async () => {
    const { text } = await world.ask('/metrics')
    expect(text).toMatch(
      /^ferrule_executes_total\{kind="tiktok-marketing",entity="campaigns",action="context_store_search",code="ok"\} \d+$/m,
    )
    expect(text).toMatch(/^ferrule_folded_records_total\{kind="tiktok-marketing",entity="campaigns",outcome="folded"\} \d+$/m)
  })
})
