/** Orders of connectors, as people choose them and as pages state them. */
import type { ConnectorOverview } from 'ferrule/wire'
import { conditionNames, findCondition } from './conditions.ts'

type Compare = (one: ConnectorOverview, other: ConnectorOverview) => number

const byName: Compare = (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: 'base' })
const readRank = (connector: ConnectorOverview): number => conditionNames.indexOf(findCondition(connector))
/** A connector without a copy has nothing that grows old: it stands last. One whose first sync has not ended stands first. */
const readSynced = ({ context_store: copy }: ConnectorOverview): string => (copy === null ? '~' : (copy.synced_at ?? ''))
const readEnd = ({ running }: ConnectorOverview): string => running?.progress.estimated_end ?? '~'
const readRecords = ({ context_store: copy }: ConnectorOverview): number => copy?.records ?? 0

/** Compares two texts that need no language, such as times. */
const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** Orders by their value in the address; connectors that are equal in one are ordered by name. */
const orders = {
  '': { label: 'Trouble first', compare: (one, other) => readRank(one) - readRank(other) },
  name: { label: 'Name', compare: byName },
  oldest: { label: 'Oldest copy first', compare: (one, other) => compareTexts(readSynced(one), readSynced(other)) },
  end: { label: 'Earliest expected end first', compare: (one, other) => compareTexts(readEnd(one), readEnd(other)) },
  records: { label: 'Most records first', compare: (one, other) => readRecords(other) - readRecords(one) },
  newest: { label: 'Newest first', compare: (one, other) => compareTexts(other.created_at, one.created_at) },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly compare: Compare }>>

/** Name of an order. */
export type ConnectorOrder = keyof typeof orders

const isOrder = (value: string): value is ConnectorOrder => Object.hasOwn(orders, value)

/** The choices of an order. */
export const orderChoices = Object.entries(orders).map(([value, { label }]) => ({ value, label }))

/** Prints an order for a sentence, such as `oldest copy first`. */
export const printOrder = (order: ConnectorOrder): string => orders[order].label.toLowerCase()

/** Sorts connectors. @param order value of the address; an unknown one means the first order */
export function sortConnectors(connectors: readonly ConnectorOverview[], order = ''): readonly ConnectorOverview[] {
  const { compare } = orders[isOrder(order) ? order : '']
  return connectors.toSorted((one, other) => compare(one, other) || byName(one, other))
}
