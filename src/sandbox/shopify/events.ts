import { at } from '../at.ts'
import { productCount, productFacts } from './catalog.ts'
import { collectionCount } from './collections.ts'
import { codeText, ruleCount } from './discounts.ts'
import type { IdKind } from './ids.ts'
import { orderName } from './order-facts.ts'
import type { Rows } from './rows.ts'
import { equals, rowsOf } from './rows.ts'
import { orderedAt, ordersUntil } from './schedule.ts'
import { day, shopTime } from './time.ts'
import type { View } from './world.ts'
import { destroyedAt, endingPositions, idIn } from './world.ts'

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

interface Ended {
  readonly subject: Subject
  readonly position: number
  readonly at: number
}

function endedOf(view: View): readonly Ended[] {
  return subjects.flatMap((subject) =>
    endingPositions(view, subject.kind, subject.size(view)).flatMap((position) => {
      const created = subject.kind === 'orders' ? orderedAt(view.seed, position) : 0
      const end = destroyedAt(view, { kind: subject.kind, position }, created)
      return end === undefined || end < view.now - eventLife ? [] : [{ subject, position, at: end }]
    }),
  )
}

/** What was destroyed within a year: orders, products, collections, price rules. Other events are not imitated. */
export function eventRows(view: View): Rows {
  const list = endedOf(view).map(({ subject, position, at: end }) => {
    const name = subject.name(view, position)
    const text = `${subject.type} was deleted: ${name}.`
    const id = 160_000_000_000_000 + Math.floor(end / 1000) * 1000 + (position % 1000)
    const record = {
      id,
      subject_id: idIn(view, subject.kind, position),
      created_at: shopTime(end),
      subject_type: subject.type,
      verb: 'destroy',
      arguments: [name],
      body: null,
      message: text,
      author: 'Ida Berg',
      description: text,
      path: null,
    }
    return { id, created: end, record }
  })
  list.sort((left, right) => left.id - right.id)
  const field = (name: string) => equals((row) => Reflect.get(at(list, row).record, name))
  return rowsOf(list, { filter: { ...field('subject_type'), several: true }, verb: field('verb') })
}
