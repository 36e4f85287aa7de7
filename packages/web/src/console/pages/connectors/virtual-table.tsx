/** A table of any number of connectors: only the rows in sight are drawn. */
import { Table } from '@mantine/core'
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import type { ConnectorOverview } from 'ferrule/wire'
import { useRef } from 'react'
import { ConnectorHead, ConnectorRow, connectorColumns, connectorTableWidth } from '../../parts/connectors/connector-row.tsx'
import classes from './virtual-table.module.css'

/** Height of a row before it is measured, in pixels. */
const usualHeight = 60
/** Rows that are drawn beyond the edges, so that scrolling meets no blank rows. */
const rowsBeyond = 12

/** Keeps the height of the rows that are not drawn. */
const Gap = ({ height }: { readonly height: number }) =>
  height > 0 && (
    <tr>
      <td colSpan={connectorColumns.length} style={{ height, padding: 0 }} />
    </tr>
  )

/** Shows the rows in sight. */
function Rows({
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
export function VirtualConnectorTable({ connectors }: { readonly connectors: readonly ConnectorOverview[] }) {
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
        <Rows
          connectors={connectors}
          items={virtual.getVirtualItems()}
          totalHeight={virtual.getTotalSize()}
          measure={virtual.measureElement}
        />
      </Table>
    </section>
  )
}
