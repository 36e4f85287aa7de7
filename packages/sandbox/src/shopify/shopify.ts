import { createInside, createSwitchControl, recordRoute, type StandInOptions, type VendorSandbox } from '../control.ts'
import { mergedEdit, type RecordEdit } from '../data.ts'
import { openStandIn } from '../exchange.ts'
import { createBucket } from '../limits.ts'
import { oldestVersion } from './access.ts'
import { type Aliases, createApi, type ShopifyState } from './api.ts'
import { factsOf, type ShopifyWorldFacts } from './facts.ts'
import { receiptNumber } from './payments.ts'
import { rules, type ShopifySwitches } from './switches.ts'
import { editKey, type IdKind, recordPosition } from './world.ts'

/** What can be changed later, by the vendor's names. */
const editable = [
  ...(['customers', 'orders', 'products', 'variants', 'inventory_items', 'locations', 'price_rules', 'discount_codes'] as const),
  ...(['collections', 'collects', 'draft_orders', 'checkouts', 'countries'] as const),
  ...(['metafields_shop', 'metafields_customer', 'metafields_product'] as const),
] satisfies readonly IdKind[]

/** A kind of record that can be changed later; custom and smart collections are both `collections`. */
export type EditableKind = (typeof editable)[number]

/** What can be asked of, and done to, the stand-in of Shopify. */
export interface ShopifySandbox extends VendorSandbox<ShopifySwitches, ShopifyWorldFacts> {
  /**
   * Changes a record from now on: other fields, or its end. It counts as updated now.
   * @throws RangeError for an id that no record of the kind has
   */
  edit(kind: EditableKind, id: number, change: RecordEdit): void
}

/** Changes a record; false when the record does not exist. */
function edit({ seed, edits, clock }: ShopifyState, of: { kind: EditableKind; id: number }, change: RecordEdit): boolean {
  const position = recordPosition(seed, of.kind, of.id)
  if (position === undefined) return false
  const key = editKey({ kind: of.kind, position })
  edits.set(key, mergedEdit(edits.get(key), change, clock()))
  return true
}

/** Opens the server of the vendor. The store is not built before it is asked for. @throws the listen error of Node */
export async function startShopify({ host, port, limits, clock, seed, faults }: StandInOptions) {
  const switches = createSwitchControl({ ...rules, start: { limits } })
  const made = { bucket: createBucket(clock), edits: new Map(), computing: new Map(), store: {}, origin: { api: '' } }
  const state: ShopifyState = { seed, clock, secret: `shopify sandbox ${seed}`, switches, faults, ...made }
  const now = clock()
  const facts = () => factsOf({ seed, now, version: oldestVersion(now), edits: new Map(), store: state.store })
  const reset = () => {
    state.bucket.reset()
    state.edits.clear()
    state.computing.clear()
  }
  const isId = (id: unknown) => typeof id === 'number'
  const further = [recordRoute(editable, isId, (kind, id, change) => edit(state, { kind, id }, change))]
  const { journal, control, world, visible } = createInside({ clock, faults, switches, world: facts, reset, further })
  const aliases = (): Aliases => [
    [String(world().newestCustomerId), '9007199254740993'],
    [String(receiptNumber), '18014398509481985'],
  ]
  const server = await openStandIn({ name: 'shopify', faults, journal, ...createApi(state, aliases), control }, { host, port })
  state.origin.api = server.origin
  const sandbox: ShopifySandbox = {
    ...visible,
    get world() {
      return world()
    },
    edit(kind, id, change) {
      if (!edit(state, { kind, id }, change)) throw new RangeError(`There is no record ${id} among ${kind}`)
    },
  }
  return { origins: state.origin, sandbox, close: () => server.close() }
}
