import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { bundleOf } from '../../scripts/bundles.mjs'
import { buildSourceEnvironment } from '../support/commands.ts'
import { listen } from '../support/listen.ts'
import { createTestDatabase } from '../support/postgres.ts'

const database = await createTestDatabase('hanging')
afterAll(() => database.drop())

const plain = buildSourceEnvironment()
const env = {
  FERRULE_PORT: '0',
  FERRULE_OPERATOR_CLIENT_ID: 'life',
  FERRULE_OPERATOR_CLIENT_SECRET: 'a-secret-for-tests',
  FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  FERRULE_SANDBOX: 'off',
  FERRULE_SHUTDOWN_SECONDS: '0',
}

/** A way to a database that stops to pass anything on. */
async function freezableProxy(url: string) {
  const target = new URL(url)
  const asked = Promise.withResolvers<void>()
  let [isArmed, isFrozen] = [false, false]
  const server = createServer((client) => {
    const behind = connect(Number(target.port), target.hostname)
    const pass = (to: Socket) => (bytes: Buffer) => {
      if (isArmed && bytes.includes('"applications"')) {
        isFrozen = true
        asked.resolve()
      }
      if (!isFrozen) to.write(bytes)
    }
    client.on('data', pass(behind))
    behind.on('data', pass(client))
    for (const socket of [client, behind]) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        behind.destroy()
      })
    }
  })
  const own = new URL(url)
  const { port, close } = await listen(server)
  own.host = `127.0.0.1:${port}`
  return {
    url: own.href,
    /** Passes nothing on, either way, from the next statement about applications on. */
    freezeThen: () => {
      isArmed = true
    },
    /** Settles when that statement came. */
    asked: () => asked.promise,
    close,
  }
}

test('the end comes in time though the database hangs', async () => {
  const between = await freezableProxy(database.url)
  const child = spawn(process.execPath, [bundleOf('service')], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...plain, ...env, DATABASE_URL: between.url },
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (said.out += chunk))
  child.stderr.on('data', (chunk) => (said.err += chunk))
  const closed = once(child, 'close')
  const url = () => /listens on (http:\/\/[\w.:]+)\n/.exec(said.out)?.[1] ?? ''
  await vi.waitFor(() => expect(url(), said.err).not.toBe(''), { interval: 50, timeout: 240_000 })

  between.freezeThen()
  // A request that waits for the database when the signal comes.
  const call = fetch(`${url()}/api/v1/account/applications/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: env.FERRULE_OPERATOR_CLIENT_ID, client_secret: env.FERRULE_OPERATOR_CLIENT_SECRET }),
  })
  await between.asked()
  child.kill('SIGTERM')
  const answer = await call
  expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ code: 'unavailable', retryable: true })])
  expect(await closed).toEqual([1, null])
  expect(said.err).toContain('it does not close in time')
  await between.close()
})
