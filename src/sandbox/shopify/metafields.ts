import { at } from '../at.ts'
import { productWithManyVariants } from './catalog.ts'
import type { IdKind } from './ids.ts'
import { gid } from './ids.ts'
import type { Rows } from './rows.ts'
import { equals, rowsOf } from './rows.ts'
import { day, minute, shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, destroyedAt, draw, edited, idIn } from './world.ts'

/** What can have metafields, by the vendor's name of the owner. */
export type OwnerResource =
  | 'shop'
  | 'customer'
  | 'product'
  | 'variant'
  | 'media_image'
  | 'order'
  | 'draft_order'
  | 'location'
  | 'collection'

/** One owner. */
export interface Owner {
  readonly resource: OwnerResource
  /** Position of the owner among its kind. */
  readonly position: number
  /** `owner_id` of its metafields. */
  readonly id: number
  /** Epoch milliseconds. */
  readonly created: number
}

/** The product with more metafields than a page has. */
const productWithManyMetafields = productWithManyVariants

const many = 70
const shopFields = 60

interface Shape {
  readonly namespace: string
  readonly key: string
  readonly type: string
  readonly value: (number: number) => string | number | boolean
}

/** Whole numbers and truth values are JSON values, everything else is text, JSON included. */
const shapes: readonly Shape[] = [
  { namespace: 'custom', key: 'care', type: 'single_line_text_field', value: (number) => `Bei ${30 + (number % 4) * 10} °C waschen` },
  { namespace: 'facts', key: 'rating_count', type: 'number_integer', value: (number) => number % 977 },
  { namespace: 'flags', key: 'organic', type: 'boolean', value: (number) => number % 2 === 0 },
  { namespace: 'facts', key: 'sizes', type: 'json', value: (number) => `{"width": ${number % 90}, "unit": "cm"}` },
  { namespace: 'facts', key: 'weight', type: 'number_decimal', value: (number) => `${number % 50}.5` },
  { namespace: 'custom', key: 'notes', type: 'multi_line_text_field', value: () => 'Erste Zeile\nZweite Zeile 🙂' },
  { namespace: 'reviews', key: 'rating', type: 'rating', value: () => '{"value": "3.5", "scale_min": "1.0", "scale_max": "5.0"}' },
  { namespace: 'custom', key: 'tags', type: 'list.single_line_text_field', value: () => '["leise", "warm"]' },
  { namespace: 'facts', key: 'since', type: 'date_time', value: () => '2024-02-29T10:00:00Z' },
]

/** Metafields per owner at most, by resource. */
const widths: Readonly<Record<OwnerResource, number>> = {
  shop: 64,
  customer: 4,
  product: 128,
  variant: 4,
  media_image: 4,
  order: 4,
  draft_order: 4,
  location: 4,
  collection: 4,
}

/** How many metafields an owner has, erased ones included. */
export function metafieldCount(view: View, { resource, position }: Pick<Owner, 'resource' | 'position'>): number {
  if (resource === 'shop') return shopFields
  if (resource === 'product') return position === productWithManyMetafields ? many : 1 + draw(view, 4, 'metafields', resource, position)
  return draw(view, 3, 'metafields', resource, position)
}

function metafieldRecord(view: View, owner: Owner, index: number): JsonRecord {
  const kind: IdKind = `metafields_${owner.resource}`
  const position = owner.position * widths[owner.resource] + index
  const shape = at(shapes, (owner.position + index) % shapes.length)
  const id = idIn(view, kind, position)
  const round = Math.floor(index / shapes.length)
  return edited(
    view,
    { kind, position },
    {
      id,
      namespace: shape.namespace,
      key: round === 0 ? shape.key : `${shape.key}_${round + 1}`,
      value: shape.value(draw(view, 10_000, 'value', kind, position)),
      description: position % 6 === 0 ? 'Für den Katalog' : null,
      owner_id: owner.id,
      created_at: shopTime(owner.created + 5 * minute),
      updated_at: shopTime(metafieldChanged(view, owner, index)),
      owner_resource: owner.resource,
      type: shape.type,
      admin_graphql_api_id: gid('Metafield', id),
    },
  )
}

/** Metafields change on their own: a change does not touch their owner. */
function metafieldChanged(view: View, owner: Owner, index: number): number {
  const position = owner.position * widths[owner.resource] + index
  const start = owner.created + 5 * minute
  const period = (60 + draw(view, 500, 'metafield edited', owner.resource, position)) * day
  const natural = start + Math.floor(Math.max(view.now - start, 0) / period) * period
  return changedAt(view, { kind: `metafields_${owner.resource}`, position }, natural)
}

/** The metafields of an owner. */
export function metafieldRows(view: View, owner: Owner): Rows {
  const kind: IdKind = `metafields_${owner.resource}`
  const list = Array.from({ length: metafieldCount(view, owner) }, (_, index) => index).flatMap((index) => {
    const position = owner.position * widths[owner.resource] + index
    if (destroyedAt(view, { kind, position }) !== undefined) return []
    const updated = metafieldChanged(view, owner, index)
    return [{ id: idIn(view, kind, position), created: owner.created + 5 * minute, updated, record: metafieldRecord(view, owner, index) }]
  })
  const field = (name: string) => equals((row) => at(list, row).record[name])
  return rowsOf(list, { namespace: field('namespace'), key: field('key'), type: field('type') })
}
