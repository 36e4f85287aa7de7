// Process that writes batches of notes until it is killed. Its argument is JSON of `KillWriterOptions`. It prints one line of JSON at its
// start, and one with the number of each acknowledged batch.
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { note, testKind } from './store-records.ts'

/** Where the writer writes. */
export interface KillWriterOptions {
  /** Folder of an embedded database, or */
  readonly folder?: string
  /** URL of a server. */
  readonly url?: string
}

/** Connector of the writer. */
export const killRef = { connector: '0190a000-0000-7000-8000-00000000dead', kind: 'test-kind', entity: 'notes' }
/** Notes of a batch. Each batch rewrites the notes of the previous one with its own number. */
export const batchSize = 40

const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function run({ folder, url }: KillWriterOptions): Promise<void> {
  const common = { waiting: 10, searchSeconds: 400 }
  const settings =
    url === undefined
      ? { engine: 'embedded' as const, folder: folder ?? '', memoryMb: 16, ...common }
      : { engine: 'postgres' as const, url: new Secret(url), searches: 1, writers: 1, ...common }
  const store = new ContextStore({ settings, kinds: [testKind()] })
  const found = (await store.readCheckpoints(killRef)).get('batch')
  if (found === undefined) await store.writeBatch(killRef, { records: [], asked: 1 })
  say({ ready: true })
  for (let batch = Number(found ?? 0) + 1; ; batch += 1) {
    const records = Array.from({ length: batchSize }, (_, index) =>
      note(store, { id: (batch - 1) * (batchSize / 2) + index, title: `Batch ${batch} of the writer`, state: String(batch) }),
    )
    await store.writeBatch(killRef, { records, asked: batch, checkpoints: [{ name: 'batch', value: String(batch) }] })
    say(batch)
  }
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
