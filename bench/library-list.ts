/**
 * `calls.list` of the library against a bare request and JSON.parse. Each side is a process of its own, because in a common heap one side
 * collects the garbage of the other.
 */
import { type Child, start } from './child.ts'
import { buildFigures, type Round } from './client-load.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort } from './rounds.ts'

const megabyte = 1_000_000

/** Runs the benchmark. */
export async function libraryList(effort: Effort): Promise<Result> {
  await using vendor = await start('vendor.ts')
  await using ours = await start('lister.ts', { BENCH_LIST: 'library', BENCH_VENDOR: vendor.origin })
  await using baseline = await start('lister.ts', { BENCH_LIST: 'bare', BENCH_VENDOR: vendor.origin })
  const measure = async ({ origin }: Child): Promise<Round> => {
    const answer = await fetch(`${origin}/?seconds=${effort.seconds}`)
    return (await answer.json()) as Round // see lister
  }
  const rounds = await alternate({ ours, baseline }, effort, measure)
  const peak = { ours: (await ours.usage()).peak / megabyte, baseline: (await baseline.usage()).peak / megabyte }
  return rate({ ...buildFigures('library-list', rounds), ours_peak_mb: peak.ours, baseline_peak_mb: peak.baseline })
}
