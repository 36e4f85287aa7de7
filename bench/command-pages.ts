/** A stand-in of the service: one connector with a list of many pages, as fast as Node allows. A process of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { callsAnswer } from './calls.ts'
import { serve } from './child.ts'

const pages = Number(process.env['BENCH_PAGES'] ?? '1000')
const connector = { id: '55555555-5555-4555-8555-555555555555', name: 'gong', connector_type: 'gong' }
const data = JSON.stringify(callsAnswer.calls)

/** Writes a page: its records, and the position of the next one. */
const writePage = (number: number): string =>
  `{"data":${data},"meta":{"next_params":${number < pages ? `{"cursor":"${number + 1}"}` : 'null'}}}`

const server = createServer((request, response) => {
  const send = (text: string): void =>
    void response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
  if (!request.url?.endsWith('/execute')) return send(JSON.stringify({ data: [connector], next: null }))
  readAll(request).then(
    (body) => send(writePage(Number(JSON.parse(body).params?.cursor ?? 1))),
    () => response.destroy(),
  )
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => serve({ port: (server.address() as AddressInfo).port }))
