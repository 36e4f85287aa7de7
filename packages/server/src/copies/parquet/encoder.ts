/** Writes parts of a Parquet file: a row group of records, and the footer. A worker thread can do it. */
import { isObject, readExactJson } from 'ferrule/internal'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { buildElements, type Cell, type Element, type ParquetColumn, readers } from './columns.ts'

/** What the footer says of a row group. */
export type RowGroup = ParquetWriter['row_groups'][number]

/** A part of a file. */
export interface EncodeJob {
  /** Fields of the records. The last one has, by field, what the others cannot hold exactly. */
  readonly columns: readonly ParquetColumn[]
  /** Bytes of the file so far. */
  readonly offset: number
  /** Records as lines of JSON in UTF-8, for a row group; or the row groups of the whole file, for the footer. */
  readonly content: { readonly lines: readonly Uint8Array<ArrayBuffer>[] } | { readonly groups: readonly RowGroup[] }
}

/** Bytes of a part, and its row groups. */
export interface EncodeResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly groups: readonly RowGroup[]
}

/** Writes parts outside the event loop. */
export interface ParquetEncoder {
  /** Runs a job. @throws the signal's reason */
  encode(job: EncodeJob, signal?: AbortSignal): Promise<EncodeResult>
}

/** Distributes records over the columns. */
function readCells(columns: readonly ParquetColumn[], lines: readonly Uint8Array[]): Cell[][] {
  const records = lines.flatMap((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString().split('\n'))
  const [fields, last] = [columns.slice(0, -1), columns.at(-1)?.name ?? '']
  const cells: Cell[][] = fields.map(() => [])
  const rescued: Cell[] = []
  for (const line of records) {
    const record = readExactJson(line)
    const stored = isObject(record) ? record[last] : undefined
    const odd = isObject(stored) ? Object.entries(stored) : []
    for (const [index, { name, type }] of fields.entries()) {
      const value = isObject(record) ? (record[name] ?? null) : null
      const cell = value === null ? null : readers[type](value)
      if (cell === undefined) odd.push([name, value])
      cells[index]?.push(cell ?? null)
    }
    rescued.push(odd.length === 0 ? null : JSON.stringify(Object.fromEntries(odd)))
  }
  return [...cells, rescued]
}

/** Bounds of texts are as long as the texts, and the footer keeps those of all row groups: only short values have them. */
const hasBounds = ({ type }: ParquetColumn): boolean => type !== 'text' && type !== 'json'

/** The type of JSON that older readers know. The writer must not see it: it would write our text as a string of JSON. */
const markJson = (element: Element): Element => (element.logical_type?.type === 'JSON' ? { ...element, converted_type: 'JSON' } : element)

/** Runs a job in this thread. */
export function encodeHere({ columns, offset, content }: EncodeJob): EncodeResult {
  const writer = new ByteWriter()
  const elements = buildElements(columns)
  const parquet = new ParquetWriter({ writer, schema: 'groups' in content ? elements.map(markJson) : elements, createdBy: 'ferrule' })
  if (offset > 0) Object.assign(writer, { index: 0, offset }) // the file's first bytes are written
  if ('groups' in content) {
    parquet.row_groups.push(...content.groups)
    parquet.num_rows = content.groups.reduce((sum, { num_rows }) => sum + num_rows, 0n)
    void parquet.finish() // a writer into memory ends at once
    return { bytes: writer.getBytes(), groups: [] }
  }
  const cells = readCells(columns, content.lines)
  const columnData = columns.map((column, index) => ({
    name: column.name,
    data: cells[index] ?? [],
    statistics: hasBounds(column),
    offsetIndex: false,
  }))
  void parquet.write({ columnData, rowGroupSize: Math.max(1, cells[0]?.length ?? 0) })
  return { bytes: writer.getBytes(), groups: parquet.row_groups }
}
