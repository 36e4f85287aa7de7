/**
 * A first sync from a vendor that answers at once, against a bare COPY of the same fields, and the same sync again when nothing has
 * changed. The vendor's pages are objects of this process: what reading them over HTTP costs is measured by `library-list`.
 */
import { randomUUID } from 'node:crypto'
import { kinds } from '../packages/ferrule/src/connectors/index.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import type { Ask } from '../packages/server/src/copies/sync/walk/types.ts'
import { syncConnector } from '../test/context/sync-connector.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'
import { type StoreDatabase, withEmbedded, withPostgres } from './store-databases.ts'
import { callOf } from './store-records.ts'

/** Records of a round, and of a page: as many as the vendor has in one. */
const size = 50_000
const page = 100

const pages = Array.from({ length: size / page }, (_, index) =>
  Array.from({ length: page }, (_each, offset) => callOf(index * page + offset)),
)

const ask: Ask = async ({ params }) => {
  const number = Number(params['cursor'] ?? 0)
  return { rows: pages[number] ?? [], next: number + 1 < pages.length ? { cursor: String(number + 1) } : null }
}

/** Syncs a connector as a whole. @returns records a second */
async function synced(store: ContextStore, connector: string): Promise<number> {
  let written = 0
  const begin = performance.now()
  const { entities } = await syncConnector({
    kind: kinds.gong,
    connector,
    configuration: {},
    store,
    ask,
    wanted: (entity) => entity === 'calls',
    mode: 'full',
    fullEvery: 0,
    clock: Date.now,
    signal: new AbortController().signal,
    progress: {
      note: (progress) => {
        written += progress.written
      },
      noteShare: () => undefined,
    },
  })
  const speed = (size / (performance.now() - begin)) * 1_000
  const isWhole = entities[0]?.state === 'complete' && (await store.countRecords(connector)).get('calls') === size
  if (!isWhole || (written !== size && written !== 0)) throw new Error('the sync of the benchmark did not bring everything')
  return speed
}

/** Records a second of a first sync, and of the next one. */
interface Speeds {
  readonly first: number
  readonly again: number
}

async function both(store: ContextStore): Promise<Speeds> {
  const connector = randomUUID()
  return { first: await synced(store, connector), again: await synced(store, connector) }
}

async function copied(copy: StoreDatabase['copy']): Promise<Speeds> {
  const begin = performance.now()
  await copy()
  const speed = (size / (performance.now() - begin)) * 1_000
  return { first: speed, again: speed }
}

async function speedsOf({ settings, copy }: StoreDatabase, effort: Effort): Promise<Speeds & { readonly copy: number }> {
  const store = new ContextStore({ settings, kinds: [kinds.gong.definition] })
  await store.checkDatabase()
  const figures = await alternate({ ours: () => both(store), baseline: () => copied(copy) }, effort, (side) => side())
  await store.close()
  return {
    first: median(figures.ours.map(({ first }) => first)),
    again: median(figures.ours.map(({ again }) => again)),
    copy: median(figures.baseline.map(({ first }) => first)),
  }
}

const first = (name: string, { first: ours, copy: baseline, again }: Awaited<ReturnType<typeof speedsOf>>): Result =>
  rate({ name, unit: 'records/s', ours, baseline, unchanged: again, unchanged_ratio: again / ours })

/** A first sync over PGlite. */
export const syncEmbedded = (effort: Effort): Promise<Result> =>
  withEmbedded(size, async (database) => first('sync-embedded', await speedsOf(database, effort)))

/** A first sync over a PostgreSQL server that is started for it. */
export const syncPostgres = (effort: Effort): Promise<Result> =>
  withPostgres(size, async (database) => first('sync-postgres', await speedsOf(database, effort)))

/** A sync of what has not changed, against the first one, over both databases; the ratio is the smaller one. */
export async function resync(effort: Effort): Promise<Result> {
  const embedded = await withEmbedded(size, (database) => speedsOf(database, effort))
  const postgres = await withPostgres(size, (database) => speedsOf(database, effort))
  const [smaller] = [embedded, postgres].sort((one, other) => one.again / one.first - other.again / other.first)
  const { again: ours, first: baseline } = smaller ?? embedded
  const ratios = { embedded_ratio: embedded.again / embedded.first, postgres_ratio: postgres.again / postgres.first }
  return rate({ name: 'resync', unit: 'records/s', ours, baseline, ...ratios })
}
