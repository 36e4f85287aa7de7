import { at } from '../at.ts'
import { hash32 } from '../random.ts'
import { productCount, productExists, productFacts } from './catalog.ts'
import { gid, recordPosition } from './ids.ts'
import type { Rows } from './rows.ts'
import { equals } from './rows.ts'
import { day, shopTime, shopTimeOrNull } from './time.ts'
import { productTypes, tagWords, vendors } from './words.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, destroyedAt, draw, edited, idIn, perStore, randomOf } from './world.ts'

/** Positions 0 to 23 are custom collections, 24 to 39 smart ones. */
export const customCount = 24
export const collectionCount = 40

/** A custom collection without products. */
export const emptyCollection = 23

/** Collects per collection at most. */
const collectWidth = 1024

const created = Date.UTC(2019, 4, 6, 9)
const orders = ['best-selling', 'manual', 'alpha-asc', 'price-desc', 'created-desc'] as const

interface Rule {
  readonly column: 'type' | 'vendor' | 'tag'
  readonly relation: 'equals'
  readonly condition: string
}

/** The rule of a smart collection. */
function ruleOf(collection: number): Rule {
  const smart = collection - customCount
  const types = [...new Set(productTypes)]
  if (smart < types.length) return { column: 'type', relation: 'equals', condition: at(types, smart) }
  const vendor = smart - types.length
  if (vendor < vendors.length) return { column: 'vendor', relation: 'equals', condition: at(vendors, vendor) }
  return { column: 'tag', relation: 'equals', condition: at(tagWords, vendor - vendors.length) }
}

/** Whether a product is in a collection. */
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

/** True while a collection exists. */
export function collectionExists(view: View, collection: number): boolean {
  return destroyedAt(view, { kind: 'collections', position: collection }) === undefined
}

function collectionChanged(view: View, collection: number): number {
  const period = (30 + draw(view, 200, 'collection edited', collection)) * day
  const start = created + collection * 9 * day
  const natural = start + Math.floor(Math.max(view.now - start, 0) / period) * period
  return changedAt(view, { kind: 'collections', position: collection }, natural)
}

/** True when a product is in the collection with an id, as text. */
export function isInCollection(view: View, product: number, collectionId: string): boolean {
  const collection = recordPosition(view.seed, 'collections', Number(collectionId))
  if (collection === undefined || collection >= collectionCount) return false
  return collectionExists(view, collection) && isMember(view.seed, collection, product)
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
  const count = members.filter((collect) => productExists(view, collect % collectWidth)).length
  const title = titleOf(collection)
  const id = idIn(view, 'collections', collection)
  return edited(
    view,
    { kind: 'collections', position: collection },
    {
      id,
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
      admin_graphql_api_id: gid('Collection', id),
      ...imageOf(view, collection),
    },
  )
}

/**
 * The custom or the smart collections of the store.
 *
 * @param view - the store
 * @param smart - which of the two
 */
export function collectionRows(view: View, smart: boolean): Rows {
  const first = smart ? customCount : 0
  const collectionAt = (position: number) => first + position
  const holds = (position: number, productId: string) => {
    const product = recordPosition(view.seed, 'products', Number(productId))
    return product !== undefined && product < productCount && isMember(view.seed, collectionAt(position), product)
  }
  return {
    size: smart ? collectionCount - customCount : customCount,
    id: (position) => idIn(view, 'collections', collectionAt(position)),
    visible: (position) => collectionExists(view, collectionAt(position)),
    times: { updated_at: (position) => collectionChanged(view, collectionAt(position)) },
    filters: { title: equals((position) => titleOf(collectionAt(position))), product_id: { test: holds } },
    record: (position, single) => collectionRecord(view, collectionAt(position), single),
  }
}

/** The collects: which product is in which collection. Those of smart collections have no dates. */
export function collectRows(view: View): Rows {
  const collects = allCollects(view)
  const parts = (row: number) => ({
    collection: Math.floor(at(collects, row) / collectWidth),
    product: at(collects, row) % collectWidth,
  })
  const record = (row: number): JsonRecord => {
    const { collection, product } = parts(row)
    const date = collection < customCount ? shopTime(created + (collection * 9 + (product % 7)) * day) : null
    const place = (product % 250) + 1
    return edited(
      view,
      { kind: 'collects', position: at(collects, row) },
      {
        id: idIn(view, 'collects', at(collects, row)),
        collection_id: idIn(view, 'collections', collection),
        product_id: idIn(view, 'products', product),
        created_at: date,
        updated_at: date,
        position: place,
        sort_value: String(place).padStart(10, '0'),
      },
    )
  }
  return {
    size: collects.length,
    id: (row) => idIn(view, 'collects', at(collects, row)),
    visible(row) {
      const { collection, product } = parts(row)
      const gone = destroyedAt(view, { kind: 'collects', position: at(collects, row) }) !== undefined
      return !gone && collectionExists(view, collection) && productExists(view, product)
    },
    filters: {
      collection_id: equals((row) => idIn(view, 'collections', parts(row).collection)),
      product_id: equals((row) => idIn(view, 'products', parts(row).product)),
    },
    record,
  }
}
