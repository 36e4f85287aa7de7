import { at } from '../data.ts'
import { hash32 } from '../random.ts'
import { productCount, productFacts, variantCount, variantPrice, variantWidth } from './catalog.ts'
import { changedAt, day, draw, orderCapacity, orderedAt, perStore, randomOf, type View } from './world.ts'

interface Course {
  /** Percent of the orders. */
  readonly share: number
  readonly authorized?: number
  /** A part of the price is paid. */
  readonly deposit?: number
  readonly paid?: number
  readonly shipped?: readonly number[]
  /** Nothing but the first line is ever shipped. */
  readonly partial?: boolean
  readonly refunded?: number
  /** The refund is that of the whole order. */
  readonly full?: boolean
  readonly voided?: number
  readonly cancelled?: number
  readonly closed?: number
}

const courses: readonly Course[] = [
  { share: 52, paid: 0, shipped: [2], closed: 6 },
  { share: 6, paid: 0, shipped: [1, 3], closed: 8 },
  { share: 10, authorized: 0, paid: 1, shipped: [2], closed: 9 },
  { share: 4, paid: 6, shipped: [8], closed: 12 },
  { share: 3 },
  { share: 4, deposit: 0 },
  { share: 6, paid: 0, shipped: [3], partial: true },
  { share: 5, paid: 0, shipped: [2], refunded: 12, full: true, closed: 13 },
  { share: 4, paid: 0, shipped: [2], refunded: 15, closed: 16 },
  { share: 2, paid: 0, cancelled: 1, refunded: 1, full: true },
  { share: 2, authorized: 0, cancelled: 2, voided: 2 },
  { share: 2, authorized: 0 },
]

/** Which course an order takes, by percent. */
const courseOf: readonly Course[] = courses.flatMap((course) => Array.from({ length: course.share }, () => course))

/** The course of one order with its times, epoch milliseconds; undefined for what never happens. */
type Plan = ReturnType<typeof makePlan>

function makePlan(seed: number, order: number) {
  const created = orderedAt(seed, order)
  const course = at(courseOf, hash32('course', seed, order) % 100)
  const pace = 0.6 + (0.8 * hash32('pace', seed, order)) / 0x1_0000_0000
  const moment = (days: number) => created + Math.floor((days * day * pace) / 1000) * 1000
  const maybe = (days: number | undefined) => (days === undefined ? undefined : moment(days))
  return {
    created,
    authorized: maybe(course.authorized),
    deposit: maybe(course.deposit),
    paid: maybe(course.paid),
    shipped: (course.shipped ?? []).map(moment),
    partial: course.partial ?? false,
    refunded: maybe(course.refunded),
    full: course.full ?? false,
    voided: maybe(course.voided),
    cancelled: maybe(course.cancelled),
    closed: maybe(course.closed),
  }
}

const plans = perStore(() => new Array<Plan | undefined>(orderCapacity))

/** Returns the course of an order, past and future. */
export function planOf(view: Pick<View, 'seed' | 'store'>, order: number): Plan {
  const known = plans(view)
  const plan = known[order] ?? makePlan(view.seed, order)
  known[order] = plan
  return plan
}

/** Returns the time when it has come, else undefined. */
export const past = (view: Pick<View, 'now'>, moment: number | undefined): number | undefined =>
  moment !== undefined && moment <= view.now ? moment : undefined

function planChanged(view: View, order: number): number {
  const { created, authorized, deposit, paid, shipped, refunded, voided, cancelled, closed } = planOf(view, order)
  const moments = [authorized, deposit, paid, ...shipped, refunded, voided, cancelled, closed]
  return moments.reduce<number>((latest, moment) => Math.max(latest, past(view, moment) ?? 0), created)
}

/** `financial_status` of an order. */
export function financialStatus(view: View, order: number): string {
  const plan = planOf(view, order)
  if (past(view, plan.voided) !== undefined) return 'voided'
  if (past(view, plan.refunded) !== undefined) return plan.full ? 'refunded' : 'partially_refunded'
  if (past(view, plan.paid) !== undefined) return 'paid'
  if (plan.deposit !== undefined) return 'partially_paid'
  return plan.authorized === undefined ? 'pending' : 'authorized'
}

/** `fulfillment_status` of an order. */
export function fulfillmentStatus(view: View, order: number): string | null {
  const { shipped, partial } = planOf(view, order)
  const done = shipped.filter((moment) => moment <= view.now).length
  if (done === 0) return null
  return partial || done < shipped.length ? 'partial' : 'fulfilled'
}

/** Returns when an order was last changed until now. */
export const orderChanged = (view: View, order: number): number =>
  changedAt(view, { kind: 'orders', position: order }, planChanged(view, order))

