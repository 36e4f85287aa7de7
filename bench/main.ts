/**
 * Benchmarks, each with its baseline in the same run. One JSON line each on stdout; what children print goes to stderr.
 *
 *     node bench/main.ts [names…] [--rounds 5] [--seconds 5] [--records 1000000] [--connectors 200] [--entities 10]
 *
 * `--records` and `--connectors` are for the searches: records of the large connector, and small ones of 5,000 records beside it. `changes`
 * takes at most 200,000 records, `everything` at most 20,000 for each of `--entities` of at most 50 connectors.
 */
import { parseArgs } from 'node:util'
import { agentTools } from './agent-tools.ts'
import { aggregates } from './aggregates.ts'
import { budgets } from './budgets.ts'
import { changes } from './changes.ts'
import { commandWalk } from './command-walk.ts'
import { download } from './download.ts'
import { executeListFilled, executeListLatency, executeListPipe, executeListThroughput } from './execute-list.ts'
import { firstSearchable } from './first-searchable.ts'
import { flows } from './flows.ts'
import { hostedClient } from './hosted-client.ts'
import { kindsOfStart } from './kinds.ts'
import { libraryList } from './library-list.ts'
import { lists } from './lists.ts'
import { mcp } from './mcp.ts'
import { ownTables } from './own-tables.ts'
import { partitions } from './partitions.ts'
import { references } from './references.ts'
import { relevance } from './relevance.ts'
import type { Result } from './result.ts'
import { memory, type SearchEffort, search, searchEmbedded } from './search.ts'
import { type EverythingEffort, searchEverything } from './search-everything.ts'
import { searchPeers } from './search-peers.ts'
import { sqlGate } from './sql-gate.ts'
import { startUp } from './start.ts'
import { storeWriteEmbedded, storeWritePostgres } from './store-write.ts'
import { resync, syncEmbedded, syncPostgres } from './sync.ts'
import { uploads } from './uploads.ts'
import { vendorEvents } from './vendor-events.ts'

type Benchmark = (effort: SearchEffort & EverythingEffort) => Promise<Result> | AsyncIterable<Result>

const benchmarks: Readonly<Record<string, Benchmark>> = {
  'execute-list-throughput': executeListThroughput,
  'execute-list-latency': executeListLatency,
  'execute-list-pipe': executeListPipe,
  'execute-list-filled': executeListFilled,
  'library-list': libraryList,
  lists,
  'hosted-client': hostedClient,
  'agent-tools': agentTools,
  budgets,
  'command-walk': commandWalk,
  download,
  mcp,
  start: startUp,
  kinds: kindsOfStart,
  'sql-gate': sqlGate,
  partitions,
  'own-tables': ownTables,
  uploads,
  'vendor-events': vendorEvents,
  'store-write-embedded': storeWriteEmbedded,
  'store-write-postgres': storeWritePostgres,
  aggregates,
  references,
  changes,
  search,
  'search-embedded': searchEmbedded,
  'search-peers': searchPeers,
  memory,
  everything: searchEverything,
  relevance,
  'sync-embedded': syncEmbedded,
  'sync-postgres': syncPostgres,
  resync,
  'first-searchable': firstSearchable,
  flows,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    records: { type: 'string', default: '1000000' },
    connectors: { type: 'string', default: '200' },
    entities: { type: 'string', default: '10' },
  },
})
const effort: SearchEffort & EverythingEffort = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  records: Number(values.records),
  connectors: Number(values.connectors),
  entities: Number(values.entities),
  smallRecords: 5_000,
}
const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0 || !Object.values(effort).every((value) => value > 0)) {
  const options = '[--rounds 5] [--seconds 5] [--records 1000000] [--connectors 200] [--entities 10]'
  process.stderr.write(`usage: bench/main.ts [names…] ${options}; names: ${Object.keys(benchmarks).join(', ')}\n`)
  process.exit(2)
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const results = run(effort)
  for await (const result of Symbol.asyncIterator in results ? results : [results]) process.stdout.write(`${JSON.stringify(result)}\n`)
}
