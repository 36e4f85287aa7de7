/** Lists calls when it is asked to, by the library or by bare requests (`BENCH_LIST`). A process of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { connect } from '../packages/ferrule/src/index.ts'
import type { callsAnswer } from './calls.ts'
import { serve } from './child.ts'
import { makeCalls } from './client-load.ts'

const vendor = process.env['BENCH_VENDOR'] ?? ''

/** Returns a function that lists a page by the library. */
function connectLibrary(): () => Promise<number> {
  const gong = connect('gong', { credentials: { access_key: 'key', access_key_secret: 'secret' }, origin: vendor, limits: false })
  return async () => (await gong.execute('calls', 'list')).data.length
}

/** Returns a function that lists a page by a bare request and JSON.parse. */
function connectBare(): () => Promise<number> {
  const agent = new Agent({ connections: 128, pipelining: 1 })
  const headers = { accept: 'application/json', authorization: `Basic ${btoa('key:secret')}` }
  return async () => {
    const { body } = await agent.request({ origin: vendor, path: '/v2/calls', method: 'GET', headers })
    const answer = JSON.parse(await body.text()) as typeof callsAnswer // the stand-in's own answer
    return answer.calls.length
  }
}

const call = process.env['BENCH_LIST'] === 'library' ? connectLibrary() : connectBare()
const server = createServer(async (request, response) => {
  const seconds = Number(new URL(request.url ?? '', 'http://bench.example').searchParams.get('seconds'))
  response.end(JSON.stringify(await makeCalls(call, seconds)))
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => serve({ port: (server.address() as AddressInfo).port })) // it listens on a port
