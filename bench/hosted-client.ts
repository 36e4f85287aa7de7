/** `calls.list` of the hosted client against a bare `fetch` and JSON.parse of the same route, in this process. */
import { connect } from '../packages/ferrule/src/index.ts'
import type { callsAnswer } from './calls.ts'
import { buildFigures, makeCalls } from './client-load.ts'
import { serviceCredentials, startHosted } from './hosted.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort } from './rounds.ts'

/** Runs the benchmark. */
export async function hostedClient(effort: Effort): Promise<Result> {
  await using hosted = await startHosted()
  const { url, headers, body } = hosted.ours({ entity: 'calls', action: 'list' })
  const gong = connect('gong', {
    url: new URL(url).origin,
    clientId: serviceCredentials.FERRULE_OPERATOR_CLIENT_ID,
    clientSecret: serviceCredentials.FERRULE_OPERATOR_CLIENT_SECRET,
  })
  const bare = async (): Promise<number> => {
    const answer = await fetch(url, { method: 'POST', headers, body })
    const page = JSON.parse(await answer.text()) as { data: (typeof callsAnswer)['calls'] } // the route's own answer
    return page.data.length
  }
  const ours = async (): Promise<number> => (await gong.calls.list()).data.length
  const rounds = await alternate({ ours, baseline: bare }, effort, (call) => makeCalls(call, effort.seconds))
  return rate(buildFigures('hosted-client', rounds))
}
