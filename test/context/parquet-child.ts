/** Writes an export as Parquet and drops it. Prints the size of the file, what the process keeps at the end, and its peak, in megabytes. */
import { randomBytes } from 'node:crypto'
import { int, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { writeParquet } from '../../packages/server/src/copies/parquet/file.ts'
import { buildSearchTable, listNamed } from '../../packages/server/src/copies/search/columns.ts'
import { readPeakKb } from '../support/peak-memory.ts'

const count = Number(process.argv[2])
/** Records of a page. */
const pageRecords = 500

const fields = { id: int('Id'), title: str('Title'), made: time('Made') }
const columns = listNamed(buildSearchTable('test', 'things', { about: 'Things', key: ['id'], context_store_search: fields }))

/** Texts that no compression makes small: a file in memory would be seen. */
function* listPages(): Generator<readonly string[]> {
  for (let from = 0; from < count; from += pageRecords)
    yield Array.from({ length: pageRecords }, (_, index) =>
      JSON.stringify({ id: from + index, title: randomBytes(1_500).toString('base64'), made: '2026-03-01T10:00:00Z' }),
    )
}
async function* readPages() {
  for (const page of listPages()) yield page
}

let [file, kept] = [0, 0]
for await (const part of writeParquet({ columns, pages: readPages() })) {
  file += part.byteLength
  globalThis.gc?.() // what is garbage does not count
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  kept = heapUsed + arrayBuffers
}
process.stdout.write(JSON.stringify({ file: file / 1_000_000, kept: kept / 1_000_000, peak: readPeakKb() / 1_000 }))
