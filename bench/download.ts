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

/** Runs the benchmark. `grew_mb` is the largest growth over all transfers, that of the first one included. */
export async function download({ rounds }: Effort): Promise<Result> {
  await using hosted = await startHosted(size)
  const agent = new Agent()
  const all: Transfer[] = []
  const ours = hosted.ours({ entity: 'call_audio', action: 'download', params })
  const sides = { ours, baseline: hosted.baseline(`/download?size=${size}`, {}) }
  const transfers = await alternate(sides, { rounds: Math.min(rounds, maxRounds) }, async (target) => {
    const result = await transfer(agent, target)
    if (target === ours) all.push(result)
    return result
  })
  await agent.close()
  const speed = (of: readonly Transfer[]) => median(of.map((each) => each.speed))
  const grew = Math.max(...all.map((each) => each.grew))
  return rate({ name: 'download', unit: 'MB/s', ours: speed(transfers.ours), baseline: speed(transfers.baseline), grew_mb: grew })
}
