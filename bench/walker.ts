/** Walks results in parts when it is asked to, by the library or by bare requests (`BENCH_WALK`). A process of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent } from 'undici'
import { connect } from '../packages/ferrule/src/index.ts'
import { serve } from './child.ts'
import { type Counted, configuration, counter, statementOf, token } from './statements.ts'

const vendor = process.env['BENCH_VENDOR'] ?? ''

async function byLibrary(rows: number): Promise<Counted> {
  await using warehouse = connect('snowflake', {
    credentials: { programmatic_access_token: token },
    config: configuration,
    origin: vendor,
    limits: false,
  })
  const { count, counted } = counter()
  for await (const [number] of warehouse.record.rows({ statement: statementOf(rows) })) count(number)
  return counted()
}

interface Body {
  readonly statementHandle: string
  readonly resultSetMetaData: { readonly partitionInfo: readonly unknown[] }
  readonly data: readonly (readonly (string | null)[])[]
}

const agent = new Agent()
const headers = {
  authorization: `Bearer ${token}`,
  'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
  accept: 'application/json',
  'content-type': 'application/json',
}
const unpacked = promisify(gunzip)

/** Does what a careful program would do by itself: one request for each part, each read by JSON.parse. */
async function byHand(rows: number): Promise<Counted> {
  const { count, counted } = counter()
  const { account: _account, ...context } = configuration
  const body = JSON.stringify({ statement: statementOf(rows), ...context })
  const first = await agent.request({ origin: vendor, path: '/api/v2/statements', method: 'POST', headers, body })
  const { statementHandle, resultSetMetaData, data } = JSON.parse(await first.body.text()) as Body // the stand-in's own answer
  for (const [number] of data) count(number)
  for (let part = 1; part < resultSetMetaData.partitionInfo.length; part++) {
    const path = `/api/v2/statements/${statementHandle}?partition=${part}`
    const answer = await agent.request({ origin: vendor, path, method: 'GET', headers })
    const text = (await unpacked(Buffer.from(await answer.body.arrayBuffer()))).toString()
    for (const [number] of (JSON.parse(text) as Body).data) count(number)
  }
  return counted()
}

const walk = process.env['BENCH_WALK'] === 'library' ? byLibrary : byHand
const server = createServer(async (request, response) => {
  const rows = Number(new URL(request.url ?? '', 'http://bench.example').searchParams.get('rows'))
  response.end(JSON.stringify(await walk(rows)))
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => serve({ port: (server.address() as AddressInfo).port })) // it listens on a port
