/** Tables of any length. A file of its own: the first page has no use for what draws them. */
import { Table } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import classes from './list-table.module.css'
import { Head, ListArea, ListRow, type ListTableProps } from './list-table.tsx'

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
export function LongTable<Row>({ label, columns, rows, rowKey, maxHeight }: ListTableProps<Row> & { readonly maxHeight: string }) {
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
