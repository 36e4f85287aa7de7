/** All connectors, with filters. */
import { Button, Group, NativeSelect, Table, Text, TextInput } from '@mantine/core'
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import type { ConnectorOverview } from 'ferrule/wire'
import { useDeferredValue, useRef } from 'react'
import { Link } from 'wouter'
import { useConnectorOverviews } from '../../data/connectors.ts'
import { useAddressParams } from '../../data/params.ts'
import type { Rows } from '../../data/read-all.ts'
import { useKinds } from '../../data/references.ts'
import { printAddress, useTenant } from '../../data/tenant.ts'
import { type ConnectorCondition, conditionNames, conditions, findCondition, isCondition } from '../../parts/connectors/conditions.ts'
import { ConnectorHead, ConnectorRow, connectorColumns, connectorTableWidth } from '../../parts/connectors/connector-row.tsx'
import { FirstConnector } from '../../parts/connectors/first-connector.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import classes from './virtual-table.module.css'

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
const orders: readonly { readonly value: string; readonly label: string; readonly compare: Compare }[] = [
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
function sortConnectors(connectors: readonly ConnectorOverview[], order: string | undefined): readonly ConnectorOverview[] {
  const { compare } = orders.find(({ value }) => value === (order ?? '')) ?? { compare: byName }
  return connectors.toSorted(compare)
}

/** What the list is limited to. */
interface Filter {
  readonly condition: ConnectorCondition | undefined
  readonly text: string
  readonly order: string | undefined
}

const useFilterParams = () => useAddressParams('state', 'kind', 'text', 'sort')

/** Returns the connectors that a filter lets through, in its order. */
function selectConnectors(connectors: readonly ConnectorOverview[], { condition, text, order }: Filter): readonly ConnectorOverview[] {
  const wanted = text.trim().toLowerCase()
  const fits = (connector: ConnectorOverview): boolean =>
    (condition === undefined || findCondition(connector) === condition) &&
    [connector.name, connector.workspace_name, connector.id].some((each) => each.toLowerCase().includes(wanted))
  return sortConnectors(connectors.filter(fits), order)
}

/** Shows the filters; the address has their values. */
function Filters() {
  const [{ state, kind, text, sort }, change] = useFilterParams()
  const kinds = useKinds().data ?? []
  const choose = (name: 'state' | 'kind' | 'sort') => ({
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => change({ [name]: currentTarget.value }),
  })
  const states = conditionNames.map((name) => ({ value: name, label: conditions[name].title }))
  return (
    <Group align="flex-end" component="search">
      <TextInput
        label="Name"
        type="search"
        placeholder="Part of a name, a workspace or an id"
        value={text ?? ''}
        onChange={({ currentTarget }) => change({ text: currentTarget.value }, { replace: true })}
        w={{ base: '100%', sm: 280 }}
      />
      <NativeSelect label="State" data={[{ value: '', label: 'All states' }, ...states]} value={state ?? ''} {...choose('state')} />
      <NativeSelect
        label="Kind"
        data={[{ value: '', label: 'All kinds' }, ...kinds.map(({ connector_type: value, name: label }) => ({ value, label }))]}
        value={kind ?? ''}
        {...choose('kind')}
      />
      <NativeSelect label="Order" data={orders.map(({ value, label }) => ({ value, label }))} value={sort ?? ''} {...choose('sort')} />
    </Group>
  )
}

/** Shows the connectors that the filters let through. */
function Found({ rows, isWhole }: Rows<ConnectorOverview>) {
  const [{ state, text, sort }, change] = useFilterParams()
  const shownText = useDeferredValue(text ?? '')
  const found = selectConnectors(rows, { condition: isCondition(state) ? state : undefined, text: shownText, order: sort })
  const all = isWhole ? printCounted(rows.length, 'connector') : `the first ${printCounted(rows.length, 'connector')}`
  return (
    <>
      <Text role="status" size="sm" c="dimmed">
        {found.length === rows.length ? all : `${printCount(found.length)} of ${all}`}
        {!isWhole && '. Choose a kind or a workspace to see others.'}
      </Text>
      {found.length === 0 ? (
        <EmptyState title="No connector fits" says="The filters leave none over.">
          <Button onClick={() => change({ state: undefined, kind: undefined, text: undefined })}>Clear the filters</Button>
        </EmptyState>
      ) : (
        <VirtualConnectorTable connectors={found} />
      )}
    </>
  )
}

/** The page. */
export function Page() {
  const [{ kind, state, text }] = useFilterParams()
  const reading = useConnectorOverviews(kind)
  const isFiltered = [kind, state, text].some((each) => each !== undefined)
  return (
    <>
      <PageHeader title="Connectors" about="Each reads and writes one account of a vendor.">
        <Button component={Link} href={printAddress('/connectors/new', useTenant())}>
          New connector
        </Button>
      </PageHeader>
      <ReadingView reading={reading}>
        {(found) =>
          found.rows.length === 0 && !isFiltered ? (
            <FirstConnector />
          ) : (
            <>
              <Filters />
              <Found {...found} />
            </>
          )
        }
      </ReadingView>
    </>
  )
}

/** Height of a row before it is measured, in pixels. */
const usualHeight = 60
/** VirtualRows that are drawn beyond the edges, so that scrolling meets no blank rows. */
const rowsBeyond = 12

/** Keeps the height of the rows that are not drawn. */
const Gap = ({ height }: { readonly height: number }) =>
  height > 0 && (
    <tr>
      <td colSpan={connectorColumns.length} style={{ height, padding: 0 }} />
    </tr>
  )

/** Shows the rows in sight. */
function VirtualRows({
  connectors,
  items,
  totalHeight,
  measure,
}: {
  readonly connectors: readonly ConnectorOverview[]
  readonly items: readonly VirtualItem[]
  readonly totalHeight: number
  readonly measure: (row: HTMLTableRowElement | null) => void
}) {
  return (
    <Table.Tbody>
      <Gap height={items[0]?.start ?? 0} />
      {items.map(({ index }) => {
        const connector = connectors[index]
        return connector !== undefined && <ConnectorRow key={connector.id} connector={connector} index={index} rowRef={measure} />
      })}
      <Gap height={totalHeight - (items.at(-1)?.end ?? 0)} />
    </Table.Tbody>
  )
}

/** Shows the table. */
function VirtualConnectorTable({ connectors }: { readonly connectors: readonly ConnectorOverview[] }) {
  const area = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: connectors.length,
    getScrollElement: () => area.current,
    estimateSize: () => usualHeight,
    getItemKey: (index) => connectors[index]?.id ?? index,
    overscan: rowsBeyond,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the area
    <section ref={area} className={classes['area']} aria-label="Connectors" tabIndex={0}>
      <Table layout="fixed" stickyHeader miw={connectorTableWidth} aria-rowcount={connectors.length + 1}>
        <ConnectorHead />
        <VirtualRows
          connectors={connectors}
          items={virtual.getVirtualItems()}
          totalHeight={virtual.getTotalSize()}
          measure={virtual.measureElement}
        />
      </Table>
    </section>
  )
}
