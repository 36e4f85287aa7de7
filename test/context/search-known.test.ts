import { expect, test } from 'vitest'
import { gong } from '../../src/connectors/gong/index.ts'
import { createSearcher } from '../../src/context/search.ts'
import { createStoreWorld, newPlace, overBoth } from './store-world.ts'

overBoth('a field with known values', (engine) => {
  test('equals them whatever the case, keeps and finds others, and answers as the vendor says', async () => {
    const world = await createStoreWorld(engine)
    const store = world.open({ kinds: [gong.definition] })
    const place = { connector: newPlace().connector, kind: 'gong', entity: 'calls' }
    const directions = ['Inbound', 'Outbound', 'Webinar']
    await store.write(place, { records: directions.map((direction) => ({ key: direction, fields: { direction } })), asked: world.now })
    const find = async (filter: object) => {
      const params = { query: { filter }, fields: ['direction'] }
      const answer = await createSearcher(store).search({ place, params, key: Buffer.from('key'), now: world.now })
      return JSON.parse(answer?.json ?? '[]').map(({ direction }: { direction: string }) => direction)
    }
    expect(await find({ eq: { direction: 'inbound' } })).toEqual(['Inbound'])
    expect(await find({ neq: { direction: 'INBOUND' } })).toEqual(['Outbound', 'Webinar'])
    expect(await find({ in: { direction: ['outbound', 'webinar'] } })).toEqual(['Outbound', 'Webinar'])
    expect(await find({ like: { direction: 'in%' } })).toEqual([])
    await world.close()
  })
})
