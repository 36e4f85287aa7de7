/** A table of some rows, which scrolls within itself on a narrow screen. */
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** What the table shows. */
export interface ListTableProps {
  /** What the rows are, for readers of the screen. */
  readonly label: string
  readonly titles: readonly string[]
  /** Width below which the table scrolls, in CSS pixels. */
  readonly minWidth?: number
  /** Rows. */
  readonly children: ReactNode
}

/** Shows the table. */
export function ListTable({ label, titles, minWidth = 720, children }: ListTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': label } }}>
      <Table aria-label={label} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {titles.map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
