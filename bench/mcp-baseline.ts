/** What the MCP endpoint is held against: the SDK's handler with an empty tool, mounted in a bare Fastify. A process of its own. */
import type { AddressInfo } from 'node:net'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { fastify } from 'fastify'
import { serve } from './child.ts'

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', () => ({ content: [] }))
  return server
})

const app = fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
app.post<{ Body: string }>('/mcp', async ({ headers: given, body }, reply) => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') headers.set(name, value)
  const answer = await handler.fetch(new Request('http://bench.invalid/mcp', { method: 'POST', headers, body }))
  return reply
    .code(answer.status)
    .headers(Object.fromEntries(answer.headers))
    .send(await answer.text())
})
await app.listen({ host: '127.0.0.1', port: 0 })
serve({ port: (app.server.address() as AddressInfo).port }) // it listens on a port
