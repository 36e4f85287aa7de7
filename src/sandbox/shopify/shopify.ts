import { createControl } from '../control.ts'
import { isRecordEdit, mergedEdit, type RecordEdit } from '../edits.ts'
import type { Journal } from '../exchange.ts'
import { createJournal, openStandIn } from '../exchange.ts'
import type { FaultSupply } from '../faults.ts'
import { isObject, json } from '../http.ts'
import type { SwitchControl } from '../switches.ts'
import type { Aliases, ShopifyState } from './api.ts'
import { createApi } from './api.ts'
import { createBucket } from './bucket.ts'
import type { ShopifyWorldFacts } from './facts.ts'
import { factsOf } from './facts.ts'
import type { IdKind } from './ids.ts'
import { recordPosition } from './ids.ts'
import { receiptNumber } from './payments.ts'
import type { ShopifySwitches } from './switches.ts'
import { createShopifySwitches } from './switches.ts'
import { oldestVersion } from './versions.ts'
import type { View } from './world.ts'
import { editKey } from './world.ts'

/** How a stand-in of the vendor is started; every part is set. */
export interface ShopifyOptions {
  readonly host: string
  readonly port: number
  readonly limits: boolean
  readonly clock: () => number
  readonly seed: number
  readonly faults: FaultSupply
}

/** What can be changed later, by the vendor's names. */
const editable = [
  'customers',
  'orders',
  'products',
  'variants',
  'inventory_items',
  'locations',
  'price_rules',
  'discount_codes',
  'collections',
  'collects',
  'draft_orders',
  'checkouts',
  'countries',
  'metafields_shop',
  'metafields_customer',
  'metafields_product',
] as const satisfies readonly IdKind[]

/** A kind of record that can be changed later; custom and smart collections are both `collections`. */
export type EditableKind = (typeof editable)[number]

/** A running stand-in of the vendor. */
export interface RunningShopify {
  readonly origins: { readonly api: string }
  /** As of the start; collected when they are first asked for. */
  facts(): ShopifyWorldFacts
  readonly journal: Journal
  readonly switches: SwitchControl<ShopifySwitches>
  /** @throws RangeError for an id that no record of the kind has */
  edit(kind: EditableKind, id: number, change: RecordEdit): void
  reset(): void
  close(): Promise<void>
}

function createState(options: ShopifyOptions): ShopifyState {
  const { clock, seed, faults, limits } = options
  return {
    seed,
    clock,
    secret: `shopify sandbox ${seed}`,
    switches: createShopifySwitches({ limits }),
    faults,
    bucket: createBucket(clock),
    edits: new Map(),
    computing: new Map(),
    store: {},
    origin: { api: '' },
  }
}

function edit(state: ShopifyState, spot: { kind: EditableKind; id: number }, change: RecordEdit): void {
  const position = recordPosition(state.seed, spot.kind, spot.id)
  if (position === undefined) throw new RangeError(`There is no record ${spot.id} among ${spot.kind}`)
  const key = editKey({ kind: spot.kind, position })
  state.edits.set(key, mergedEdit(state.edits.get(key), change, state.clock()))
}

function isEdit(body: unknown): body is RecordEdit & { readonly kind: EditableKind; readonly id: number } {
  return isObject(body) && editable.some((kind) => kind === body['kind']) && typeof body['id'] === 'number' && isRecordEdit(body)
}

function changeRecord(state: ShopifyState, body: unknown) {
  if (!isEdit(body)) return json(400, { error: `An edit has kind (${editable.join(', ')}), id, and fields or erased` })
  const { kind, id, ...change } = body
  if (recordPosition(state.seed, kind, id) === undefined) return json(404, { error: `There is no record ${id} among ${kind}` })
  edit(state, { kind, id }, change)
  return json(200, { kind, id, ...change })
}

/** Remembers what is made once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Opens the server of the vendor. The store is not built before it is asked for.
 *
 * @param options - see ShopifyOptions
 * @throws the listen error of Node
 */
export async function startShopify(options: ShopifyOptions): Promise<RunningShopify> {
  const state = createState(options)
  const { clock, seed, faults } = options
  const { switches } = state
  const start = clock()
  const journal = createJournal(clock)
  const view: View = { seed, now: start, version: oldestVersion(start), edits: new Map(), store: state.store }
  const facts = once(() => factsOf(view))
  const aliases = once<Aliases>(() => [
    [String(facts().newestCustomerId), '9007199254740993'],
    [String(receiptNumber), '18014398509481985'],
  ])
  const reset = () => {
    faults.clear()
    switches.reset()
    state.bucket.reset()
    state.edits.clear()
    state.computing.clear()
    journal.clear()
  }
  const further = [{ method: 'POST', path: '/_sandbox/records', handle: (body: unknown) => changeRecord(state, body) }]
  const control = createControl({ faults, switches, journal, world: facts, reset, further })
  const server = await openStandIn(
    { name: 'shopify', faults, journal, ...createApi(state, aliases), control },
    { host: options.host, port: options.port },
  )
  state.origin.api = server.origin
  return {
    origins: state.origin,
    facts,
    journal,
    switches,
    edit: (kind, id, change) => edit(state, { kind, id }, change),
    reset,
    close: () => server.close(),
  }
}
