import { at } from '../data.ts'
import { productCount, productFacts } from './catalog.ts'
import { collectionCount } from './collections.ts'
import { codeText, ruleCount } from './discounts.ts'
import { orderName } from './plans.ts'
import { equals, type Rows } from './rows.ts'
import { day, destroyedAt, endingPositions, type IdKind, idIn, ordersUntil, shopTime, type View } from './world.ts'

/** How long the vendor keeps events. */
const eventLife = 365 * day

interface Subject {
  readonly kind: IdKind
  readonly type: string
  readonly size: (view: View) => number
  readonly name: (view: View, position: number) => string
}

const subjects: readonly Subject[] = [
  { kind: 'orders', type: 'Order', size: (view) => ordersUntil(view.seed, view.now), name: (_, order) => orderName(order) },
  { kind: 'products', type: 'Product', size: () => productCount, name: (view, product) => productFacts(view, product).title },
  { kind: 'collections', type: 'Collection', size: () => collectionCount, name: (_, collection) => `Collection ${collection + 1}` },
  { kind: 'price_rules', type: 'PriceRule', size: () => ruleCount, name: (view, rule) => codeText(view, rule, 0) },
]

/** Returns what was destroyed within a year: orders, products, collections, price rules. Other events are not imitated. */
export function eventRows(view: View): Rows {
  const ended = subjects.flatMap(({ kind, type, size, name }) =>
    endingPositions(view, kind, size(view)).flatMap((position) => {
      const end = destroyedAt(view, { kind, position })
      if (end === undefined || end < view.now - eventLife) return []
      const id = 160_000_000_000_000 + Math.floor(end / 1000) * 1000 + (position % 1000)
      return [{ id, end, type, subject: idIn(view, kind, position), name: name(view, position) }]
    }),
  )
  const list = ended.toSorted((left, right) => left.id - right.id)
  const verb = 'destroy'
  return {
    size: list.length,
    id: (row) => at(list, row).id,
    times: { created_at: (row) => at(list, row).end, updated_at: () => undefined },
    filters: { filter: { ...equals((row) => at(list, row).type), several: true }, verb: equals(() => verb) },
    record(row) {
      const { id, end, type, subject, name } = at(list, row)
      const message = `${type} was deleted: ${name}.`
      return {
        id,
        subject_id: subject,
        subject_type: type,
        created_at: shopTime(end),
        verb,
        arguments: [name],
        message,
        description: message,
        author: 'Ida Berg',
        body: null,
        path: null,
      }
    },
  }
}
