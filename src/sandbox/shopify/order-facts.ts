import { planChanged } from './plans.ts'
import { orderedAt } from './schedule.ts'
import type { View } from './world.ts'
import { changedAt, destroyedAt, draw } from './world.ts'

/** True while an order that was placed exists. */
export function orderExists(view: View, order: number): boolean {
  return destroyedAt(view, { kind: 'orders', position: order }, orderedAt(view.seed, order)) === undefined
}

/** When an order was last changed until now. */
export function orderChanged(view: View, order: number): number {
  return changedAt(view, { kind: 'orders', position: order }, planChanged(view, order))
}

/** Name of an order, for example `#1001`. */
export function orderName(order: number): string {
  return `#${1001 + order}`
}

/** Every so many orders one may come from a draft. */
export const ordersPerDraft = 40

/** Which of them. */
export const draftedOrder = 7

/** True for an order that was a draft before. */
export function comesFromDraft(view: View, order: number): boolean {
  return order % ordersPerDraft === draftedOrder && draw(view, 5, 'draft', Math.floor(order / ordersPerDraft)) < 3
}
