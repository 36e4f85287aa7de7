/** Fills an embedded store and searches it until its code is optimized. Prints the peak memory of the process in megabytes. */
import { kind, recordsOf } from '../../bench/store-records.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { readPeakKb } from '../support/peak-memory.ts'
import { createSearcher } from '../support/searcher.ts'

const [folder = ''] = process.argv.slice(2)
const ref = { connector: '0195f3a0-0000-7000-8000-0000000000aa', kind: kind.kind, entity: 'calls' }
/** Records of a batch, batches, and searches after them. */
const [batch, batches, searches] = [1_000, 10, 80]

const settings = { engine: 'embedded' as const, folder, memoryMb: 32, waiting: 10, searchSeconds: 60 }
const store = new ContextStore({ settings, kinds: [kind] })
for (let index = 0; index < batches; index += 1)
  await store.writeBatch(ref, { records: recordsOf(index * batch, batch), asked: 1_700_000_000_000 })
const searcher = createSearcher(store)
const params = { query: { filter: { not: { eq: { title: 'Nothing' } } }, sort: [{ duration: 'asc' }, { title: 'asc' }] }, limit: 100 }
for (let index = 0; index < searches; index += 1) await searcher.search({ ref, params, key: Buffer.from('key'), now: 1_700_000_000_000 })
process.stdout.write(String(Math.round(readPeakKb() / 1_000)))
await store.close()
