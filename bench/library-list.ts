/** `calls.list` of the library against a bare request and JSON.parse, in this process. */
import { Agent } from 'undici'
import { connect } from '../packages/ferrule/src/index.ts'
import type { callsAnswer } from './calls.ts'
import { start } from './child.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const concurrency = 8

/** Calls a second, several at a time. */
async function callsPerSecond(call: () => Promise<number>, seconds: number): Promise<number> {
  const begin = performance.now()
  const end = begin + seconds * 1000
  let calls = 0
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      if ((await call()) !== 100) throw new Error('a page of the benchmark is not whole')
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return (calls / (performance.now() - begin)) * 1000
}

/** Runs the benchmark. */
export async function libraryList(effort: Effort): Promise<Result> {
  await using vendor = await start('vendor.ts')
  await using gong = connect('gong', {
    credentials: { access_key: 'key', access_key_secret: 'secret' },
    origin: vendor.origin,
    limits: false,
  })
  const agent = new Agent({ connections: 128, pipelining: 1 })
  const headers = { accept: 'application/json', authorization: `Basic ${btoa('key:secret')}` }
  const bare = async (): Promise<number> => {
    const { body } = await agent.request({ origin: vendor.origin, path: '/v2/calls', method: 'GET', headers })
    const answer = JSON.parse(await body.text()) as typeof callsAnswer // the stand-in's own answer
    return answer.calls.length
  }
  const ours = async (): Promise<number> => (await gong.execute('calls', 'list')).data.length
  const figures = await alternate({ ours, baseline: bare }, effort, (call) => callsPerSecond(call, effort.seconds))
  await agent.destroy()
  return rate({ name: 'library-list', unit: 'calls/s', ours: median(figures.ours), baseline: median(figures.baseline) })
}
