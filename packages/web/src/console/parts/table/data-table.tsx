/** A table of any length: only the rows in sight are drawn. */
import { Group, NativeSelect } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { bindValue } from '../form/text-entry.ts'
import { PlainButton, Quiet, SmallButton } from '../looks.tsx'
import { printCounted } from '../print.ts'
import { type NamedValue, ValueDialog } from '../value-dialog.tsx'
import { computeWidth, type DataColumn, findEmpty, isFolded, printCell } from './columns.ts'
import classes from './data-table.module.css'
import { type DataSort, HeaderRow, marks } from './header-row.tsx'

/** What a row gets. Every member keeps its identity while the row stays the same. */
interface DataRowProps<Row> {
  readonly row: Row
  /** From 0. */
  readonly index: number
  readonly topPx: number
  readonly columns: readonly DataColumn<Row>[]
  /** Width of the number and of each column; undefined: the row is a card, which has the first columns below each other. */
  readonly widths: readonly number[] | undefined
  readonly onShow: (shown: NamedValue) => void
}

/** Shows a value; what is long or nested can be unfolded. */
function CellValue({
  value,
  title,
  print,
  onShow,
}: {
  readonly value: unknown
  readonly title: string
  readonly print: DataColumn['print']
  readonly onShow: (shown: NamedValue) => void
}) {
  if (value === null)
    return (
      <span className={classes['null']} title="null">
        {print?.(value) ?? '–'}
      </span>
    )
  const isDigits = typeof value === 'number' || typeof value === 'bigint'
  return (
    <>
      <span className={`${classes['text']} ${isDigits ? classes['digits'] : ''}`}>{(print ?? printCell)(value)}</span>
      {isFolded(print === undefined ? value : print(value)) && (
        <button type="button" className={classes['button']} aria-label={`Show ${title}`} onClick={() => onShow({ title, value })}>
          Show
        </button>
      )}
    </>
  )
}

