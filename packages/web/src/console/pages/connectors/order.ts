/** Orders of the list of connectors. */
import type { ConnectorOverview } from 'ferrule/wire'
import { conditionNames, findCondition } from '../../parts/connectors/conditions.ts'

type Compare = (one: ConnectorOverview, other: ConnectorOverview) => number

const byText =
  (read: (connector: ConnectorOverview) => string): Compare =>
  (one, other) =>
    read(one).localeCompare(read(other), undefined, { numeric: true, sensitivity: 'base' })

const byName = byText(({ name }) => name)
const readSynced = ({ context_store: copy }: ConnectorOverview): string => copy?.synced_at ?? ''
const readRecords = ({ context_store: copy }: ConnectorOverview): number => copy?.records ?? 0
const readRank = (connector: ConnectorOverview): number => conditionNames.indexOf(findCondition(connector))

/** Orders as the address names them; the first one is the default. */
export const orders: readonly { readonly value: string; readonly label: string; readonly compare: Compare }[] = [
  { value: '', label: 'Trouble first', compare: (one, other) => readRank(one) - readRank(other) || byName(one, other) },
  { value: 'name', label: 'Name', compare: byName },
  {
    value: 'oldest',
    label: 'Oldest copy first',
    compare: (one, other) => readSynced(one).localeCompare(readSynced(other)) || byName(one, other),
  },
  { value: 'records', label: 'Most records first', compare: (one, other) => readRecords(other) - readRecords(one) || byName(one, other) },
  { value: 'newest', label: 'Newest first', compare: (one, other) => other.created_at.localeCompare(one.created_at) || byName(one, other) },
]

/** Sorts connectors. @param order value of the address; an unknown one means the default */
export function sortConnectors(connectors: readonly ConnectorOverview[], order: string | undefined): readonly ConnectorOverview[] {
  const { compare } = orders.find(({ value }) => value === (order ?? '')) ?? { compare: byName }
  return connectors.toSorted(compare)
}
