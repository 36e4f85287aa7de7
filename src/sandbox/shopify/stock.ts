import { at } from '../at.ts'
import { allVariants, productChanged, productCreated, productExists, skuOf, variantPrice, variantWidth } from './catalog.ts'
import { gid } from './ids.ts'
import { siteExists, sites } from './locations.ts'
import { amount } from './money.ts'
import type { Rows } from './rows.ts'
import { day, shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, draw, edited, idIn, randomOf } from './world.ts'

/** True for a variant whose stock is counted. */
export function isTracked(view: { readonly seed: number }, variant: number): boolean {
  return draw(view, 12, 'tracked', variant) !== 0
}

function isStocked(view: { readonly seed: number }, site: number, variant: number): boolean {
  const { share } = at(sites, site)
  return share === 100 || (share > 0 && draw(view, 100, 'stocked', site, variant) < share)
}

/** Stock of a variant at a location: it changes every 3 to 40 days. */
function levelOf(view: View, site: number, variant: number): { readonly available: number | null; readonly changed: number } {
  const start = productCreated(Math.floor(variant / variantWidth))
  const period = (3 + draw(view, 38, 'restock', site, variant)) * day + draw(view, day, 'hour', site, variant)
  const step = Math.floor(Math.max(view.now - start, 0) / period)
  const available = isTracked(view, variant) ? draw(view, 83, 'available', site, variant, step) - 3 : null
  return { available, changed: Math.floor((start + step * period) / 1000) * 1000 }
}

/** Whether a variant is counted, and how many of it there are at all locations. */
export function inStock(view: View, variant: number): { readonly tracked: boolean; readonly total: number } {
  if (!isTracked(view, variant)) return { tracked: false, total: 0 }
  let total = 0
  for (let site = 0; site < sites.length; site += 1) {
    if (isStocked(view, site, variant)) total += levelOf(view, site, variant).available ?? 0
  }
  return { tracked: true, total }
}

function exists(view: View, variant: number): boolean {
  return productExists(view, Math.floor(variant / variantWidth))
}

/** Positions of levels per location, for keys that are no ids. */
const levelWidth = 1_000_000

/** Which levels are asked for. */
export interface LevelChoice {
  /** Positions of locations; left out: all. */
  readonly sites?: readonly number[]
  /** Positions of variants, ascending; left out: all. */
  readonly variants?: readonly number[]
}

/**
 * Inventory levels, by location and item. They have no ids: the rows' ids are keys of this sandbox.
 *
 * @param view - the store
 * @param choice - which of them
 */
export function levelRows(view: View, choice: LevelChoice): Rows {
  const places = [...(choice.sites ?? sites.keys())].filter((site) => siteExists(view, site)).sort((left, right) => left - right)
  const variants = (choice.variants ?? allVariants(view)).filter((variant) => exists(view, variant))
  const keys = places.flatMap((site) =>
    variants.filter((variant) => isStocked(view, site, variant)).map((variant) => site * levelWidth + variant),
  )
  const parts = (position: number) => {
    const key = at(keys, position)
    return { site: Math.floor(key / levelWidth), variant: key % levelWidth }
  }
  const changed = (position: number) => {
    const { site, variant } = parts(position)
    return changedAt(view, { kind: 'inventory_levels', position: site * levelWidth + variant }, levelOf(view, site, variant).changed)
  }
  return {
    size: keys.length,
    id: (position) => at(keys, position),
    times: { updated_at: changed },
    withoutSince: true,
    record(position): JsonRecord {
      const { site, variant } = parts(position)
      const item = idIn(view, 'inventory_items', variant)
      const spot = { kind: 'inventory_levels', position: site * levelWidth + variant } as const
      return edited(view, spot, {
        inventory_item_id: item,
        location_id: idIn(view, 'locations', site),
        available: levelOf(view, site, variant).available,
        updated_at: shopTime(changed(position)),
        admin_graphql_api_id: `${gid('InventoryLevel', idIn(view, 'inventory_levels', site))}?inventory_item_id=${item}`,
      })
    },
  }
}

function itemRecord(view: View, variant: number): JsonRecord {
  const product = Math.floor(variant / variantWidth)
  const random = randomOf(view, 'item', variant)
  const id = idIn(view, 'inventory_items', variant)
  const code = random.chance(0.3) ? String(random.int(440_000, 969_999)) : null
  return edited(
    view,
    { kind: 'inventory_items', position: variant },
    {
      id,
      sku: skuOf(variant),
      created_at: shopTime(productCreated(product)),
      updated_at: shopTime(itemChanged(view, variant)),
      requires_shipping: true,
      cost: random.chance(0.8) ? amount(Math.round(variantPrice(view, variant) * 0.4)) : null,
      country_code_of_origin: random.pick(['DE', 'PT', 'IN', null]),
      province_code_of_origin: null,
      harmonized_system_code: code,
      tracked: isTracked(view, variant),
      country_harmonized_system_codes: code === null ? [] : [{ harmonized_system_code: code, country_code: 'US' }],
      admin_graphql_api_id: gid('InventoryItem', id),
    },
  )
}

function itemChanged(view: View, variant: number): number {
  return changedAt(view, { kind: 'inventory_items', position: variant }, productChanged(view, Math.floor(variant / variantWidth)))
}

/** The inventory items: one for each variant, also for those that the API does not show. */
export function itemRows(view: View): Rows {
  const variants = allVariants(view)
  return {
    size: variants.length,
    id: (position) => idIn(view, 'inventory_items', at(variants, position)),
    visible: (position) => exists(view, at(variants, position)),
    times: {
      created_at: (position) => productCreated(Math.floor(at(variants, position) / variantWidth)),
      updated_at: (position) => itemChanged(view, at(variants, position)),
    },
    record: (position) => itemRecord(view, at(variants, position)),
  }
}
