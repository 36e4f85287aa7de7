/** A call of a tool at `/mcp` against the SDK's handler with an empty tool: what authentication, checks and our tools cost. */
import autocannon from 'autocannon'
import { start } from './child.ts'
import { connectTo, serviceCredentials, type Target } from './hosted.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const revision = '2026-07-28'
const connections = 4
const tool = 'current_time'
const body = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: {
    ...{ name: tool, arguments: {} },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    },
  },
})
const headers = {
  ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  ...{ 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': tool },
}

/** Returns the CPU time of the server per request, in microseconds. */
async function load({ url, headers: sent, child }: Target, duration: number): Promise<number> {
  const before = await child.usage()
  const result = await autocannon({ url, method: 'POST', headers: sent, body, connections, duration })
  const after = await child.usage()
  if (result.errors + result.non2xx > 0) throw new Error(`${url}: ${result.errors} errors, ${result.non2xx} refusals`)
  return (after.cpu - before.cpu) / result.requests.total
}

/** Checks that a call is answered by its tool, so that no refusal is measured. */
async function checkAnswer({ url, headers: sent }: Target, expected: RegExp): Promise<void> {
  const text = await (await fetch(url, { method: 'POST', headers: sent, body })).text()
  if (!expected.test(text)) throw new Error(`${url} answered ${text}`)
}

/** CPU time of a call. The bound is 1 ms above the baseline: `above_us`. */
export async function mcp(effort: Effort): Promise<Result> {
  await using service = await start('service.ts', serviceCredentials)
  await using bare = await start('mcp-baseline.ts')
  const client = await connectTo(service, { connector_type: 'gong', credentials: { access_key: 'key', access_key_secret: 'secret' } })
  const sides = {
    ours: { child: service, url: `${service.origin}/mcp`, headers: { ...headers, ...client.headers }, body },
    baseline: { child: bare, url: `${bare.origin}/mcp`, headers, body },
  }
  await checkAnswer(sides.ours, /"content":\[\{"type":"text"/)
  await checkAnswer(sides.baseline, /"content":\[\]/)
  const results = await alternate(sides, effort, (target) => load(target, effort.seconds))
  const [ours, baseline] = [median(results.ours), median(results.baseline)]
  return time({ name: 'mcp', unit: 'us of CPU', ours, baseline, above_us: ours - baseline })
}
