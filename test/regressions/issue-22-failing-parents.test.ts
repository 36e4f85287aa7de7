import { afterAll, describe, expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { createEngine, type Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { getAt, parsePath } from '../../packages/ferrule/src/engine/json/paths.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { Answered, Ask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { type SyncResult, syncConnector } from '../context/sync-connector.ts'
import { StoreDouble } from '../context/sync-double.ts'
import { askOf, connectionOf, truthConnector } from '../context/sync-truth-child.ts'
import { originOf, type SyncedKind, syncedKinds, wholeCases } from '../context/sync-truth-kinds.ts'

type Call = Parameters<Ask>[0]

const now = Date.parse('2026-08-10T10:00:00Z')
const day = 86_400_000

/** Lists per parent of each kind: its parameter, its entities, and whether one call takes many parents. */
const cases = {
  gong: { param: 'filter.callIds', entities: ['call_transcripts'], healthy: ['calls', 'calls_extensive', 'users'] },
  shopify: { param: 'order_id', entities: ['fulfillment_orders', 'metafield_orders'], healthy: ['orders', 'fulfillments', 'locations'] },
  'tiktok-marketing': {
    param: 'advertiser_id',
    entities: ['campaigns', 'ad_groups', 'ads', 'campaigns_reports_daily'],
    healthy: ['advertisers'],
  },
} as const satisfies Partial<Record<SyncedKind, unknown>>

/** Records of a root that are enough for these tests. */
const most: Readonly<Record<string, number>> = { calls: 30, calls_extensive: 30, orders: 7 }

const kept = new Map<string, readonly string[]>()

/** Shortens the list of a root to the same records in every run. */
function cutRoot({ entity }: Call, { rows, ...answered }: Answered): Answered {
  const limit = most[entity]
  if (limit === undefined) return { rows, ...answered }
  const idOf = (row: unknown) => String(getAt(row, ['id']) ?? getAt(row, ['metaData', 'id']))
  const ids = kept.get(entity) ?? rows.slice(0, limit).map(idOf)
  kept.set(entity, ids)
  return { ...answered, rows: rows.filter((row) => ids.includes(idOf(row))), next: null }
}

const smallAdvertiser = '7398164205713920643'
const advertisers = ['1', '2', '3', '4', '5'].map((last) => `700000000000000000${last}`)

/** Shows a small advertiser of the stand-in as five advertisers with records of their own. */
const asFive =
  (send: Ask): Ask =>
  async (call) => {
    const { entity } = call
    const given = call.params['advertiser_id']
    const isOwn = typeof given === 'string' && advertisers.includes(given)
    const answered = await send(isOwn ? { ...call, params: { ...call.params, advertiser_id: smallAdvertiser } } : call)
    const rows = answered.rows.filter(isObject)
    if (entity === 'advertisers') return { ...answered, rows: advertisers.map((advertiser_id) => ({ ...rows[0], advertiser_id })) }
    const key = entity.endsWith('_reports_daily')
      ? 'campaign_id'
      : { campaigns: 'campaign_id', ad_groups: 'adgroup_id', ads: 'ad_id' }[entity]
    return isOwn && key !== undefined
      ? { ...answered, rows: rows.map((row) => ({ ...row, [key]: `${row[key]}${given.at(-1)}` })) }
      : answered
  }

/** Parameter of a position. */
const positions = { gong: 'cursor', shopify: 'page_info', 'tiktok-marketing': 'page' } as const

/** Sends a call for one half of a list: the first page, and the page behind the position. */
async function sendHalf(send: Ask, call: Call, at: string): Promise<Answered> {
  const { [at]: position, ...params } = call.params
  const answered = await send({ ...call, params })
  const { rows } = answered
  const middle = Math.ceil(rows.length / 2)
  if (position !== undefined) return { ...answered, rows: rows.slice(middle) }
  return { ...answered, rows: rows.slice(0, middle), next: rows.length > 1 ? { [at]: 'half' } : null }
}

/** Sync of one connector of a stand-in into a store in memory. */
class Side {
  readonly kind: keyof typeof cases
  readonly store: StoreDouble
  readonly #send: Ask
  now = now
  /** True when each list below a record has two pages. */
  isPaged = false
  /** Parents in the order in which they were asked for, by entity. */
  readonly parents = new Map<string, string[]>()
  /** Keys of the records that a list of a parent has. */
  readonly keys = new Map<string, Set<string>>()
  /** What it throws becomes the answer. */
  trouble: (call: Call, parents: readonly string[]) => void = () => undefined

  constructor(kind: keyof typeof cases, engine: Engine, sandbox: Sandbox) {
    const given = wholeCases.find((each) => each.kind === kind)
    if (given === undefined) throw new Error(`no case of ${kind}`)
    const { definition } = syncedKinds[kind]
    this.kind = kind
    this.store = new StoreDouble(definition.entities)
    this.store.clock = () => this.now
    this.configuration = kind === 'tiktok-marketing' ? { advertiser_id: [smallAdvertiser], start_date: '2026-06-01' } : given.configuration
    const send = askOf(engine, connectionOf({ ...given, configuration: this.configuration, origin: originOf(sandbox, kind) }))
    this.#send = kind === 'tiktok-marketing' ? asFive(send) : send
  }

  readonly configuration: Readonly<Record<string, unknown>>

  readonly #ask: Ask = async (call) => {
    const { param, entities } = cases[this.kind]
    const value = getAt(call.params, parsePath(param))
    const parents = entities.some((entity) => entity === call.entity) && value !== undefined ? [value].flat().map(String) : []
    const asked = this.parents.get(call.entity) ?? []
    this.parents.set(call.entity, [...asked, ...parents])
    this.trouble(call, parents)
    const send = this.isPaged && parents.length > 0 ? (one: Call) => sendHalf(this.#send, one, positions[this.kind]) : this.#send
    const answered = cutRoot(call, await send(call))
    if (parents.length > 0) this.#note(call, parents, answered)
    return answered
  }

  #note({ entity, params }: Call, parents: readonly string[], { rows }: Answered): void {
    const { entities }: Kind['definition'] = syncedKinds[this.kind].definition
    const [first = ''] = entities[entity]?.key ?? []
    const table = this.store.getTable(this.kind, entity)
    for (const row of rows) {
      const parent = parents.length === 1 ? parents[0] : String(getAt(row, first.split('.')))
      const name = `${entity} ${parent}`
      this.keys.set(name, (this.keys.get(name) ?? new Set()).add(buildPrimaryKey(table.key, row, params) ?? ''))
    }
  }

  sync(mode: 'incremental' | 'full' = 'incremental'): Promise<SyncResult> {
    const { entities, healthy } = cases[this.kind]
    return syncConnector({
      kind: syncedKinds[this.kind],
      connector: truthConnector,
      configuration: this.configuration,
      store: this.store,
      ask: this.#ask,
      wanted: (entity) => [...entities, ...healthy].includes(entity as never),
      mode,
      fullEvery: 7 * day,
      clock: () => this.now,
      signal: new AbortController().signal,
    })
  }

  copy(): Readonly<Record<string, readonly string[]>> {
    const { entities, healthy } = cases[this.kind]
    return Object.fromEntries([...entities, ...healthy].map((entity) => [entity, [...this.store.shelf(entity).rows.keys()].toSorted()]))
  }
}

const refusals = {
  gong: () => fail('upstream_invalid_request', { vendor: 'Gong', reason: 'not this call' }),
  shopify: () => fail('upstream_permission_denied', { vendor: 'Shopify', reason: 'not this order' }),
  'tiktok-marketing': () => fail('upstream_permission_denied', { vendor: 'TikTok', reason: 'no permission to operate advertiser' }),
} as const
const broken = () => fail('upstream_error', { vendor: 'Vendor', reason: 'internal error' })

describe.each(['gong', 'shopify', 'tiktok-marketing'] as const)('below a record of %s', async (kind) => {
  const { entities } = cases[kind]
  const [entity] = entities

  const sandbox = await startSandbox({ clock: () => now, limits: false, calls: 250 })
  const engine = createEngine({ limits: false, clock: () => now })
  const calm = new Side(kind, engine, sandbox)
  await calm.sync()
  afterAll(async () => {
    await engine.close()
    await sandbox.close()
  })

  const parentsOf = () => [...new Set(calm.parents.get(entity))]
  /** Returns the undisturbed copy without what is below some parents of some entities. */
  const without = (parents: readonly string[], some: readonly string[] = entities) => {
    const lost = (name: string) => new Set(parents.flatMap((parent) => [...(calm.keys.get(`${name} ${parent}`) ?? [])]))
    return Object.fromEntries(
      Object.entries(calm.copy()).map(([name, keys]) => [name, some.includes(name) ? keys.filter((key) => !lost(name).has(key)) : keys]),
    )
  }
  const resultOf = ({ entities: results }: SyncResult, name: string) => results.find((each) => each.entity === name)

  test('three refused parents in a row leave out themselves only, and are named', async () => {
    const side = new Side(kind, engine, sandbox)
    const all = parentsOf()
    const refused = all.length > 3 ? all.slice(0, 3) : all.slice(0, all.length - 1)
    side.trouble = (_call, parents) => {
      if (parents.some((parent) => refused.includes(parent))) throw refusals[kind]()
    }
    const result = await side.sync()
    expect(side.copy()).toEqual(without(refused))
    for (const name of entities) {
      expect(resultOf(result, name)).toMatchObject({ state: 'partial', error: { code: refusals[kind]().code } })
      for (const parent of refused) expect(resultOf(result, name)?.error?.message).toContain(parent)
    }
    side.trouble = () => undefined
    await side.sync()
    expect(side.copy()).toEqual(calm.copy())
  })

  test('one parent that fails for ever holds back itself only, and is the first that the next run asks for', async () => {
    const side = new Side(kind, engine, sandbox)
    const failing = parentsOf()[1] ?? ''
    side.trouble = ({ entity: name }, parents) => {
      if (name === entity && parents.includes(failing)) throw broken()
    }
    const result = await side.sync()
    expect(side.copy()).toEqual(without([failing], [entity]))
    expect(resultOf(result, entity)).toMatchObject({ state: 'partial', error: { code: 'upstream_error' } })
    expect(resultOf(result, entity)?.error?.message).toContain(failing)
    for (const name of entities.slice(1)) expect(resultOf(result, name)?.state).toBe('complete')
    side.parents.clear()
    await side.sync()
    expect(side.copy()).toEqual(without([failing], [entity]))
    expect(side.parents.get(entity)?.[0]).toBe(failing)
    side.trouble = () => undefined
    const last = await side.sync()
    expect(resultOf(last, entity)?.error).toBeUndefined()
    expect(side.copy()).toEqual(calm.copy())
  })

  test('what was stored of a parent stays when its list fails in a later complete pass', async () => {
    const side = new Side(kind, engine, sandbox)
    await side.sync()
    const [failing = ''] = parentsOf()
    side.trouble = (_call, parents) => {
      if (parents.includes(failing)) throw broken()
    }
    const result = await side.sync('full')
    expect(resultOf(result, entity)?.state).toBe('partial')
    expect(side.copy()).toEqual(calm.copy())
  })

  test('a refused position begins that list again', async () => {
    const side = new Side(kind, engine, sandbox)
    side.isPaged = true
    const refused = new Set<string>()
    side.trouble = ({ entity: name, params }, parents) => {
      if (parents.length === 0 || params[positions[kind]] === undefined || refused.has(name)) return
      refused.add(name)
      throw fail('invalid_cursor', { reason: 'page_info: Invalid value.' })
    }
    const result = await side.sync()
    expect(refused).toContain(entity)
    expect(result.entities.flatMap(({ error }) => error ?? [])).toEqual([])
    expect(side.copy()).toEqual(calm.copy())
  })
})
