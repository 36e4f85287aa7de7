/**
 * Benchmarks, each with its baseline in the same run. One JSON line each on stdout; what children print goes to stderr.
 *
 *     node bench/main.ts [names…] [--rounds 5] [--seconds 5]
 */
import { parseArgs } from 'node:util'
import { download } from './download.ts'
import { executeListLatency, executeListPipe, executeListThroughput } from './execute-list.ts'
import { libraryList } from './library-list.ts'
import type { Result } from './result.ts'
import type { Effort } from './rounds.ts'
import { sqlGate } from './sql-gate.ts'
import { startUp } from './start.ts'
import { storeWriteEmbedded, storeWritePostgres } from './store-write.ts'

const benchmarks: Readonly<Record<string, (effort: Effort) => Promise<Result>>> = {
  'execute-list-throughput': executeListThroughput,
  'execute-list-latency': executeListLatency,
  'execute-list-pipe': executeListPipe,
  'library-list': libraryList,
  download,
  start: startUp,
  'sql-gate': sqlGate,
  'store-write-embedded': storeWriteEmbedded,
  'store-write-postgres': storeWritePostgres,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '5' } },
})
const effort: Effort = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const unknown = positionals.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0 || !(effort.rounds > 0) || !(effort.seconds > 0)) {
  process.stderr.write(`usage: bench/main.ts [names…] [--rounds 5] [--seconds 5]; names: ${Object.keys(benchmarks).join(', ')}\n`)
  process.exit(2)
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.stdout.write(`${JSON.stringify(await run(effort))}\n`)
}
