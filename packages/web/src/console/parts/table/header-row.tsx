/** The header of a table: titles, the order, and widths that the reader changes. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import type { DataColumn } from './columns.ts'
import classes from './data-table.module.css'

/** An order of rows. */
export interface DataSort {
  readonly column: string
  readonly direction: 'asc' | 'desc'
}

/** What the header gets. */
export interface HeaderProps<Row> {
  readonly columns: readonly DataColumn<Row>[]
  readonly widths: readonly number[]
  readonly sort: DataSort | undefined
  readonly onSort: ((column: string) => void) | undefined
  readonly onWidth: (column: string, widthPx: number) => void
}

const [leastPx, mostPx, stepPx] = [64, 1_200, 24]
/** Signs of the direction. */
export const marks = { asc: '▲', desc: '▼' } as const
const spoken = { asc: 'ascending', desc: 'descending' } as const
const steps: Readonly<Record<string, number>> = { ArrowLeft: -stepPx, ArrowRight: stepPx }

/** Shows what changes the width of a column, with the pointer or the arrow keys. */
function Grip({
  title,
  widthPx,
  onWidth,
}: {
  readonly title: string
  readonly widthPx: number
  readonly onWidth: (widthPx: number) => void
}) {
  const start = useRef<{ readonly x: number; readonly widthPx: number }>(undefined)
  const change = (next: number) => onWidth(Math.min(mostPx, Math.max(leastPx, next)))
  const press = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, widthPx }
  }
  const move = ({ clientX, buttons }: PointerEvent) => {
    if (start.current !== undefined && buttons > 0) change(start.current.widthPx + clientX - start.current.x)
  }
  const type = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    change(widthPx + step)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator with a value is a control, which <hr> is not
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${title}`}
      aria-valuenow={widthPx}
      aria-valuemin={leastPx}
      aria-valuemax={mostPx}
      className={classes['grip']}
      onPointerDown={press}
      onPointerMove={move}
      onKeyDown={type}
    />
  )
}

function HeaderCell<Row>({
  column,
  widthPx,
  sort,
  onSort,
  onWidth,
}: HeaderProps<Row> & { readonly column: DataColumn<Row>; readonly widthPx: number }) {
  const { name, title = name, canSort = false } = column
  const direction = sort?.column === name ? sort.direction : undefined
  const shown = (
    <>
      <span className={classes['text']}>{title}</span>
      {direction !== undefined && <span aria-hidden>{marks[direction]}</span>}
    </>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: rows that are drawn in part only cannot be a <table>
    <div
      role="columnheader"
      aria-sort={direction === undefined ? undefined : spoken[direction]}
      className={classes['cell']}
      style={{ width: widthPx }}
    >
      {canSort && onSort !== undefined ? (
        <button type="button" className={classes['sort']} onClick={() => onSort(name)}>
          {shown}
        </button>
      ) : (
        shown
      )}
      <Grip title={title} widthPx={widthPx} onWidth={(next) => onWidth(name, next)} />
    </div>
  )
}

/** Shows the header. */
export function HeaderRow<Row>(props: HeaderProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: rows that are drawn in part only cannot be a <table>
    <div role="row" aria-rowindex={1} className={classes['header']}>
      {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: as above */}
      <div role="columnheader" className={classes['cell']} style={{ width: props.widths[0] }}>
        #
      </div>
      {props.columns.map((column, index) => (
        <HeaderCell key={column.name} {...props} column={column} widthPx={props.widths[index + 1] ?? leastPx} />
      ))}
    </div>
  )
}
