/** Compares the times of change that events and records state. */
import type { WebhookEvent } from 'ferrule/internal'

/** Fractions of a second, so that two changes hardly have the same time. */
const isFine = (time: string): boolean => /:\d\d[.,]\d{3}/.test(time)

/**
 * Returns whether a record is as new as an event, or newer. An equal time proves that only where both state milliseconds: within one second a
 * record changes again.
 */
export function isAsNew(known: unknown, told: string): boolean {
  if (typeof known !== 'string') return false
  const [one, other] = [Date.parse(known), Date.parse(told)]
  return one > other || (one === other && isFine(known) && isFine(told))
}

/** Chooses, of events that one read serves, the one that asks for most: one without a time, else the newest. */
export const chooseNewest = <E extends { readonly event: WebhookEvent }>(events: readonly E[]): E | undefined =>
  events.reduce<E | undefined>((newest, each) => (newest === undefined || readTime(each) > readTime(newest) ? each : newest), undefined)

const readTime = ({ event: { version } }: { readonly event: WebhookEvent }): number => {
  const time = Date.parse(version?.value ?? '')
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time
}
