import { hash32 } from '../random.ts'
import { day } from './time.ts'

/** Orders that the store had before 2024. */
const earlyOrders = 12_000

/** Orders that the store can have; the last one is placed in 2033. */
export const orderCapacity = 24_000

const opened = Date.UTC(2019, 0, 1)
const knee = Date.UTC(2024, 0, 1)
const earlySlot = (knee - opened) / earlyOrders
const lateSlot = 7.3 * 3_600_000

/**
 * When an order is placed, in whole seconds; ascending with the position. The schedule does not depend on the clock: the same
 * store gains orders while time passes.
 *
 * @param seed - of the store
 * @param position - from 0
 * @returns epoch milliseconds
 */
export function orderedAt(seed: number, position: number): number {
  const start = position < earlyOrders ? opened + position * earlySlot : knee + (position - earlyOrders) * lateSlot
  const slot = position < earlyOrders ? earlySlot : lateSlot
  const share = hash32(seed, 'placed', position) / 0x1_0000_0000
  return Math.floor((start + share * slot * 0.9) / 1000) * 1000
}

/** How many orders are placed until a moment (included). */
export function ordersUntil(seed: number, moment: number): number {
  const guess = moment < knee ? (moment - opened) / earlySlot : earlyOrders + (moment - knee) / lateSlot
  let count = Math.min(Math.max(Math.floor(guess), 0), orderCapacity)
  while (count < orderCapacity && orderedAt(seed, count) <= moment) count += 1
  while (count > 0 && orderedAt(seed, count - 1) > moment) count -= 1
  return count
}

const checkoutStart = Date.UTC(2023, 6, 1)
const checkoutSlot = 3 * 3_600_000

/** How long the vendor keeps abandoned checkouts. */
export const checkoutLife = 90 * day

/** When a checkout is abandoned, epoch milliseconds; ascending with the position. */
export function abandonedAt(seed: number, position: number): number {
  const share = hash32(seed, 'abandoned', position) / 0x1_0000_0000
  return Math.floor((checkoutStart + (position + share * 0.9) * checkoutSlot) / 1000) * 1000
}

/** How many checkouts are abandoned until a moment (included). */
export function checkoutsUntil(seed: number, moment: number): number {
  let count = Math.max(Math.floor((moment - checkoutStart) / checkoutSlot), 0)
  while (abandonedAt(seed, count) <= moment) count += 1
  while (count > 0 && abandonedAt(seed, count - 1) > moment) count -= 1
  return count
}
