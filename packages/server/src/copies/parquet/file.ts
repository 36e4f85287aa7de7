/** A Parquet file of an export, part by part. */
import type { Column } from '../search/columns.ts'
import { toParquetColumn } from './columns.ts'
import type { ParquetEncoder, RowGroup } from './encoder.ts'

/** Size of the records of a row group, as JSON. The last page makes it larger. */
const groupBytes = 8 * 1_048_576

const onThisThread: ParquetEncoder = { encode: async (job) => (await import('./encoder.ts')).encodeHere(job) }

/** An export to write. */
export interface ParquetExport {
  /** Fields of the records; the last one is `SearchTable.rescued`. */
  readonly columns: readonly Pick<Column, 'name' | 'type' | 'compare' | 'schema'>[]
  /** Records as JSON. */
  readonly pages: AsyncIterable<readonly string[]>
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes a file. Reads pages until they fill a row group, when the client has taken the one before. The footer comes last, so a file that
 * breaks off cannot be read.
 * @param encoder default: this thread
 */
export async function* writeParquet(
  { columns: fields, pages, signal }: ParquetExport,
  encoder: ParquetEncoder = onThisThread,
): AsyncGenerator<Uint8Array, void, undefined> {
  const columns = fields.map(toParquetColumn)
  const groups: RowGroup[] = []
  let offset = 0
  let lines: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const encodeNext = async (content: { lines: typeof lines } | { groups: typeof groups }): Promise<Uint8Array> => {
    const part = await encoder.encode({ columns, offset, content }, signal)
    offset += part.bytes.byteLength
    groups.push(...part.groups)
    return part.bytes
  }
  for await (const page of pages) {
    if (page.length === 0) continue
    const bytes = new TextEncoder().encode(page.join('\n'))
    lines.push(bytes)
    size += bytes.byteLength
    if (size < groupBytes) continue
    yield await encodeNext({ lines })
    ;[lines, size] = [[], 0]
  }
  if (lines.length > 0) yield await encodeNext({ lines })
  yield await encodeNext({ groups })
}
