/** `calls.list` over HTTP against the bare server: requests a second under load, and the time of one request. */
import autocannon from 'autocannon'
import { Client } from 'undici'
import { callsAnswer, metaOf } from './calls.ts'
import { type Hosted, startHosted, type Target } from './hosted.ts'
import { type Result, rate, time } from './result.ts'
import { alternate, type Effort, median, type Sides } from './rounds.ts'

const request = { entity: 'calls', action: 'list' }

/** What one round of load gave. */
interface Round {
  readonly perSecond: number
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number
}

async function load({ url, headers, body, child, connections = 16 }: Target, duration: number): Promise<Round> {
  const before = await child.usage()
  const result = await autocannon({ url, method: 'POST', headers, body, connections, duration })
  const after = await child.usage()
  if (result.errors + result.non2xx > 0) throw new Error(`${url}: ${result.errors} errors, ${result.non2xx} refusals`)
  return { perSecond: result.requests.total / result.duration, cpu: (after.cpu - before.cpu) / result.requests.total }
}

async function throughput(name: string, sides: (hosted: Hosted) => Sides<Target>, effort: Effort): Promise<Result> {
  await using hosted = await startHosted()
  return await compareLoad(name, sides(hosted), effort)
}

async function compareLoad(name: string, sides: Sides<Target>, effort: Effort): Promise<Result> {
  const { ours, baseline } = await alternate(sides, effort, (target) => load(target, effort.seconds))
  const middle = (rounds: readonly Round[], of: (round: Round) => number) => median(rounds.map(of))
  const speed = (round: Round) => round.perSecond
  const cpu = { ours: middle(ours, (round) => round.cpu), baseline: middle(baseline, (round) => round.cpu) }
  return rate({
    name,
    unit: 'requests/s',
    ours: middle(ours, speed),
    baseline: middle(baseline, speed),
    ours_cpu_us: cpu.ours,
    baseline_cpu_us: cpu.baseline,
    cpu_ratio: cpu.baseline / cpu.ours,
  })
}

/** The same answer from a bare route: request, JSON.parse, JSON.stringify. */
export const executeListThroughput = (effort: Effort): Promise<Result> =>
  throughput('execute-list-throughput', (hosted) => ({ ours: hosted.ours(request), baseline: hosted.baseline('/list', request) }), effort)

/** The vendor's bytes passed on as they are: what nobody who reads an answer can reach. */
export const executeListPipe = (effort: Effort): Promise<Result> =>
  throughput('execute-list-pipe', (hosted) => ({ ours: hosted.ours(request), baseline: hosted.baseline('/pipe', request) }), effort)

/** Lists of a connector whose copy is filled, by one client, against those of one without a copy: both are Ferrule. */
export async function executeListFilled(effort: Effort): Promise<Result> {
  await using filled = await startHosted()
  await using plain = await startHosted()
  await filled.beginCopy()
  const one = (hosted: Hosted): Target => ({ ...hosted.ours(request), connections: 1 })
  return await compareLoad('execute-list-filled', { ours: one(filled), baseline: one(plain) }, effort)
}

const expected = JSON.stringify({ data: callsAnswer.calls, meta: metaOf(callsAnswer) })

/** Median time of one request after the other, in milliseconds. */
async function latency({ url, headers, body }: Target, seconds: number): Promise<number> {
  const { origin, pathname } = new URL(url)
  const client = new Client(origin)
  const times: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const begin = performance.now()
    const answer = await client.request({ path: pathname, method: 'POST', headers, body })
    const text = await answer.body.text()
    times.push(performance.now() - begin)
    if (text !== expected) throw new Error(`${url} answers something else: ${answer.statusCode} ${text.slice(0, 200)}`)
  }
  await client.close()
  return median(times)
}

/** One client that waits for each answer. It also proves that both sides answer with the same bytes. */
export async function executeListLatency(effort: Effort): Promise<Result> {
  await using hosted = await startHosted()
  const sides = { ours: hosted.ours(request), baseline: hosted.baseline('/list', request) }
  const times = await alternate(sides, effort, (target) => latency(target, effort.seconds))
  const middle = { ours: median(times.ours), baseline: median(times.baseline) }
  return time({ name: 'execute-list-latency', unit: 'ms', ...middle, added_ms: middle.ours - middle.baseline })
}
