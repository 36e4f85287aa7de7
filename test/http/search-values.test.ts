import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { advertising, executePath, overStatements, search, startCopyWorld, syncedConnector } from './search-support.ts'
import type { Json } from './support.ts'

overStatements('a search by values', async (engine) => {
  const world = await share(startCopyWorld(engine))
  const campaigns = await syncedConnector(world, 'ads', advertising(world, 'ads'))

  test('keeps every digit', async () => {
    const listing = await world.execute(campaigns, {
      entity: 'campaigns',
      action: 'list',
      params: { advertiser_id: world.sandbox.tiktok.world.advertiserId, page_size: 1000 },
    })
    const ids = listing.json.data.map(({ campaign_id }: Json) => campaign_id)
    const exact = ids.filter((id: string) => !Number.isSafeInteger(Number(id)))
    const eq = { campaign_id: '<id>' }
    for (const id of [ids[0], ...exact.slice(0, 5)]) {
      const body = JSON.stringify({
        entity: 'campaigns',
        action: 'context_store_search',
        params: { query: { filter: { eq } }, fields: ['campaign_id'] },
      })
      const { text } = await world.execute(campaigns, body.replace('"<id>"', id))
      expect(text.replaceAll(' ', '')).toContain(`{"data":[{"campaign_id":${id}}]`)
    }
  })

  test('refuses a value that is neither known nor stored, with its field and the known ones', async () => {
    const known = await search(world, campaigns, {
      entity: 'campaigns',
      params: { query: { filter: { eq: { operation_status: 'enable' } } }, fields: ['operation_status'] },
    })
    expect(new Set(known.json.data.map(({ operation_status }: Json) => operation_status))).toEqual(new Set(['ENABLE']))
    const query = { filter: { in: { operation_status: ['ENABLE', 'enabled'] } } }
    const answer = await search(world, campaigns, { entity: 'campaigns', params: { query } })
    expectDocumented(executePath, answer)
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_parameter'])
    expect(answer.json.errors).toEqual([
      {
        field: '/params/query/filter/in/operation_status/1',
        message: '/params/query/filter/in/operation_status/1 must be one of ENABLE, DISABLE, or null.',
        error_code: 'enum',
      },
    ])
  })
})
