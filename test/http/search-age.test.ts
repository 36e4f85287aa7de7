import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { advertising, eventually, onlyUsers, overStatements, search, startCopyWorld, syncedConnector } from './search-support.ts'
import { connectorsPath, type Json } from './support.ts'

overStatements('a search with max_age', async (engine) => {
  const world = await share(startCopyWorld(engine))
  const campaigns = await syncedConnector(world, 'ads', advertising(world, 'ads'))

  const body = (name: string) => ({
    entity: 'campaigns',
    params: { query: { filter: { eq: { campaign_name: name } } }, fields: ['campaign_name'] },
  })

  test('takes a copy that is young enough as it is', async () => {
    world.sandbox.tiktok.clear()
    expect((await search(world, campaigns, { ...body('none'), max_age: 3_600 })).status).toBe(200)
    expect(world.sandbox.tiktok.requests()).toEqual([])
  })

  test('refreshes an older one first', async () => {
    world.clock.now += 60_000
    const { campaignId } = world.sandbox.tiktok.world
    world.sandbox.tiktok.edit('campaigns', campaignId, { fields: { campaign_name: 'Refreshed' } })
    const answering = search(world, campaigns, { ...body('Refreshed'), max_age: 30 })
    await eventually(
      async () => {
        await world.context.sync()
        return (await world.ask(`${connectorsPath}/${campaigns}/syncs?limit=1`, { token: world.token })).json.data[0]
      },
      (run: Json) => run.cause === 'search' && run.state === 'succeeded',
    )
    const { json } = await answering
    expect(json.data).toEqual([{ campaign_name: 'Refreshed' }])
    expect(json.context_store.synced_at).toBe(new Date(world.clock.now).toISOString())
  })

  test('waits for the first filling of what was never filled', async () => {
    const fresh = await world.connect('fresh', onlyUsers)
    const answering = search(world, fresh, { entity: 'users', params: { query: {}, limit: 1 }, max_age: 3_600 })
    await world.context.sync()
    const { status, json } = await answering
    expect([status, json.data.length, json.context_store.complete]).toEqual([200, 1, true])
  })

  test('refuses wrong parameters before it refreshes', async () => {
    world.clock.now += 60_000
    const answer = await search(world, campaigns, { entity: 'campaigns', params: { query: { sort: 'name' } }, max_age: 0 })
    expect([answer.status, answer.json.errors[0].field]).toEqual([422, '/params/query/sort'])
    const wrong = await search(world, campaigns, { ...body('none'), max_age: -1 })
    expect([wrong.status, wrong.json.errors[0].field]).toEqual([422, '/max_age'])
  })
})
