import { at } from '../data.ts'
import { hash32 } from '../random.ts'
import { productCount, productFacts } from './catalog.ts'
import { equals, listRows, type Rows } from './rows.ts'
import { productTypes, tagWords, vendors } from './words.ts'
import {
  changedAt,
  day,
  draw,
  exists,
  idIn,
  type JsonRecord,
  lastAt,
  perStore,
  randomOf,
  recordPosition,
  shopTime,
  shopTimeOrNull,
  type View,
} from './world.ts'

/** Positions 0 to 23 are custom collections, 24 to 39 smart ones. */
export const customCount = 24
export const collectionCount = 40

/** A custom collection without products. */
export const emptyCollection = 23

const collectWidth = 1024

const created = Date.UTC(2019, 4, 6, 9)
const orders = ['best-selling', 'manual', 'alpha-asc', 'price-desc', 'created-desc'] as const

interface CollectionRule {
  readonly column: 'type' | 'vendor' | 'tag'
  readonly relation: 'equals'
  readonly condition: string
}

function ruleOf(collection: number): CollectionRule {
  const smart = collection - customCount
  const types = [...new Set(productTypes)]
  if (smart < types.length) return { column: 'type', relation: 'equals', condition: at(types, smart) }
  const vendor = smart - types.length
  if (vendor < vendors.length) return { column: 'vendor', relation: 'equals', condition: at(vendors, vendor) }
  return { column: 'tag', relation: 'equals', condition: at(tagWords, vendor - vendors.length) }
}

function isMember(seed: number, collection: number, product: number): boolean {
  if (collection === emptyCollection) return false
  if (collection < customCount) return hash32('in collection', seed, collection, product) % 100 < 6
  const { column, condition } = ruleOf(collection)
  const { type, vendor, tags } = productFacts({ seed }, product)
  if (column === 'tag') return tags.includes(condition)
  return (column === 'type' ? type : vendor) === condition
}

/** Positions of all collects, ascending; those of destroyed products and collections included. */
const allCollects = perStore((seed) => {
  const found: number[] = []
  for (let collection = 0; collection < collectionCount; collection += 1) {
    for (let product = 0; product < productCount; product += 1) {
      if (isMember(seed, collection, product)) found.push(collection * collectWidth + product)
    }
  }
  return found
})

function collectionChanged(view: View, collection: number): number {
  const period = (30 + draw(view, 200, 'collection edited', collection)) * day
  const start = created + collection * 9 * day
  return changedAt(view, { kind: 'collections', position: collection }, lastAt(view, start, period))
}

/** Returns true when a product is in the collection with an id, as text. */
export function isInCollection(view: View, product: number, collectionId: string): boolean {
  const collection = recordPosition(view.seed, 'collections', Number(collectionId))
  if (collection === undefined || collection >= collectionCount) return false
  return exists(view, 'collections', collection) && isMember(view.seed, collection, product)
}

function imageOf(view: View, collection: number): JsonRecord {
  const random = randomOf(view, 'collection image', collection)
  if (random.chance(0.4)) return {}
  const src = `https://cdn.shopify.com/s/files/1/0777/0001/collections/${collection}.jpg?v=1600000000`
  const alt = random.chance(0.5) ? 'Titelbild' : null
  return { image: { created_at: shopTime(created), alt, width: 1200, height: random.int(400, 1200), src } }
}

function titleOf(collection: number): string {
  if (collection >= customCount) return `${ruleOf(collection).condition} – all`
  return `Edition ${collection + 1}`
}

function collectionRecord(view: View, collection: number, single: boolean): JsonRecord {
  const smart = collection >= customCount
  const members = allCollects(view).filter((collect) => Math.floor(collect / collectWidth) === collection)
  const count = members.filter((collect) => exists(view, 'products', collect % collectWidth)).length
  const title = titleOf(collection)
  return {
    handle: title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    title,
    updated_at: shopTime(collectionChanged(view, collection)),
    body_html: collection % 3 === 0 ? null : `<p>${title}</p>`,
    published_at: shopTimeOrNull(collection % 8 === 5 ? undefined : created + collection * 9 * day),
    sort_order: at(orders, collection % orders.length),
    template_suffix: null,
    ...(single ? { products_count: count } : {}),
    ...(smart ? { disjunctive: false, rules: [ruleOf(collection)] } : {}),
    published_scope: collection % 4 === 0 ? 'global' : 'web',
    ...imageOf(view, collection),
  }
}

/** Returns the custom or the smart collections of the store. */
export function collectionRows(view: View, smart: boolean): Rows {
  const holds = (collection: number, productId: string) => {
    const product = recordPosition(view.seed, 'products', Number(productId))
    return product !== undefined && product < productCount && isMember(view.seed, collection, product)
  }
  return listRows(view, {
    kind: 'collections',
    positions: smart ? { from: customCount, to: collectionCount } : { from: 0, to: customCount },
    times: { updated_at: (collection) => collectionChanged(view, collection) },
    filters: { title: equals(titleOf), product_id: { test: holds } },
    fields: (collection, single) => collectionRecord(view, collection, single),
  })
}

/** Returns the collects: which product is in which collection. Those of smart collections have no dates. */
export function collectRows(view: View): Rows {
  const collectionOf = (collect: number) => Math.floor(collect / collectWidth)
  const productOf = (collect: number) => collect % collectWidth
  const ids = (collect: number) => ({
    collection_id: idIn(view, 'collections', collectionOf(collect)),
    product_id: idIn(view, 'products', productOf(collect)),
  })
  return listRows(view, {
    kind: 'collects',
    positions: allCollects(view),
    visible: (collect) =>
      exists(view, 'collects', collect) &&
      exists(view, 'collections', collectionOf(collect)) &&
      exists(view, 'products', productOf(collect)),
    filters: { collection_id: equals((collect) => ids(collect).collection_id), product_id: equals((collect) => ids(collect).product_id) },
    fields(collect) {
      const [collection, product] = [collectionOf(collect), productOf(collect)]
      const date = collection < customCount ? shopTime(created + (collection * 9 + (product % 7)) * day) : null
      const position = (product % 250) + 1
      return { ...ids(collect), created_at: date, updated_at: date, position, sort_value: String(position).padStart(10, '0') }
    },
  })
}
