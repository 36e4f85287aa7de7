/** One gigabyte through the hosted endpoint against a bare pipe of the same bytes. */
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Agent } from 'undici'
import { startHosted, type Target } from './hosted.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const size = 1_000_000_000
const megabyte = 1_000_000
/** A transfer takes seconds by itself, so fewer rounds do. */
const maxRounds = 3

const params = { filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } }

/** What one transfer gave. */
interface Transfer {
  /** Megabytes a second. */
  readonly speed: number
  /** How much larger the server became, in megabytes. */
  readonly grew: number
}

async function transfer(agent: Agent, { url, headers, body, child }: Target): Promise<Transfer> {
  const { origin, pathname, search } = new URL(url)
  const { rss } = await child.usage()
  const begin = performance.now()
  const answer = await agent.request({ origin, path: pathname + search, method: 'POST', headers, body })
  let received = 0
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      received += chunk.length
      done()
    },
  })
  await pipeline(answer.body, sink)
  const seconds = (performance.now() - begin) / 1000
  if (answer.statusCode !== 200 || received !== size) throw new Error(`${url} answered ${answer.statusCode} with ${received} bytes`)
  const { peak } = await child.usage()
  return { speed: size / megabyte / seconds, grew: (peak - rss) / megabyte }
}

const growth = ([first, ...others]: readonly Transfer[]) => ({
  first: first?.grew ?? Number.NaN,
  later: Math.max(...others.map(({ grew }) => grew)),
})

/**
 * Runs the benchmark. `first_grew_mb` is the growth of the first transfer, `grew_mb` the largest of the others: whether memory
 * grows with what passes. In a bare pipe the first one lets V8 take its allowance for buffers that wait for a collection.
 */
export async function download({ rounds }: Effort): Promise<Result> {
  await using hosted = await startHosted(size)
  const agent = new Agent()
  const ours = hosted.ours({ entity: 'call_audio', action: 'download', params })
  const baseline = hosted.baseline(`/download?size=${size}`, {})
  const all = new Map<Target, Transfer[]>([
    [ours, []],
    [baseline, []],
  ])
  const speeds = await alternate({ ours, baseline }, { rounds: Math.min(rounds, maxRounds) }, async (target) => {
    const result = await transfer(agent, target)
    all.get(target)?.push(result)
    return result.speed
  })
  await agent.close()
  const grown = { ours: growth(all.get(ours) ?? []), baseline: growth(all.get(baseline) ?? []) }
  return rate({
    name: 'download',
    unit: 'MB/s',
    ours: median(speeds.ours),
    baseline: median(speeds.baseline),
    grew_mb: grown.ours.later,
    first_grew_mb: grown.ours.first,
    baseline_grew_mb: grown.baseline.later,
    baseline_first_grew_mb: grown.baseline.first,
  })
}
