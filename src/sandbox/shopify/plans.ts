import { at } from '../at.ts'
import { hash32 } from '../random.ts'
import { orderCapacity, orderedAt } from './schedule.ts'
import { day } from './time.ts'
import type { View } from './world.ts'
import { perStore } from './world.ts'

/** A course that orders take: how frequent it is, and days after the order. */
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

/** The course of one order with its moments, epoch milliseconds; undefined for what never happens. */
export interface Plan {
  readonly created: number
  readonly authorized: number | undefined
  readonly deposit: number | undefined
  readonly paid: number | undefined
  readonly shipped: readonly number[]
  readonly partial: boolean
  readonly refunded: number | undefined
  readonly full: boolean
  readonly voided: number | undefined
  readonly cancelled: number | undefined
  readonly closed: number | undefined
}

function makePlan(seed: number, order: number): Plan {
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

/** The course of an order, past and future. */
export function planOf(view: Pick<View, 'seed' | 'store'>, order: number): Plan {
  const known = plans(view)
  const plan = known[order] ?? makePlan(view.seed, order)
  known[order] = plan
  return plan
}

/** The moment when it has come, else undefined. */
export function past(view: Pick<View, 'now'>, moment: number | undefined): number | undefined {
  return moment !== undefined && moment <= view.now ? moment : undefined
}

/** When the course of an order last changed it until now. */
export function planChanged(view: View, order: number): number {
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
