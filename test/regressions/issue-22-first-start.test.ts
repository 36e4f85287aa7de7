/** Issue 22, F4: what a first installation needs before anything works. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleOf } from '../../scripts/bundles.mjs'
import { base, startWorld } from '../http/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { listen } from '../support/listen.ts'
import { createTestDatabase } from '../support/postgres.ts'

test('the redirect URI is known before an OAuth client at the vendor is stored, without FERRULE_PUBLIC_URL too', async () => {
  const world = await startWorld({ settings: { port: 8_090, host: '127.0.0.1' } })
  try {
    const { json: service } = await world.ask(`${base}/service`, { token: world.token })
    expect(service).toMatchObject({ public_url: null, connect_url: 'http://127.0.0.1:8090' })
    const body = { connector_type: 'gong', configuration: { client_id: 'a', client_secret: 'b' } }
    const { json } = await world.ask(`${base}/oauth/credentials`, { method: 'PUT', token: world.token, body })
    expect(json.redirect_uri).toBe(`${service.connect_url}/connect/callback/gong`)
  } finally {
    await world.close()
  }
})

test('an address at which nobody may type a secret is none', async () => {
  const world = await startWorld({ settings: { host: '0.0.0.0' } })
  try {
    expect((await world.ask(`${base}/service`, { token: world.token })).json.connect_url).toBeNull()
  } finally {
    await world.close()
  }
})

test('migrate waits for its database, and works once it answers', async () => {
  const database = await createTestDatabase('migrate-waits')
  const target = new URL(database.url)
  // Nobody answers at its port yet. A port that was free could be taken by another program.
  let isUp = false
  const sockets = new Set<Socket>()
  const front = createServer((client) => {
    client.on('error', () => undefined)
    if (!isUp) return void client.destroy()
    const server = connect(Number(target.port), target.hostname).on('error', () => undefined)
    for (const socket of [client, server]) sockets.add(socket)
    client.pipe(server).pipe(client)
  })
  const { port } = await listen(front)
  const DATABASE_URL = Object.assign(new URL(database.url), { host: `127.0.0.1:${port}` }).href
  const child = spawn(process.execPath, [bundleOf('ferrule-server'), 'migrate', '--wait', '600'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...buildSourceEnvironment(), DATABASE_URL, FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (texts.stdout += chunk))
  const waits = new Promise((resolve) => {
    child.stderr.on('data', (chunk) => {
      texts.stderr += chunk
      resolve(undefined)
    })
    child.once('close', resolve)
  })
  await waits
  expect(texts.stderr).toBe('The database does not answer yet. Waiting for 600 seconds.\n')
  isUp = true
  const [code] = await once(child, 'close')
  expect([code, texts.stdout]).toEqual([0, expect.stringContaining('The tables are those of this version.')])
  for (const socket of sockets) socket.destroy()
  front.close()
  await database.drop()
})