/** Returns the name of an order, for example `#1001`. */
export const orderName = (order: number): string => `#${1001 + order}`

/** Every so many orders one may come from a draft. */
export const ordersPerDraft = 40

/** Which of them. */
export const draftedOrder = 7

/** Returns true for an order that was a draft before. */
export const comesFromDraft = (view: View, order: number): boolean =>
  order % ordersPerDraft === draftedOrder && draw(view, 5, 'draft', Math.floor(order / ordersPerDraft)) < 3

const lineWidth = 4

/** One line of an order; amounts in cents. */
export interface BasketLine {
  /** Position among all lines. */
  readonly position: number
  readonly variant: number
  readonly quantity: number
  readonly price: number
  /** Of all pieces together. */
  readonly discount: number
}

/** What is ordered; amounts in cents, tax included. */
export interface Basket {
  readonly lines: readonly BasketLine[]
  /** Prices without discount. */
  readonly listed: number
  readonly discount: number
  readonly shipping: number
  readonly total: number
  readonly grams: number
  /** Position of the price rule whose code was used. */
  readonly rule: number | undefined
}

function linesOf(view: View, order: number): readonly Omit<BasketLine, 'discount'>[] {
  const random = randomOf(view, 'basket', order)
  const { shipped, partial } = planOf(view, order)
  const count = random.int(partial || shipped.length > 1 ? 2 : 1, 3)
  const first = random.int(0, productCount - 1)
  return Array.from({ length: count }, (_, index) => {
    // Products of one order differ, so that its lines are told apart by their variant.
    const product = (first + index * 7) % productCount
    const variant = product * variantWidth + random.int(0, variantCount(view, product) - 1)
    return {
      position: order * lineWidth + index,
      variant,
      quantity: random.chance(0.8) ? 1 : random.int(2, 4),
      price: variantPrice(view, variant),
    }
  })
}

/** Returns what an order consists of. */
export function basketOf(view: View, order: number): Basket {
  const plain = linesOf(view, order)
  const rule = draw(view, 8, 'code', order) === 0 ? draw(view, 7, 'rule', order) + 1 : undefined
  const lines = plain.map((line) => ({ ...line, discount: rule === undefined ? 0 : Math.round(line.price * line.quantity * 0.1) }))
  const listed = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const discount = lines.reduce((sum, line) => sum + line.discount, 0)
  const shipping = listed - discount >= 7500 ? 0 : 490
  const grams = lines.reduce(
    (sum, { variant, quantity }) => sum + productFacts(view, Math.floor(variant / variantWidth)).grams * quantity,
    0,
  )
  return { lines, listed, discount, shipping, total: listed - discount + shipping, grams, rule }
}

/** What was given back, in cents. */
export interface Refunded {
  readonly at: number
  readonly full: boolean
  readonly amount: number
  /** Pieces by the position of their line. */
  readonly pieces: ReadonlyMap<number, number>
}

/** Returns the value of some pieces of a line in cents. */
export const worthOf = ({ price, quantity, discount }: BasketLine, pieces: number): number =>
  Math.round(((price * quantity - discount) * pieces) / quantity)

/** Returns the refund of an order until now: the whole order, or one piece of its first line. */
export function refundedOf(view: View, order: number, basket: Basket): Refunded | undefined {
  const { refunded, full } = planOf(view, order)
  const moment = past(view, refunded)
  const first = basket.lines[0]
  if (moment === undefined || first === undefined) return undefined
  if (!full) return { at: moment, full, amount: worthOf(first, 1), pieces: new Map([[first.position, 1]]) }
  const pieces = new Map(basket.lines.map(({ position, quantity }) => [position, quantity]))
  return { at: moment, full, amount: basket.total, pieces }
}

/** Returns the cents that an order cost its customer until now. */
export function spentIn(view: View, order: number): number {
  const { paid, deposit } = planOf(view, order)
  const basket = basketOf(view, order)
  const received = past(view, paid) !== undefined ? basket.total : deposit === undefined ? 0 : Math.floor(basket.total / 2)
  return received - (refundedOf(view, order, basket)?.amount ?? 0)
}

/** Returns the lines that were shipped until now, by shipment. */
export function shipmentsOf(
  view: View,
  order: number,
  basket: Basket,
): readonly { readonly at: number; readonly lines: readonly BasketLine[] }[] {
  const { shipped, partial } = planOf(view, order)
  const { lines } = basket
  const split = shipped.length > 1 ? [lines.slice(0, 1), lines.slice(1)] : [partial ? lines.slice(0, 1) : lines]
  return shipped.flatMap((moment, index) => (moment <= view.now ? [{ at: moment, lines: split[index] ?? [] }] : []))
}
