import { at } from '../data.ts'
import { listRows, type Rows } from './rows.ts'
import { sites } from './shop.ts'
import { amount, materials, productTypes, tagWords, things, vendors } from './words.ts'
import { changedAt, day, draw, exists, gid, idIn, type JsonRecord, lastAt, perStore, randomOf, shopTime, type View } from './world.ts'

/** How many products there are, destroyed ones included. */
export const productCount = 600

/** The product with more variants than the API shows. */
export const productWithManyVariants = 300

const manyVariants = 140

/** How many variants of a product the API shows. */
export const shownVariants = 100

/** Positions of variants and images per product. */
export const variantWidth = 200
export const imageWidth = 8

const created = Date.UTC(2018, 0, 8, 8)
const statuses = ['active', 'active', 'active', 'active', 'active', 'active', 'draft', 'archived', 'archived', 'unlisted'] as const

/** Returns when a product was created, epoch milliseconds. */
export const productCreated = (product: number): number => created + Math.floor(product * 0.55 * day)

/** Returns when a product was last changed until now: it is edited every 20 to 400 days. */
export function productChanged(view: View, product: number): number {
  const period = (20 + draw(view, 380, 'edited', product)) * day
  const start = productCreated(product)
  return changedAt(view, { kind: 'products', position: product }, lastAt(view, start, period))
}

/** Returns how many variants a product has. */
export const variantCount = (view: { readonly seed: number }, product: number): number =>
  product === productWithManyVariants ? manyVariants : 1 + draw(view, 6, 'variants', product)

/** Returns how many images a product has. */
export const imageCount = (view: { readonly seed: number }, product: number): number => draw(view, 6, 'images', product)

/** Positions of all variants, ascending; destroyed products included. */
export const allVariants = perStore((seed) => {
  const found: number[] = []
  for (let product = 0; product < productCount; product += 1) {
    const count = variantCount({ seed }, product)
    for (let index = 0; index < count; index += 1) found.push(product * variantWidth + index)
  }
  return found
})

/** Returns the price of a variant in cents. */
export function variantPrice(view: { readonly seed: number }, variant: number): number {
  const base = 490 + draw(view, 140, 'price', Math.floor(variant / variantWidth)) * 100
  return base + (variant % variantWidth) * 150
}

/** Returns the title, vendor, type and tags of a product. */
export function productFacts(view: { readonly seed: number }, product: number) {
  const thing = product % things.length
  const random = randomOf(view, 'product', product)
  const material = at(materials, Math.floor(product / things.length) % materials.length)
  const series = Math.floor(product / (things.length * materials.length)) + 1
  return {
    title: `${material} ${at(things, thing)}${series === 1 ? '' : ` No. ${series}`}`,
    type: at(productTypes, thing),
    vendor: random.pick(vendors),
    tags: tagWords.filter(() => random.chance(0.25)),
    status: at(statuses, product % 97 === 0 ? 9 : draw(view, 9, 'status', product)),
    grams: random.int(80, 4000),
  }
}

/** Returns when a variant was last changed: with its product, or by an edit of its own. */
export const variantChanged = (view: View, variant: number): number =>
  changedAt(view, { kind: 'variants', position: variant }, productChanged(view, Math.floor(variant / variantWidth)))

/** Returns the stock keeping unit of a variant; some have none. */
export const skuOf = (variant: number): string => (variant % 41 === 0 ? '' : `NL-${String(variant).padStart(6, '0')}`)

/** Returns true for a variant whose stock is counted. */
export const isTracked = (view: { readonly seed: number }, variant: number): boolean => draw(view, 12, 'tracked', variant) !== 0

function isStocked(view: { readonly seed: number }, site: number, variant: number): boolean {
  const { share } = at(sites, site)
  return share === 100 || (share > 0 && draw(view, 100, 'stocked', site, variant) < share)
}

/** Returns the stock of a variant at a location: it changes every 3 to 40 days. */
function levelOf(view: View, site: number, variant: number): { readonly available: number | null; readonly changed: number } {
  const start = productCreated(Math.floor(variant / variantWidth))
  const period = (3 + draw(view, 38, 'restock', site, variant)) * day + draw(view, day, 'hour', site, variant)
  const step = Math.floor(Math.max(view.now - start, 0) / period)
  const available = isTracked(view, variant) ? draw(view, 83, 'available', site, variant, step) - 3 : null
  return { available, changed: Math.floor((start + step * period) / 1000) * 1000 }
}

/** Returns whether a variant is counted, and how many of it there are at all locations. */
export function inStock(view: View, variant: number): { readonly tracked: boolean; readonly total: number } {
  if (!isTracked(view, variant)) return { tracked: false, total: 0 }
  let total = 0
  for (let site = 0; site < sites.length; site += 1) {
    if (isStocked(view, site, variant)) total += levelOf(view, site, variant).available ?? 0
  }
  return { tracked: true, total }
}

const hasProduct = (view: View, variant: number): boolean => exists(view, 'products', Math.floor(variant / variantWidth))

/** Positions of levels per location, for keys that are no ids. */
const levelWidth = 1_000_000

interface LevelChoice {
  /** Positions of locations; left out: all. */
  readonly sites?: readonly number[]
  /** Positions of variants, ascending; left out: all. */
  readonly variants?: readonly number[]
}

/** Returns inventory levels, by location and item. They have no ids: the rows' ids are keys of this sandbox. */
export function levelRows(view: View, choice: LevelChoice): Rows {
  const stocked = [...(choice.sites ?? sites.keys())].filter((site) => exists(view, 'locations', site)).sort((left, right) => left - right)
  const variants = (choice.variants ?? allVariants(view)).filter((variant) => hasProduct(view, variant))
  const keys = stocked.flatMap((site) =>
    variants.filter((variant) => isStocked(view, site, variant)).map((variant) => site * levelWidth + variant),
  )
  const parts = (row: number) => ({ site: Math.floor(at(keys, row) / levelWidth), variant: at(keys, row) % levelWidth })
  const changed = (row: number) => {
    const { site, variant } = parts(row)
    return levelOf(view, site, variant).changed
  }
  return {
    size: keys.length,
    id: (row) => at(keys, row),
    times: { updated_at: changed },
    withoutSince: true,
    record(row): JsonRecord {
      const { site, variant } = parts(row)
      const item = idIn(view, 'inventory_items', variant)
      return {
        inventory_item_id: item,
        location_id: idIn(view, 'locations', site),
        available: levelOf(view, site, variant).available,
        updated_at: shopTime(changed(row)),
        admin_graphql_api_id: `${gid('InventoryLevel', idIn(view, 'inventory_levels', site))}?inventory_item_id=${item}`,
      }
    },
  }
}

function itemRecord(view: View, variant: number): JsonRecord {
  const product = Math.floor(variant / variantWidth)
  const random = randomOf(view, 'item', variant)
  const code = random.chance(0.3) ? String(random.int(440_000, 969_999)) : null
  return {
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
  }
}

const itemChanged = (view: View, variant: number): number =>
  changedAt(view, { kind: 'inventory_items', position: variant }, productChanged(view, Math.floor(variant / variantWidth)))

/** Returns the inventory items: one for each variant, also for those that the API does not show. */
export const itemRows = (view: View): Rows =>
  listRows(view, {
    kind: 'inventory_items',
    positions: allVariants(view),
    visible: (variant) => hasProduct(view, variant),
    times: {
      created_at: (variant) => productCreated(Math.floor(variant / variantWidth)),
      updated_at: (variant) => itemChanged(view, variant),
    },
    fields: (variant) => itemRecord(view, variant),
  })
