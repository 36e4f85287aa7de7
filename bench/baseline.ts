/** What Ferrule is held against: a bare Fastify server over undici, without checks. A process of its own. */
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { Agent } from 'undici'
import { type callsAnswer, metaOf } from './calls.ts'
import { serve } from './child.ts'

const vendor = process.env['BENCH_VENDOR'] ?? ''
const agent = new Agent({ connections: 128, pipelining: 1 })
const jsonType = 'application/json; charset=utf-8'
const headers = { accept: 'application/json', authorization: `Basic ${btoa('key:secret')}` }
const list = () => agent.request({ origin: vendor, path: '/v2/calls', method: 'GET', headers })

const app = fastify()
app.post('/list', async (_request, reply) => {
  const { body } = await list()
  const answer = JSON.parse(await body.text()) as typeof callsAnswer // the stand-in's own answer
  return reply.header('content-type', jsonType).send(JSON.stringify({ data: answer.calls, meta: metaOf(answer) }))
})
app.post('/pipe', async (_request, reply) => {
  const { body } = await list()
  return reply.header('content-type', jsonType).send(body)
})
app.post<{ Querystring: { size: string } }>('/download', async (request, reply) => {
  const { body, headers: media } = await agent.request({ origin: vendor, path: `/media?size=${request.query.size}`, method: 'GET' })
  return reply.headers({ 'content-type': media['content-type'], 'content-length': media['content-length'] }).send(body)
})
app.get('/health/ready', async () => ({ status: 'ok' }))
await app.listen({ host: '127.0.0.1', port: Number(process.env['FERRULE_PORT'] ?? 0) })
serve({ port: (app.server.address() as AddressInfo).port }) // it listens on a port
