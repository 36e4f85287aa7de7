/** Searches without indexes on demand against plain SQL, DuckDB and SQLite's FTS5, with CPU time beside wall time. */
import { randomUUID } from 'node:crypto'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { createSearcher } from '../test/support/searcher.ts'
import { paramsOf, type Question, questions, records } from './peer-questions.ts'
import { openDuckDb, openPlain, openSqlite, type Peer, readOwnCpuMs, readServerCpuMs } from './peers.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'
import { withPostgres } from './store-databases.ts'
import { kind, recordsOf } from './store-records.ts'

const batch = 1_000
/** Rounds and their milliseconds at most: there is a line for each question and peer. */
const mostRounds = 3
const mostRoundMs = 400

/** A side of a round: one question, asked again and again. */
interface Side {
  readonly ask: () => Promise<number> | number
  readonly readCpuMs: () => number
}

/** Milliseconds of one answer, and the records of its page. */
interface Asked {
  readonly ms: number
  readonly cpuMs: number
  readonly found: number
}

async function measure({ ask, readCpuMs }: Side, roundMs: number): Promise<Asked> {
  const [begin, cpuBegin] = [performance.now(), readCpuMs()]
  const times: number[] = []
  let found = 0
  do {
    const asked = performance.now()
    found = await ask()
    times.push(performance.now() - asked)
  } while (performance.now() - begin < roundMs)
  return { ms: median(times), cpuMs: (readCpuMs() - cpuBegin) / times.length, found }
}

async function fill(store: ContextStore, connector: string): Promise<void> {
  const ref = { connector, kind: kind.kind, entity: 'calls' }
  for (let from = 0; from < records; from += batch)
    await store.writeBatch(ref, { records: recordsOf(from, Math.min(batch, records - from)), asked: Date.now() })
}

/** Asks a question of the store. */
function createAsk(store: ContextStore, connector: string): (question: Question) => Promise<number> {
  const searcher = createSearcher(store)
  const ref = { connector, kind: kind.kind, entity: 'calls' }
  return async (question) => {
    const answer = await searcher.search({ ref, params: paramsOf(question), key: Buffer.from('key'), now: Date.now() })
    return (answer?.count ?? 0) + Number(answer?.cursor !== null)
  }
}

async function compare(
  name: string,
  sides: { readonly ours: Side; readonly baseline: Side },
  effort: Effort,
): Promise<Result & { found: number; peer_found: number }> {
  const rounds = Math.min(effort.rounds, mostRounds)
  const { ours, baseline } = await alternate(sides, { rounds }, (side) => measure(side, Math.min(effort.seconds * 1_000, mostRoundMs)))
  const of = (all: readonly Asked[], pick: (asked: Asked) => number): number => median(all.map(pick))
  const [ourCpu, theirCpu] = [of(ours, ({ cpuMs }) => cpuMs), of(baseline, ({ cpuMs }) => cpuMs)]
  const result = time({
    name,
    unit: 'ms',
    ours: of(ours, ({ ms }) => ms),
    baseline: of(baseline, ({ ms }) => ms),
    cpu_ratio: theirCpu / ourCpu,
    ours_cpu_ms: ourCpu,
    baseline_cpu_ms: theirCpu,
  })
  return { ...result, found: of(ours, ({ found }) => found), peer_found: of(baseline, ({ found }) => found) }
}

/**
 * A line for each question and peer over 200,000 calls. `ratio` and `cpu_ratio` say how many times as long the peer takes. The store has the
 * indexes that every table has, as plain SQL has its own; the others are in memory.
 */
export async function* searchPeers(effort: Effort): AsyncGenerator<Result, void, undefined> {
  const lines = await withPostgres(1, async ({ settings }) => {
    if (settings.engine !== 'postgres') throw new Error('the benchmark needs a server')
    await using stack = new AsyncDisposableStack()
    const store = new ContextStore({ settings: { ...settings, searchSeconds: 60, indexes: 0 }, kinds: [kind] })
    stack.defer(() => store.close())
    const connector = randomUUID()
    await fill(store, connector)
    const plain = await openPlain(settings.url.reveal())
    const peers: readonly Peer[] = [plain, await openDuckDb(), openSqlite()]
    for (const peer of peers) stack.defer(() => peer.close())
    const ask = createAsk(store, connector)
    const readCpuMs = (): number => readServerCpuMs(plain.backend) + readOwnCpuMs()
    const results: Result[] = []
    for (const question of questions)
      for (const peer of peers) {
        const statement = peer.statementOf(question)
        if (statement === undefined) continue
        const baseline = { ask: () => peer.ask(statement, question.value), readCpuMs: peer.readCpuMs }
        const line = await compare(
          `search-peers-${question.name}-${peer.name}`,
          { ours: { ask: () => ask(question), readCpuMs }, baseline },
          effort,
        )
        if (!question.isAlike && line.found !== line.peer_found)
          throw new Error(`${line.name}: ${line.found} and ${line.peer_found} records`)
        results.push(line)
      }
    return results
  })
  yield* lines
}
