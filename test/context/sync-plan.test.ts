import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { ConnectorDefinition, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { Sync } from '../../packages/ferrule/src/definition/sync.ts'
import { describeIncremental } from '../../packages/server/src/copies/status/groups.ts'
import { findFirstDay, listWindows, splitWindow } from '../../packages/server/src/copies/sync/walk/day-windows.ts'
import { listStored, planRun, planWalks, type Tree } from '../../packages/server/src/copies/sync/walk/plan.ts'
import { entities, madeUp } from './sync-kind.ts'

const plan = (kind: Kind, ...wanted: readonly string[]): readonly Tree[] =>
  planWalks(kind.definition, (entity) => wanted.length === 0 || wanted.includes(entity))
const shape = (trees: readonly Tree[]) =>
  trees.map(({ entity, nested, children }) =>
    [entity, ...nested.map((each) => `in ${each.entity}`), ...children.map((each) => `per ${each.parent}: ${each.entity}`)].join(', '),
  )

const each = { entity: 'orders', take: { order_id: 'id' } } as const
const below = { each: { entity: 'notes', take: { line_id: 'id' } } } as const
const syncedKinds = [kinds.gong, kinds.shopify, kinds['tiktok-marketing']]

describe('plan', () => {
  test('the made-up kind is right', () => {
    expect(findProblems(madeUp)).toEqual([])
  })

  test.each<readonly [says: string, sync: Sync]>([
    ['made-up.notes: is under text_id, which is not searchable', { each, under: { field: 'text_id', parent: 'id' } }],
    ['made-up.notes: is under number, which its parent lacks', { each, under: { field: 'order_id', parent: 'number' } }],
    ['made-up.notes: is under a parent that it does not have', { under: { field: 'order_id', parent: 'id' } }],
    ['made-up.notes: is called for each of notes, which hangs on itself', { each: { entity: 'notes', take: { order_id: 'id' } } }],
    ['made-up.notes: is within refunds, which hangs on another entity', { within: { entity: 'refunds', at: 'amount' } }],
  ])('%s', (says, sync) => {
    const wrong = { ...madeUp.definition, entities: { ...entities, notes: { ...entities.notes, sync } } }
    expect(findProblems({ ...madeUp, definition: wrong })).toContain(says)
  })

  test('says what runs ask of a list below a record: changes since its own mark, or all of a parent that is read', () => {
    const since = { param: 'since', field: 'created_at', lookback: 5 }
    const describe = (definition: ConnectorDefinition, entity: string, wanted = ['orders', 'notes']) =>
      describeIncremental({ definition, configuration: {}, wanted }, entity)
    const described = (sync: Sync) =>
      describe({ ...madeUp.definition, entities: { ...entities, notes: { ...entities.notes, sync } } }, 'notes')
    expect(described({ each, since })).toEqual({ entity: 'notes', field: 'created_at', lookback_seconds: 5 })
    expect(described({ each, newest: 'text' })).toEqual({ entity: 'notes', field: 'text', lookback_seconds: 60 })
    for (const whole of [{ each }, { each: { ...each, batch: 2 }, since }, { each, since, values: [{ order_id: 1 }] }])
      expect(described(whole)).toEqual(describe(madeUp.definition, 'orders'))
    // Marks of an entity that has no copy are kept nowhere, and neither are its windows.
    const marked = { ...entities, notes: { ...entities.notes, sync: { each, newest: 'text' } }, items: { ...entities.items, sync: below } }
    const definition = { ...madeUp.definition, entities: marked }
    expect(describe(definition, 'items')).toEqual({ entity: 'notes', field: 'text', lookback_seconds: 60 })
    expect(describe(definition, 'items', ['items'])).toEqual(describe(definition, 'orders'))
    expect(describe(definition, 'notes', [])).toEqual({ entity: 'notes', field: 'text', lookback_seconds: 60 })
  })

  test('walks parents with all that hangs on them, in the order of the documents', () => {
    expect(shape(plan(madeUp))).toEqual([
      'people',
      'orders, in refunds, in lines, per orders: notes, per lines: items',
      'calls, per calls: transcripts',
      'accounts, per accounts: reports',
      'shop',
    ])
  })

  test('what a few calls bring does not wait behind what is asked for record by record, though that hangs on it', () => {
    const all = () => true
    const trees = planRun(kinds.shopify.definition, all)
    const [quick, slow] = [trees.filter(({ isQuick }) => isQuick), trees.filter(({ isQuick }) => !isQuick)]
    expect(trees).toEqual([...quick, ...slow])
    const named = (trees: readonly Tree[]) => trees.flatMap(listStored).map(({ entity }) => entity)
    expect(quick.flatMap(({ children }) => children.filter(({ batch }) => batch === undefined))).toEqual([])
    const each = ['metafield_customers', 'metafield_orders', 'fulfillment_orders', 'metafield_products', 'metafield_product_variants']
    const more = ['metafield_product_images', 'inventory_levels', 'metafield_locations', 'discount_codes', 'metafield_smart_collections']
    expect(named(slow).toSorted()).toEqual([...each, ...more, 'metafield_draft_orders'].toSorted())
    expect([...named(quick), ...named(slow)].toSorted()).toEqual(named(plan(kinds.shopify)).toSorted())
    expect(named(quick)).toEqual(
      expect.arrayContaining(['customers', 'order_refunds', 'product_variants', 'inventory_items', 'price_rules']),
    )
    expect(planRun(kinds.gong.definition, all)).toEqual(plan(kinds.gong))
  })

  test('walks a parent that has no search, and leaves out what feeds nothing', () => {
    const [orders, ...others] = plan(madeUp, 'items')
    expect(others).toEqual([])
    expect(shape(orders === undefined ? [] : [orders])).toEqual(['orders, in refunds, in lines, per lines: items'])
    expect(orders && listStored(orders).map(({ entity }) => entity)).toEqual(['items'])
  })

  test('an entity without a list is got', () => {
    expect(plan(madeUp, 'shop', 'people').map(({ entity, action }) => [entity, action])).toEqual([
      ['people', 'list'],
      ['shop', 'get'],
    ])
  })

  test('knows which lists shift, and where the moment of a call is', () => {
    const known = plan(madeUp).flatMap((tree) =>
      listStored(tree).map(({ entity, shifts, timestampField: moment }) => [entity, shifts, moment]),
    )
    expect(known).toEqual([
      ['people', true, undefined],
      ['refunds', false, undefined],
      ['lines', false, undefined],
      ['notes', false, undefined],
      ['items', false, undefined],
      ['calls', true, 'started'],
      ['transcripts', true, 'started'],
      ['accounts', false, undefined],
      ['reports', true, undefined],
      ['shop', false, undefined],
    ])
  })

  test.each(syncedKinds)('every searchable entity of $definition.kind is filled by exactly one walk', (kind) => {
    const searchable = Object.entries(kind.definition.entities).flatMap(([entity, { context_store_search }]) =>
      context_store_search === undefined ? [] : [entity],
    )
    expect(
      plan(kind)
        .flatMap((tree) => listStored(tree).map(({ entity }) => entity))
        .toSorted(),
    ).toEqual(searchable.toSorted())
  })

  test('the moments of calls are known in all that comes with them', () => {
    const moments = plan(kinds.gong).flatMap((tree) => listStored(tree).map(({ entity, timestampField: moment }) => [entity, moment]))
    expect(Object.fromEntries(moments)).toEqual({
      users: undefined,
      calls: 'started',
      call_transcripts: 'started',
      calls_extensive: 'startdatetime',
      settings_scorecards: undefined,
      stats_activity_scorecards: 'reviewTime',
    })
  })
})

describe('windows', () => {
  const rule = { from: 'start', to: 'end', days: 30, first: 'start', lookback: 3 }
  const now = Date.parse('2026-03-20T23:30:00Z')

  test('reach to the day that it is tomorrow', () => {
    expect(listWindows('2026-03-20', rule, now)).toEqual([{ from: '2026-03-20', to: '2026-03-21' }])
    expect(listWindows('2026-03-22', rule, now)).toEqual([])
  })

  test('are as long as allowed, and leave no day out', () => {
    expect(listWindows('2026-01-15', rule, now)).toEqual([
      { from: '2026-01-15', to: '2026-02-13' },
      { from: '2026-02-14', to: '2026-03-15' },
      { from: '2026-03-16', to: '2026-03-21' },
    ])
  })

  /** A connector whose first day is configured. */
  const from = (start: string) => ({ kind: madeUp, configuration: { [rule.first]: start } })

  test('begin before the last day that is known, and never before the configured one', () => {
    expect(findFirstDay(rule, '2026-03-10', from('2026-01-01'), now)).toBe('2026-03-07')
    expect(findFirstDay(rule, '2026-03-10', from('2026-03-09'), now)).toBe('2026-03-09')
    expect(findFirstDay(rule, undefined, from('2026-01-01'), now)).toBe('2026-01-01')
  })

  test('begin anew when the last day is still to come', () => {
    expect(findFirstDay(rule, '2026-03-21', from('2026-01-01'), now)).toBe('2026-03-18')
    expect(findFirstDay(rule, '2027-03-20', from('2026-01-01'), now)).toBe('2026-01-01')
  })

  test('are halved down to a day', () => {
    expect(splitWindow({ from: '2026-03-01', to: '2026-03-30' })).toEqual([
      { from: '2026-03-01', to: '2026-03-15' },
      { from: '2026-03-16', to: '2026-03-30' },
    ])
    expect(splitWindow({ from: '2026-03-01', to: '2026-03-02' })).toEqual([
      { from: '2026-03-01', to: '2026-03-01' },
      { from: '2026-03-02', to: '2026-03-02' },
    ])
    expect(splitWindow({ from: '2026-03-01', to: '2026-03-01' })).toBeUndefined()
  })
})
