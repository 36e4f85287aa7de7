/** Tables of records: rows on wide screens, a card for each row on narrow ones. */
import { Table } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import classes from './list-table.module.css'

/** A column. */
export interface ListColumn<Row> {
  /** Head of the column; label of the value in a card. The first column is the title of its card. */
  readonly title: string
  /** Part of the table's width, such as `20%`; left out: by the texts. */
  readonly width?: string
  /** true: numbers, which stand at the right. */
  readonly isNumber?: boolean
  /** Returns whether a row has something here: a column that is empty for all rows is left out. Left out itself: it always has. */
  readonly has?: (row: Row) => boolean
  readonly cell: (row: Row) => ReactNode
}

/** Leaves out the columns that are empty for all rows. */
export const selectFilled = <Row,>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): readonly ListColumn<Row>[] =>
  columns.filter(({ has }) => has === undefined || rows.some(has))

/** What the table shows. */
export interface ListTableProps<Row> {
  /** What the rows are, for readers of the screen. */
  readonly label: string
  readonly columns: readonly ListColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Height beyond which the table scrolls within itself, as CSS. */
  readonly maxHeight?: string | undefined
}

/** Shows the titles. */
export const Head = ({ columns }: { readonly columns: readonly Pick<ListColumn<never>, 'title' | 'width' | 'isNumber'>[] }) => (
  <Table.Thead>
    <Table.Tr>
      {columns.map(({ title, width, isNumber = false }) => (
        <Table.Th key={title} w={width} ta={isNumber ? 'right' : 'left'}>
          {title}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
)

interface RowProps<Row> extends Pick<ListTableProps<Row>, 'columns'> {
  readonly row: Row
  /** Position in the list, from 0; only a long table gives it. */
  readonly index?: number
  readonly rowRef?: Ref<HTMLTableRowElement>
}

/** Shows one row. */
export function ListRow<Row>({ row, columns, index, rowRef }: RowProps<Row>) {
  // The first row is the table's head.
  const position = index === undefined ? {} : { 'data-index': index, 'aria-rowindex': index + 2 }
  return (
    <Table.Tr ref={rowRef ?? null} {...position}>
      {columns.map(({ title, isNumber = false, cell }) => (
        <Table.Td key={title} data-title={title} className={isNumber ? (classes['number'] ?? '') : ''}>
          <div>{cell(row)}</div>
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

interface AreaProps {
  readonly ref?: Ref<HTMLElement>
  readonly children: ReactNode
}

/** Holds the table. With a height it scrolls, and the keyboard scrolls it. */
export function ListArea({ label, maxHeight, ref, children }: Pick<ListTableProps<never>, 'label' | 'maxHeight'> & AreaProps) {
  if (maxHeight === undefined) return <div className={classes['area']}>{children}</div>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the area
    <section ref={ref} className={`${classes['area']} ${classes['scroller']}`} style={{ maxHeight }} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

/** Shows a table of some rows. */
export function ListTable<Row>({ label, columns: all, rows, rowKey, maxHeight }: ListTableProps<Row>) {
  const columns = selectFilled(all, rows)
  return (
    <ListArea label={label} maxHeight={maxHeight}>
      <Table aria-label={label} className={classes['table'] ?? ''} verticalSpacing="xs" stickyHeader={maxHeight !== undefined}>
        <Head columns={columns} />
        <Table.Tbody>
          {rows.map((row) => (
            <ListRow key={rowKey(row)} row={row} columns={columns} />
          ))}
        </Table.Tbody>
      </Table>
    </ListArea>
  )
}
