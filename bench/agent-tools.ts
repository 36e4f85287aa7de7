/** The tool `execute` against the plain call of the same operation, in this process: CPU of a call. */
import { createTools } from '../packages/ferrule/src/agent/index.ts'
import { connect } from '../packages/ferrule/src/index.ts'
import { start } from './child.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

/** Measures the CPU time of this process for a call, in microseconds: the stand-in of the vendor, a process of its own, does not count. */
async function measureCpu(call: () => Promise<void>, seconds: number): Promise<number> {
  const before = process.cpuUsage()
  const end = performance.now() + seconds * 1000
  let calls = 0
  while (performance.now() < end) {
    await call()
    calls += 1
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

/** Runs the benchmark: a page of 100 calls, of which an answer of the usual size shows a part, and all of them by three fields. */
export async function agentTools(effort: Effort): Promise<Result> {
  await using vendor = await start('vendor.ts')
  await using gong = connect('gong', {
    credentials: { access_key: 'key', access_key_secret: 'secret' },
    origin: vendor.origin,
    limits: false,
  })
  const tools = await createTools(gong)
  const execute = tools.find(({ name }) => name === 'execute')
  if (execute === undefined) throw new Error('there is no tool execute')
  const bounded = async (args: object): Promise<void> => {
    const { isError, text } = await execute.run({ connector: 'gong', entity: 'calls', action: 'list', ...args })
    if (isError) throw new Error(text)
  }
  const plain = async (): Promise<void> => void (await gong.execute('calls', 'list'))
  // A second holds hundreds of calls; the usual five would take two minutes for both sides of both cases.
  const measure = (call: () => Promise<void>) => measureCpu(call, Math.min(1, effort.seconds))
  const whole = await alternate({ ours: () => bounded({}), baseline: plain }, effort, measure)
  const narrow = await alternate({ ours: () => bounded({ fields: ['id', 'title', 'started'] }), baseline: plain }, effort, measure)
  const [ours, baseline] = [median(whole.ours), median(whole.baseline)]
  return time({
    ...{ name: 'agent-tools', unit: 'CPU µs/call', ours, baseline },
    ...{ added_us: ours - baseline, added_us_with_fields: median(narrow.ours) - median(narrow.baseline) },
  })
}
