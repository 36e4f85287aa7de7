/** All connectors, with filters. */
import { Button, Group, NativeSelect, Table, Text, TextInput } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { ConnectorOverview } from 'ferrule/wire'
import { useDeferredValue, useRef } from 'react'
import { useConnectorOverviews } from '../../data/connectors.ts'
import { useAddressParams } from '../../data/params.ts'
import type { Rows } from '../../data/read-all.ts'
import { useKinds } from '../../data/references.ts'
import { type ConnectorCondition, conditionNames, conditions, findCondition, isCondition } from '../../parts/connectors/conditions.ts'
import { connectorColumns } from '../../parts/connectors/connector-columns.tsx'
import { FirstConnector } from '../../parts/connectors/first-connector.tsx'
import { orderChoices, sortConnectors } from '../../parts/connectors/orders.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageButton } from '../../parts/page-link.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import classes from '../../parts/table/list-table.module.css'
import { Head, ListArea, ListRow, type ListTableProps, selectFilled } from '../../parts/table/list-table.tsx'

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
        {...bindValue(text ?? '', (next) => change({ text: next }, { replace: true }))}
        w={{ base: '100%', sm: 320 }}
      />
      <NativeSelect label="State" data={[{ value: '', label: 'All states' }, ...states]} value={state ?? ''} {...choose('state')} />
      <NativeSelect
        label="Kind"
        data={[{ value: '', label: 'All kinds' }, ...kinds.map(({ connector_type: value, name: label }) => ({ value, label }))]}
        value={kind ?? ''}
        {...choose('kind')}
      />
      <NativeSelect label="Order" data={orderChoices} value={sort ?? ''} {...choose('sort')} />
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
        <LongTable
          label="Connectors"
          columns={connectorColumns}
          rows={found}
          rowKey={({ id }) => id}
          maxHeight="max(20rem, calc(100dvh - 19rem))"
        />
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
        <PageButton to="/connectors/new">New connector</PageButton>
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
/** Rows that are drawn beyond the edges, so that scrolling meets no blank rows. */
const rowsBeyond = 12

/** Keeps the height of the rows that are not drawn. */
const Gap = ({ height }: { readonly height: number }) =>
  height > 0 && (
    <tr className={classes['gap']} style={{ height }}>
      <td />
    </tr>
  )

/** Shows a table of any length: only the rows in sight are drawn. */
function LongTable<Row>({ label, columns: all, rows, rowKey, maxHeight }: ListTableProps<Row> & { readonly maxHeight: string }) {
  const columns = selectFilled(all, rows)
  const area = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => area.current,
    estimateSize: () => usualHeight,
    getItemKey: (index) => (rows[index] === undefined ? index : rowKey(rows[index])),
    overscan: rowsBeyond,
  })
  const items = virtual.getVirtualItems()
  return (
    <ListArea ref={area} label={label} maxHeight={maxHeight}>
      <Table className={classes['table'] ?? ''} layout="fixed" stickyHeader aria-label={label} aria-rowcount={rows.length + 1}>
        <Head columns={columns} />
        <Table.Tbody>
          <Gap height={items[0]?.start ?? 0} />
          {items.map(({ index, key }) => {
            const row = rows[index]
            return row !== undefined && <ListRow key={key} row={row} columns={columns} index={index} rowRef={virtual.measureElement} />
          })}
          <Gap height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </Table.Tbody>
      </Table>
    </ListArea>
  )
}
