/** Pages by their number: the page that comes must be the one that was asked for. */
import { describe, expect, test } from 'vitest'
import { connectAds } from '../library/tiktok-support.ts'
import { openDesk } from '../sandbox/tiktok-client.ts'
import { failure, type Reply, serve } from './support.ts'

const { sandbox, facts } = await openDesk()
const ads = connectAds(sandbox, { config: { advertiser_id: facts.secondAdvertiserId } })

describe('another page than the one that was asked for', () => {
  test('is no answer: its records would be taken twice, and those of the page left out', async () => {
    sandbox.faults.add({ kind: 'same-cursor', on: 'tiktok' })
    expect(await failure(ads.ads.list({ page: 2, page_size: 20 }))).toMatchObject({
      code: 'upstream_answer_invalid',
      message: expect.stringContaining('page 1 instead of page 2'),
    })
    const { data, meta } = await ads.ads.list({ page: 2, page_size: 20 })
    expect([data.length, meta.page_info.page, meta.next_params]).toEqual([20, 2, { page: 3 }])
  })

  test('ends a walk with an error', async () => {
    sandbox.faults.add({ kind: 'same-cursor', on: 'tiktok' })
    const met: string[] = []
    const walk = async () => {
      for await (const { ad_id } of ads.ads.records({ page_size: 20 })) met.push(ad_id)
    }
    expect(await failure(walk())).toMatchObject({ code: 'upstream_answer_invalid' })
    expect(met).toHaveLength(20)
  })
})

describe('a page beyond the last', () => {
  test('is empty and leads nowhere', async () => {
    expect(await ads.ads.list({ page: 9, page_size: 20 })).toEqual({
      data: [],
      meta: { page_info: { page: 9, page_size: 20, total_number: 74, total_page: 4 }, next_params: null },
    })
    const advertiser_id = facts.emptyAdvertiserId
    expect(await ads.ads.list({ advertiser_id, page: 2 })).toMatchObject({
      data: [],
      meta: { page_info: { page: 1, total_page: 0 }, next_params: null },
    })
  })

  test.each([1, 4, 9])('leads nowhere whatever number it has: %i', async (page) => {
    const reply: Reply = {
      body: {
        code: 0,
        message: 'OK',
        request_id: 'r',
        data: { list: [], page_info: { page, page_size: 20, total_number: 74, total_page: 4 } },
      },
    }
    await using server = await serve(() => reply)
    const elsewhere = connectAds(sandbox, { origin: server.origin })
    expect((await elsewhere.ads.list({ page: 9, page_size: 20 })).meta.next_params).toBeNull()
  })
})

describe('a page that says nothing of its number', () => {
  test.each([
    [2, { page: 2 }],
    [1, null],
    [0, null],
  ])('with %i of two rows that were asked for leads to %j', async (rows, next) => {
    const list = Array.from({ length: rows }, (_, index) => ({ ad_id: String(index) }))
    await using server = await serve(() => ({ body: { code: 0, message: 'OK', request_id: 'r', data: { list } } }))
    const elsewhere = connectAds(sandbox, { origin: server.origin })
    expect((await elsewhere.ads.list({ page_size: 2 })).meta.next_params).toEqual(next)
  })
})
