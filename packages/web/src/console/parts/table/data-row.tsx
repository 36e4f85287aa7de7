/** One row of a table. */
import { memo } from 'react'
import { type DataColumn, isFolded, printCell } from './columns.ts'
import classes from './data-table.module.css'
import type { NamedValue } from './value-dialog.tsx'

/** What a row gets. Every member keeps its identity while the row stays the same. */
export interface DataRowProps<Row> {
  readonly row: Row
  /** From 0. */
  readonly index: number
  readonly topPx: number
  readonly columns: readonly DataColumn<Row>[]
  readonly widths: readonly number[]
  readonly numberWidthPx: number
  readonly onShow: (shown: NamedValue) => void
}

/** Shows a value; what is long or nested can be unfolded. */
function CellValue({
  value,
  title,
  onShow,
}: {
  readonly value: unknown
  readonly title: string
  readonly onShow: (shown: NamedValue) => void
}) {
  if (value === null) return <span className={classes['null']}>null</span>
  const isDigits = typeof value === 'number' || typeof value === 'bigint'
  return (
    <>
      <span className={`${classes['text']} ${isDigits ? classes['digits'] : ''}`}>{printCell(value)}</span>
      {isFolded(value) && (
        <button type="button" className={classes['button']} aria-label={`Show ${title}`} onClick={() => onShow({ title, value })}>
          Show
        </button>
      )}
    </>
  )
}

/** Draws the row. */
function Row<Row>({ row, index, topPx, columns, widths, numberWidthPx, onShow }: DataRowProps<Row>) {
  const title = `Row ${index + 1}`
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: rows that are drawn in part only cannot be a <table>
    <div role="row" aria-rowindex={index + 2} data-index={index} className={classes['row']} style={{ transform: `translateY(${topPx}px)` }}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={classes['cell']} style={{ width: numberWidthPx }}>
        <button
          type="button"
          className={classes['button']}
          aria-label={`Show row ${index + 1}`}
          onClick={() => onShow({ title, value: row })}
        >
          {index + 1}
        </button>
      </div>
      {columns.map(({ name, title: header = name, read }, place) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div key={name} role="cell" className={classes['cell']} style={{ width: widths[place] }}>
          <CellValue value={read(row)} title={`${header} of row ${index + 1}`} onShow={onShow} />
        </div>
      ))}
    </div>
  )
}

/** Shows the row; it is drawn again only when one of its props has changed. */
export const DataRow = memo(Row) as typeof Row
