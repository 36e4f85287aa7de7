import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { type Column, textColumn } from './cells.ts'
import { literal, quotedName } from './lexer.ts'

/** A part of the rows of a result. */
export interface Partition {
  readonly rows: number
  /** Bytes of its JSON. */
  readonly uncompressedSize: number
  /** Partition 0: the JSON text of its rows. The others: the compressed body of the answer. */
  readonly content: string | Uint8Array
}

/** The rows of a result, cut into partitions. */
export interface PartitionedRows {
  readonly rows: number
  readonly partitions: readonly Partition[]
  /** True when rows were left out because there were too many. */
  readonly cut: boolean
  /** Bytes that are kept. */
  readonly size: number
}

/** What a statement brought. */
export interface StatementResult {
  readonly columns: readonly Column[]
  readonly rows: PartitionedRows
  /** Counts of a statement that changed rows. */
  readonly stats?: Readonly<Record<string, number>>
  /** Of the statements of a text that had several. */
  readonly statementHandles?: readonly string[]
}

interface PartitionSizes {
  /** Bytes of partition 0, of the others, of all together. */
  readonly first: number
  readonly other: number
  readonly all: number
  /** Rows of one at most; 0 for no bound. */
  readonly rows: number
}

const pack = promisify(gzip)

async function closed(texts: readonly string[], first: boolean): Promise<Partition> {
  const data = `[${texts.join(',')}]`
  const uncompressedSize = Buffer.byteLength(data)
  const content = first ? data : await pack(`{"data":${data}}`, { level: constants.Z_BEST_SPEED })
  return { rows: texts.length, uncompressedSize, content }
}

/** Cuts rows into partitions while they come. */
export async function partitioned(
  source: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  sizes: PartitionSizes,
): Promise<PartitionedRows> {
  const partitions: Partition[] = []
  let texts: string[] = []
  let bytes = 0
  let total = 0
  const close = async () => {
    partitions.push(await closed(texts, partitions.length === 0))
    texts = []
    bytes = 0
  }
  const isFull = (next: number) => {
    const room = partitions.length === 0 ? sizes.first : sizes.other
    return texts.length > 0 && (bytes + next > room || texts.length === sizes.rows)
  }
  const result = (cut: boolean): PartitionedRows => ({
    rows: partitions.reduce((sum, partition) => sum + partition.rows, 0),
    partitions,
    cut,
    size: partitions.reduce((sum, { content }) => sum + content.length, 0),
  })
  for await (const batch of source) {
    for (const text of batch) {
      if (isFull(text.length)) await close()
      if (total + text.length > sizes.all) {
        await close()
        return result(true)
      }
      texts.push(text)
      bytes += text.length + 1
      total += text.length + 1
    }
  }
  if (texts.length > 0 || partitions.length === 0) await close()
  return result(false)
}

type Row = readonly (string | null)[]

const unlimited = Number.POSITIVE_INFINITY

/** Returns a small result whose cells are known. */
export async function tableOf(columns: readonly Column[], rows: readonly Row[]): Promise<StatementResult> {
  const texts = rows.map((row) => JSON.stringify(row))
  return { columns, rows: await partitioned([texts], { first: unlimited, other: unlimited, all: unlimited, rows: 0 }) }
}

/** Returns a small result of texts. */
export const textRows = (names: readonly string[], rows: readonly Row[]): Promise<StatementResult> =>
  tableOf(
    names.map((name) => textColumn(name)),
    rows,
  )

/** Returns SQL of the engine for a table with these rows, so that the next part of a chain can read them. */
export function tableSql(columns: readonly Column[], rows: readonly Row[]): string {
  const types = columns.map(({ type }) => (type === 'fixed' ? 'HUGEINT' : 'VARCHAR'))
  const named = columns.map(({ name }, index) => `CAST(C${index} AS ${types[index]}) AS ${quotedName(name)}`)
  const positions = columns.map((_column, index) => `C${index}`)
  const lines = rows.length === 0 ? [columns.map(() => null)] : rows
  const values = lines.map((row) => `(${row.map((cell) => (cell === null ? 'NULL' : literal(cell))).join(', ')})`).join(', ')
  return `SELECT ${named.join(', ')} FROM (VALUES ${values}) AS "T$"(${positions.join(', ')})${rows.length === 0 ? ' WHERE FALSE' : ''}`
}
