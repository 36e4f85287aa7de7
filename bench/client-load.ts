/** Load by a client of this process, and what its rounds say together. */
import type { Figures } from './result.ts'
import { median, type Sides } from './rounds.ts'

const concurrency = 8
/** Records of a page of the stand-in. */
const pageSize = 100

/** What one round gave. */
export interface Round {
  readonly perSecond: number
  /** CPU time of this process per call, in microseconds. Other processes do not count. */
  readonly cpu: number
}

/** Makes calls, several at a time. @param call lists one page, and counts its records */
export async function makeCalls(call: () => Promise<number>, seconds: number): Promise<Round> {
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

/** Builds the figures of both sides: calls a second, and CPU time beside it. */
export function buildFigures(name: string, { ours, baseline }: Sides<readonly Round[]>): Figures {
  const middle = (rounds: readonly Round[], of: (round: Round) => number) => median(rounds.map(of))
  const speed = ({ perSecond }: Round) => perSecond
  const cpu = { ours: middle(ours, (round) => round.cpu), baseline: middle(baseline, (round) => round.cpu) }
  return {
    ...{ name, unit: 'calls/s', ours: middle(ours, speed), baseline: middle(baseline, speed) },
    ...{ ours_cpu_us: cpu.ours, baseline_cpu_us: cpu.baseline, cpu_ratio: cpu.baseline / cpu.ours },
  }
}
