/** Walks the rows of large results. */
import { fail } from '../errors.ts'
import type { Part } from '../values/walks/walk.ts'
import { RawRows } from './json/raw-rows.ts'

/**
 * Yields the rows of the parts of a result.
 * @param read takes each part in turn and returns the conversion of its rows
 * @throws as `walkParts`; FerruleError `upstream_answer_invalid` for rows that are not JSON
 */
export async function* walkRows(
  parts: AsyncIterable<Part>,
  { read, vendor }: { readonly read: (data: object) => (row: unknown) => unknown; readonly vendor: string },
): AsyncGenerator<unknown, void, undefined> {
  for await (const { data } of parts) {
    const convert = read(data)
    const batches = data.data instanceof RawRows ? readable(data.data, vendor) : [Array.isArray(data.data) ? data.data : []]
    for (const rows of batches) for (const row of rows) yield convert(row)
  }
}

function* readable(rows: RawRows, vendor: string): Generator<readonly unknown[], void, undefined> {
  try {
    yield* rows.batches()
  } catch {
    throw fail('upstream_answer_invalid', { vendor, reason: 'the rows are not valid JSON' }) // a SyntaxError quotes the rows
  } finally {
    rows.release()
  }
}
