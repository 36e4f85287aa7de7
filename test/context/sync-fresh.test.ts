/** A change at a vendor is in the copy after one incremental run, where the vendor offers changes. */
import { afterAll, describe, expect, test } from 'vitest'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { createTestDatabase } from '../support/postgres.ts'
import type { SyncResult } from './sync-connector.ts'
import { Truth } from './sync-truth.ts'
import { type SyncedKind, smallCases } from './sync-truth-kinds.ts'

const hour = 3_600_000
const day = 24 * hour
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

/** Fills a copy. */
async function filled(kind: SyncedKind, ...wanted: readonly string[]): Promise<{ truth: Truth; store: ContextStore }> {
  const given = smallCases.find((each) => each.kind === kind)
  if (given === undefined) throw new Error(`there is no world of ${kind}`)
  const { url, drop } = await createTestDatabase('sync_fresh')
  const truth = await Truth.open(wanted.length === 0 ? given : { ...given, wanted }, { url }, 600)
  const store = truth.store()
  closing.push(
    () => store.close(),
    () => truth.close(),
    drop,
  )
  await truth.sync(store, 'full')
  return { truth, store }
}

const stateOf = ({ entities }: SyncResult, name: string) => entities.find(({ entity }) => entity === name)?.state

describe('after one incremental run', () => {
  test('calls have their new titles; those that turned private or public, were erased or appeared are told apart', async () => {
    const { truth, store } = await filled('gong', 'calls', 'call_transcripts')
    const { gong } = truth.sandbox
    const [renamed = '', hidden = '', erased = '', late = ''] = truth.idsOf('calls').slice(-40)
    gong.editCall(late, { erased: true })
    await truth.sync(store, 'incremental')
    expect(await truth.differences(store)).toEqual({})
    gong.editCall(renamed, { title: 'Another title' })
    gong.editCall(hidden, { isPrivate: true })
    gong.editCall(erased, { erased: true })
    gong.editCall(late, { erased: false })
    truth.clock.now += hour
    expect(stateOf(await truth.sync(store, 'incremental'), 'call_transcripts')).toBe('changes')
    expect(await truth.differences(store)).toEqual({})
    gong.editCall(hidden, { isPrivate: false })
    truth.clock.now += hour
    await truth.sync(store, 'incremental')
    expect(await truth.differences(store)).toEqual({})
  })

  test('a store has its new orders, changed records, and what is gone from small lists', async () => {
    const { truth, store } = await filled('shopify')
    const { shopify } = truth.sandbox
    const id = (name: string, index: number) => Number(truth.idsOf(name)[index])
    truth.clock.now += day
    shopify.edit('price_rules', id('price_rules', 0), { fields: { title: 'Another title' } })
    shopify.edit('draft_orders', id('draft_orders', 0), { fields: { note: 'Another note' } })
    shopify.edit('checkouts', id('checkouts', 0), { fields: { note: 'Another note' } })
    shopify.edit('collections', id('collections', 0), { fields: { title: 'Another title' } })
    shopify.edit('collections', id('collections', 1), { erased: true })
    shopify.edit('locations', id('locations', 0), { fields: { address1: 'Another street' } })
    shopify.edit('metafields_shop', id('metafields_shop', 0), { fields: { value: 'Another value' } })
    shopify.edit('metafields_shop', id('metafields_shop', 1), { erased: true })
    truth.clock.now += hour
    expect(stateOf(await truth.sync(store, 'incremental'), 'fulfillments')).toBe('complete')
    expect(await truth.differences(store)).toEqual({})
  })

  test('advertising has its changed objects, the days since, and nothing that is gone', async () => {
    const { truth, store } = await filled('tiktok-marketing')
    const { tiktok } = truth.sandbox
    const id = (name: string, index: number) => String(truth.idsOf(name)[index])
    // Changed names and deletions affect rows of older days, which the next complete pass reads.
    truth.clock.now += 2 * day
    tiktok.edit('campaigns', id('campaigns', 0), { fields: { budget: 77 } })
    tiktok.edit('ad_groups', id('ad_groups', 0), { fields: { budget: 77 } })
    tiktok.edit('ads', id('ads', 0), { fields: { ad_format: 'CAROUSEL_ADS' } })
    tiktok.edit('audiences', id('audiences', 0), { fields: { name: 'Another name' } })
    tiktok.edit('audiences', id('audiences', 1), { erased: true })
    tiktok.edit('images', id('images', 1), { erased: true })
    tiktok.edit('videos', id('videos', 1), { erased: true })
    truth.clock.now += hour
    expect(stateOf(await truth.sync(store, 'incremental'), 'ads_reports_daily')).toBe('changes')
    expect(await truth.differences(store)).toEqual({})
  })
})
