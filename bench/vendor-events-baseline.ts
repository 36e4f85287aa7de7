/** What the addresses of webhooks are held against: `node:http`, one HMAC over the body, and one row in SQLite. A process of its own. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serve } from './child.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const database = new DatabaseSync(join(folder, 'events.db'))
// As the service opens its own: what was answered survives a power loss.
database.exec('pragma journal_mode = wal; pragma synchronous = full; create table events (id text primary key, body blob)')
const insert = database.prepare('insert into events (id, body) values (?, ?)')
const secret = process.env['BENCH_SECRET'] ?? ''

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

const server = createServer((request, response) => {
  void readBytes(request).then((body) => {
    const expected = createHmac('sha256', secret).update(body).digest()
    const given = Buffer.from(String(request.headers['x-shopify-hmac-sha256']), 'base64')
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
    if (isSigned) insert.run(randomUUID(), body)
    response.writeHead(isSigned ? 200 : 401).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => serve({ port: (server.address() as AddressInfo).port }))
