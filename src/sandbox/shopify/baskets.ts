import { productCount, productFacts, variantCount, variantPrice, variantWidth } from './catalog.ts'
import { past, planOf } from './plans.ts'
import type { View } from './world.ts'
import { draw, randomOf } from './world.ts'

/** Lines per order at most. */
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

/** What an order consists of. */
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

/** Value of some pieces of a line in cents. */
export function worthOf({ price, quantity, discount }: BasketLine, pieces: number): number {
  return Math.round(((price * quantity - discount) * pieces) / quantity)
}

/** The refund of an order until now: the whole order, or one piece of its first line. */
export function refundedOf(view: View, order: number, basket: Basket): Refunded | undefined {
  const { refunded, full } = planOf(view, order)
  const moment = past(view, refunded)
  const first = basket.lines[0]
  if (moment === undefined || first === undefined) return undefined
  if (!full) return { at: moment, full, amount: worthOf(first, 1), pieces: new Map([[first.position, 1]]) }
  const pieces = new Map(basket.lines.map(({ position, quantity }) => [position, quantity]))
  return { at: moment, full, amount: basket.total, pieces }
}

/** Cents that an order cost its customer until now. */
export function spentIn(view: View, order: number): number {
  const { paid, deposit } = planOf(view, order)
  const basket = basketOf(view, order)
  const received = past(view, paid) !== undefined ? basket.total : deposit === undefined ? 0 : Math.floor(basket.total / 2)
  return received - (refundedOf(view, order, basket)?.amount ?? 0)
}

/** The lines that were shipped until now, by shipment. */
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