function Row<Row>({ row, index, topPx, columns, widths, onShow }: DataRowProps<Row>) {
  const isCard = widths === undefined
  const title = `Row ${index + 1}`
  const shown = isCard ? columns.slice(0, cardFields) : columns
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: rows that are drawn in part only cannot be a <table>
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={isCard ? classes['card'] : classes['row']}
      style={{ transform: `translateY(${topPx}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={classes['cell']} style={{ width: widths?.[0] }}>
        <button
          type="button"
          className={classes['button']}
          aria-label={isCard ? undefined : `Show row ${index + 1}`}
          onClick={() => onShow({ title, value: row })}
        >
          {isCard ? `Show row ${index + 1}${columns.length > shown.length ? `, all ${columns.length} fields` : ''}` : index + 1}
        </button>
      </div>
      {shown.map(({ name, title: header = name, read, print }, column) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div key={name} role="cell" className={classes['cell']} style={{ width: widths?.[column + 1] }}>
          {isCard && <span className={classes['label']}>{header}</span>}
          <CellValue value={read(row)} title={`${header} of row ${index + 1}`} print={print} onShow={onShow} />
        </div>
      ))}
    </div>
  )
}

/** Shows the row; it is drawn again only when one of its props has changed. */
const DataRow = memo(Row) as typeof Row

/** What the table shows. */
export interface DataTableProps<Row> {
  /** Name of the table, for readers of the screen. */
  readonly label: string
  readonly rows: readonly Row[]
  /** `findColumns` and `readAnswerRows` make them from data. Keep their identity while they stay the same. */
  readonly columns: readonly DataColumn<Row>[]
  readonly sort?: DataSort | undefined
  /** Called with the name of a column whose header was pressed; the caller sorts, because the rows can be a part only. */
  readonly onSort?: (column: string) => void
}

const [rowPx, numberDigitPx, numberPaddingPx] = [44, 9, 40]
/** Fields of a card; the others are behind its button. Every card has the same height, so a table of any length scrolls well. */
const cardFields = 8
const [fieldPx, cardPaddingPx] = [30, 18]
/** Narrower screens have cards. */
const cardsBelow = '(max-width: 48em)'
/** Rows that are drawn above and below those in sight, so that no frame of a scroll is blank. */
const overscan = 15

/** Keeps widths: by the texts of the rows, until the reader changes them. */
function useWidths<Row>(columns: readonly DataColumn<Row>[], rows: readonly Row[]) {
  const [changed, setChanged] = useState<Readonly<Record<string, number>>>({})
  const [first] = rows
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows of the same result must not move the columns
  const computed = useMemo(() => columns.map((column) => computeWidth(column, rows)), [columns, first])
  const numberPx = String(rows.length).length * numberDigitPx + numberPaddingPx
  const widths = useMemo(
    () => [numberPx, ...columns.map(({ name }, index) => changed[name] ?? computed[index] ?? 0)],
    [columns, changed, computed, numberPx],
  )
  const onWidth = useCallback((name: string, widthPx: number) => setChanged((before) => ({ ...before, [name]: widthPx })), [])
  return { widths, onWidth }
}

/** Chooses the rows that are drawn: those in sight, and the row that has the focus, which must not vanish. */
function useRows(count: number, sizePx: number) {
  const scroller = useRef<HTMLElement>(null)
  const focused = useRef(-1)
  const rangeExtractor = useCallback((range: Range) => {
    const indexes = defaultRangeExtractor(range)
    const { current } = focused
    return current < 0 || current >= range.count || indexes.includes(current) ? indexes : [...indexes, current].toSorted((a, b) => a - b)
  }, [])
  const virtualizer = useVirtualizer({
    count,
    overscan,
    rangeExtractor,
    scrollPaddingStart: rowPx,
    getScrollElement: () => scroller.current,
    estimateSize: () => sizePx,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height stand elsewhere
  useEffect(() => virtualizer.measure(), [sizePx])
  const note = ({ target }: FocusEvent) => {
    focused.current = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1)
  }
  const forget = () => {
    focused.current = -1
  }
  return { scroller, virtualizer, onFocus: note, onBlur: forget }
}

/** Hides the columns that no row has a value of, until the reader asks for them. */
function useFilledColumns<Row>(all: readonly DataColumn<Row>[], rows: readonly Row[]) {
  const [isWhole, setWhole] = useState(false)
  const empty = useMemo(() => findEmpty(all, rows), [all, rows])
  const columns = useMemo(() => (isWhole ? all : all.filter((column) => !empty.has(column))), [all, empty, isWhole])
  return { columns, empties: empty.size, isWhole, turn: () => setWhole((before) => !before) }
}

/** Says how many columns are hidden, and shows them. */
function EmptyColumns({ empties, isWhole, turn }: Omit<ReturnType<typeof useFilledColumns>, 'columns'>) {
  if (empties === 0) return null
  return (
    <Group gap="xs" mb="xs">
      <Quiet>{printCounted(empties, 'column')} without a value</Quiet>
      <SmallButton onClick={turn}>{isWhole ? 'Hide' : 'Show'}</SmallButton>
    </Group>
  )
}

/** Chooses the order of cards, which have no header. A press on the mark turns it. */
function CardOrder<Row>({ columns, sort, onSort }: Pick<DataTableProps<Row>, 'columns' | 'sort'> & { onSort: (column: string) => void }) {
  const sortable = columns.filter(({ canSort = false }) => canSort)
  if (sortable.length === 0) return null
  return (
    <Group gap="xs" mb="xs" align="flex-end" wrap="nowrap">
      <NativeSelect
        label="Order"
        data={[
          ...(sort === undefined ? [{ value: '', label: 'As found' }] : []),
          ...sortable.map(({ name, title = name }) => ({ value: name, label: title })),
        ]}
        {...bindValue(sort?.column ?? '', onSort)}
        flex={1}
      />
      {sort !== undefined && (
        <PlainButton aria-label={`Turn the order of ${sort.column}`} onClick={() => onSort(sort.column)}>
          {marks[sort.direction]}
        </PlainButton>
      )}
    </Group>
  )
}

/** Shows the table. The keyboard scrolls it, and reaches every button of the rows in sight. */
export function DataTable<Row>({ label, rows, columns: all, sort, onSort }: DataTableProps<Row>) {
  const { columns, ...hidden } = useFilledColumns(all, rows)
  const [shown, setShown] = useState<NamedValue>()
  const isNarrow = useMediaQuery(cardsBelow, false, { getInitialValueInEffect: false })
  const { widths, onWidth } = useWidths(columns, rows)
  const sizePx = isNarrow ? Math.min(columns.length, cardFields) * fieldPx + fieldPx + cardPaddingPx : rowPx
  const { scroller, virtualizer, onFocus, onBlur } = useRows(rows.length, sizePx)
  const width = isNarrow ? '100%' : widths.reduce((sum, each) => sum + each)
  const heightPx = virtualizer.getTotalSize() + (isNarrow ? 0 : rowPx)
  const shared = { columns, widths: isNarrow ? undefined : widths }
  return (
    <>
      <EmptyColumns {...hidden} />
      {isNarrow && onSort !== undefined && <CardOrder columns={columns} sort={sort} onSort={onSort} />}
      <section
        ref={scroller}
        className={classes['scroller']}
        style={{ maxHeight: 560 }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        aria-label={label}
        onFocus={onFocus}
        onBlur={onBlur}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: rows that are drawn in part only cannot be a <table> */}
        <div
          role="table"
          aria-label={label}
          aria-rowcount={rows.length + 1}
          className={classes['table']}
          style={{ width, height: heightPx }}
        >
          {!isNarrow && <HeaderRow columns={columns} widths={widths} sort={sort} onSort={onSort} onWidth={onWidth} />}
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]
            return row === undefined ? null : <DataRow key={index} {...shared} row={row} index={index} topPx={start} onShow={setShown} />
          })}
        </div>
      </section>
      <ValueDialog shown={shown} onClose={() => setShown(undefined)} />
    </>
  )
}
