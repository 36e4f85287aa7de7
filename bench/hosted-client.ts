/** `calls.list` of the hosted client against a bare `fetch` and JSON.parse of the same route, in this process. */
import { connect } from '../packages/ferrule/src/index.ts'
import type { callsAnswer } from './calls.ts'
import { serviceCredentials, startHosted } from './hosted.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const concurrency = 8
/** Records of a page of the stand-in. */
const pageSize = 100

/** What one round gave. */
interface Round {
  readonly perSecond: number
  /** CPU time of this process per call, in microseconds: the service, a process of its own, does not count. */
  readonly cpu: number
}

/** Makes calls, several at a time. */
async function makeCalls(call: () => Promise<number>, seconds: number): Promise<Round> {
  const before = process.cpuUsage()
  const begin = performance.now()
  const end = begin + seconds * 1000
  let calls = 0
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      if ((await call()) !== pageSize) throw new Error('a page of the benchmark is not whole')
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (calls / (performance.now() - begin)) * 1000, cpu: (user + system) / calls }
}

/** Runs the benchmark. */
export async function hostedClient(effort: Effort): Promise<Result> {
  await using hosted = await startHosted()
  const { url, headers, body } = hosted.ours({ entity: 'calls', action: 'list' })
  const gong = connect('gong', {
    url: new URL(url).origin,
    clientId: serviceCredentials.FERRULE_CLIENT_ID,
    clientSecret: serviceCredentials.FERRULE_CLIENT_SECRET,
  })
  const bare = async (): Promise<number> => {
    const answer = await fetch(url, { method: 'POST', headers, body })
    const page = JSON.parse(await answer.text()) as { data: (typeof callsAnswer)['calls'] } // the route's own answer
    return page.data.length
  }
  const ours = async (): Promise<number> => (await gong.calls.list()).data.length
  const figures = await alternate({ ours, baseline: bare }, effort, (call) => makeCalls(call, effort.seconds))
  const middle = (rounds: readonly Round[], of: (round: Round) => number) => median(rounds.map(of))
  const speed = ({ perSecond }: Round) => perSecond
  const cpu = { ours: middle(figures.ours, (round) => round.cpu), baseline: middle(figures.baseline, (round) => round.cpu) }
  return rate({
    ...{ name: 'hosted-client', unit: 'calls/s', ours: middle(figures.ours, speed), baseline: middle(figures.baseline, speed) },
    ...{ ours_cpu_us: cpu.ours, baseline_cpu_us: cpu.baseline, cpu_ratio: cpu.baseline / cpu.ours },
  })
}
