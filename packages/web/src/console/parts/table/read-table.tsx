/** A list that is read: a table of its rows, and the ways to its other pages. */
import type { ReactNode } from 'react'
import { CursorPages } from '../cursor-pages.tsx'
import { ReadingView, type ShownReading } from '../reading-view.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'

/** What is shown of a list. */
export interface ReadTableProps<Row> extends Omit<ListTableProps<Row>, 'rows'> {
  /** The rows, or one page of them. */
  readonly reading: ShownReading<readonly Row[] | { readonly data: readonly Row[]; readonly next: string | null }>
  /** Stands for a list without rows. */
  readonly none?: ReactNode
}

/** Shows the list. */
export const ReadTable = <Row,>({ reading, none, ...table }: ReadTableProps<Row>) => (
  <ReadingView reading={reading}>
    {(found) => {
      const { data, next } = 'next' in found ? found : { data: found, next: null }
      return (
        <>
          {data.length === 0 && none !== undefined ? none : <ListTable rows={data} {...table} />}
          <CursorPages next={next} />
        </>
      )
    }}
  </ReadingView>
)
