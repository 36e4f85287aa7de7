import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startService as startInProcess } from '../../packages/server/src/index.ts'
import { bundleOf } from '../../scripts/bundles.mjs'
import { root } from '../../scripts/paths.mjs'
import { buildSourceEnvironment } from '../support/commands.ts'
import { choose } from '../support/draws.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { copyEmbeddedDatabase } from '../support/postgres.ts'
import type { Json } from './support.ts'

const folder = makeFolder('life')

/** Returns a data folder in which the context store was opened before: creating its database takes seconds of a core. */
async function usedFolder(name: string): Promise<string> {
  const data = join(folder, name)
  await copyEmbeddedDatabase(join(data, 'context'))
  return data
}

const running: ChildProcess[] = []
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, 'SIGKILL')
})

const plain = buildSourceEnvironment()

interface Run {
  readonly child: ChildProcess
  /** Its exit code, once all that it said was read: that can be later. */
  readonly ended: Promise<number | null>
  stdout(): string
  stderr(): string
}

function start(file: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): Run {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...plain, FERRULE_PORT: '0', FERRULE_DATA: join(folder, 'data'), ...env },
  })
  running.push(child)
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk))
  const ended = once(child, 'close').then(([code]) => code)
  return { child, ended, stdout: () => texts.stdout, stderr: () => texts.stderr }
}

/** Ends a process and returns its exit code, or the signal, once all that it said was read. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  const closed = once(child, 'close')
  child.kill(signal)
  const [code, by] = await closed
  return code ?? by
}

/** @returns once it listens. @throws what it said when it ended instead */
async function startService(env: Readonly<Record<string, string>> = {}): Promise<Run & { readonly url: string }> {
  const run = start(bundleOf('service'), env)
  const listens = Promise.withResolvers<string>()
  run.child.stdout?.on('data', () => {
    const url = /listens on (http:\/\/[\w.:]+)\n/.exec(run.stdout())?.[1]
    if (url !== undefined) listens.resolve(url)
  })
  run.child.once('close', () => listens.reject(new Error(`it ended: ${run.stderr()}`)))
  return { ...run, url: await listens.promise }
}

/** Pastes the examples into a shell and gives what the list prints; the search after it must find something. Each answer ends its line. */
async function paste(
  output: string,
  { shell: name = 'dash', env = {} }: { shell?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Json> {
  const lines = output.split('\n').filter((line) => /^(TOKEN|CONNECTOR|curl|for)/.test(line))
  expect(lines).toHaveLength(5)
  const shell = spawn(name, ['-c', lines.join('\n')], { env: { ...plain, ...env } })
  running.push(shell)
  let text = ''
  shell.stdout.on('data', (chunk) => (text += chunk))
  await once(shell, 'close')
  const [list = '', search = '', end] = text.split('\n')
  expect(end, text).toBe('')
  expect(JSON.parse(search).data?.[0].title, text).toContain('Engineer')
  return JSON.parse(list)
}

/** Reads how many calls the stored budgets of vendors count. */
function readCalls() {
  const database = new DatabaseSync(join(folder, 'data', 'ferrule.db'), { readOnly: true })
  const { calls } = database.prepare('select sum(total) as calls from vendor_budgets').get() ?? {}
  database.close()
  return calls
}

// Programs start one after the other, each with a second of work alone.
describe('npm start', () => {
  // Four first syncs, one after the other, on one vendor budget: the lines wait for a minute each.
  test('prints lines that work as they stand, twice, and after a restart with the secret in the shell', { timeout: 900_000 }, async () => {
    const first = await startService()
    const secret = /Client secret +(\S+) /.exec(first.stdout())?.[1] ?? ''
    expect(secret.length).toBeGreaterThan(30)
    for (const shell of choose(['dash'], ['dash', 'bash']))
      expect((await paste(first.stdout(), { shell })).data[0]).toMatchObject({ id: expect.any(String), emailAddress: expect.any(String) })
    expect(await end(first.child, 'SIGTERM')).toBe(0)
    expect(first.stderr()).not.toContain(secret)
    expect(readCalls()).toBeGreaterThan(0) // the calls of the day

    // As in the shell of somebody who followed the banner and the pages of the client.
    const exported = { FERRULE_URL: first.url, FERRULE_CLIENT_ID: 'me', FERRULE_CLIENT_SECRET: secret, FERRULE_WORKSPACE: 'default' }
    const second = await startService(exported)
    expect(second.stdout()).not.toContain(secret)
    expect(second.stdout()).toContain('applications rotate')
    expect((await paste(second.stdout(), { env: { FERRULE_CLIENT_SECRET: secret } })).data.length).toBeGreaterThan(1)
    const rotate = /npm run ferrule-server -- (applications rotate)\n/.exec(second.stdout())?.[1] ?? ''
    const rotation = start(bundleOf('ferrule-server'), exported, rotate.split(' '))
    expect(await rotation.ended, rotation.stderr()).toBe(0)
    const renewed = /client secret (\S+) /.exec(rotation.stdout())?.[1] ?? ''
    const client_id = /Client id +(\S+)/.exec(second.stdout())?.[1]
    expect((await post(`${second.url}/api/v1/account/applications/token`, { client_id, client_secret: renewed })).status).toBe(200)
    expect(await end(second.child, 'SIGINT')).toBe(0)
  })

  test('says in one sentence what is wrong with a setting', async () => {
    for (const [env, says] of [
      [{ FERRULE_PORT: '99999' }, 'FERRULE_PORT'],
      [{ FERRULE_PROT: '1' }, 'the nearest is FERRULE_PORT'],
      [{ DATABASE_URL: 'mysql://u:a-password@h/d' }, 'DATABASE_URL'],
    ] as const) {
      const run = start(bundleOf('service'), env)
      expect(await run.ended).toBe(78)
      expect(run.stderr().trim().split('\n')).toHaveLength(1)
      expect(run.stderr()).toContain(says)
      expect(run.stderr()).not.toContain('a-password')
      expect(run.stdout()).toBe('')
    }
  })

  test('says that the port is taken, and leaves nothing running', async () => {
    const first = await startService()
    const { port } = new URL(first.url)
    const second = start(bundleOf('service'), { FERRULE_PORT: port, FERRULE_DATA: join(folder, 'other') })
    expect(await second.ended).toBe(78)
    expect(second.stderr()).toContain('FERRULE_PORT is not valid: another program listens on this port')
  })
})

/** A vendor, or all of them, that answers when the test says so. */
async function slowVendor() {
  const held: ServerResponse[] = []
  const server = createServer((_message, response) => void held.push(response))
  const { origin, close } = await listen(server)
  return {
    close,
    env: {
      FERRULE_ORIGINS: JSON.stringify({ gong: origin, snowflake: origin }),
      FERRULE_SANDBOX: 'off',
      ...pair,
    },
    arrived: () => vi.waitFor(() => expect(held).toHaveLength(1), { interval: 10, timeout: 240_000 }),
    answer: () => held[0]?.setHeader('content-type', 'application/json').end('{"users":[],"records":{}}'),
    gone: () => vi.waitFor(() => expect(held[0]?.destroyed).toBe(true), { interval: 10, timeout: 240_000 }),
  }
}

const pair = { FERRULE_OPERATOR_CLIENT_ID: 'life', FERRULE_OPERATOR_CLIENT_SECRET: 'a-secret-for-tests' }

async function post(url: string, body: unknown, token = ''): Promise<Json> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, ...Object(await answer.json()) }
}

const calls = { connector_type: 'gong', credentials: { access_key: 'k', access_key_secret: 's' } }
const warehouse = {
  connector_type: 'snowflake',
  credentials: { programmatic_access_token: 't' },
  replication_config: { account: 'acme', database: 'D', warehouse: 'W', role: 'R' },
}
const listUsers = { entity: 'users', action: 'list' }

/** A connector whose vendor is the slow one, and calls on it. */
async function callOf(url: string, kind: object = calls) {
  const issued = await post(`${url}/api/v1/account/applications/token`, {
    client_id: pair.FERRULE_OPERATOR_CLIENT_ID,
    client_secret: pair.FERRULE_OPERATOR_CLIENT_SECRET,
  })
  const body = { workspace_name: 'default', check: false, name: crypto.randomUUID(), ...kind }
  const { id } = await post(`${url}/api/v1/integrations/connectors`, body, issued.access_token)
  return (call: object = listUsers) => post(`${url}/api/v1/integrations/connectors/${id}/execute`, call, issued.access_token)
}

describe('the end', () => {
  test('waits for calls that run, and takes no new ones', async () => {
    const vendor = await slowVendor()
    const service = await startInProcess({
      ...plain,
      ...vendor.env,
      FERRULE_PORT: '0',
      FERRULE_DATA: await usedFolder('waits'),
      FERRULE_LOG_LEVEL: 'silent',
    })
    const execute = await callOf(service.url)
    const call = execute()
    await vendor.arrived()
    const closed = service.close()
    expect(service.close()).toBe(closed)
    await vi.waitFor(() => expect(fetch(`${service.url}/health/live`, { headers: { connection: 'close' } })).rejects.toThrow(), {
      interval: 10,
      timeout: 240_000,
    })
    vendor.answer()
    expect(await call).toMatchObject({ status: 200, data: [] })
    await closed
    await vendor.close()
  })

  test('answers calls that outlast the time they get with a problem', async () => {
    const vendor = await slowVendor()
    const env = { FERRULE_PORT: '0', FERRULE_DATA: await usedFolder('outlast'), FERRULE_SHUTDOWN_SECONDS: '0', FERRULE_LOG_LEVEL: 'silent' }
    const service = await startInProcess({ ...plain, ...vendor.env, ...env })
    const execute = await callOf(service.url)
    const call = execute()
    await vendor.arrived()
    await service.close()
    expect(await call).toMatchObject({ status: 503, code: 'unavailable', retryable: true, request_id: expect.any(String) })
    await vendor.gone()
    await vendor.close()
  })

  test('tells a write that outlasts it that nobody knows its outcome', async () => {
    const vendor = await slowVendor()
    const env = { FERRULE_PORT: '0', FERRULE_DATA: await usedFolder('writes'), FERRULE_SHUTDOWN_SECONDS: '0', FERRULE_LOG_LEVEL: 'silent' }
    const service = await startInProcess({ ...plain, ...vendor.env, ...env })
    const execute = await callOf(service.url, warehouse)
    const call = execute({ entity: 'record', action: 'create', params: { statement: 'INSERT INTO T VALUES (1)' } })
    await vendor.arrived()
    await service.close()
    expect(await call).toMatchObject({ status: 504, code: 'outcome_unknown', retryable: false })
    await vendor.close()
  })

  test('waits for load balancers first, until a second signal', async () => {
    const run = await startService({ ...pair, FERRULE_DATA: join(folder, 'leaves'), FERRULE_SHUTDOWN_DELAY: '300', FERRULE_SANDBOX: 'off' })
    const signalled = performance.now()
    run.child.kill('SIGTERM')
    await vi.waitFor(async () => expect((await fetch(`${run.url}/health/ready`)).status).toBe(503), { interval: 10, timeout: 240_000 })
    const seen = performance.now()
    const token = { client_id: pair.FERRULE_OPERATOR_CLIENT_ID, client_secret: pair.FERRULE_OPERATOR_CLIENT_SECRET }
    expect((await post(`${run.url}/api/v1/account/applications/token`, token)).status).toBe(200)
    // A signal right after the first is its echo; a later one counts. A third one would end the process.
    await expect.poll(() => performance.now() - seen).toBeGreaterThan(1_000)
    expect((await fetch(`${run.url}/health/live`)).status).toBe(200)
    run.child.kill('SIGTERM')
    expect(await run.ended, run.stderr()).toBe(0)
    expect(performance.now() - signalled, 'the second signal ends the delay').toBeLessThan(300_000)
  })

  test('comes at once with a second signal', async () => {
    const vendor = await slowVendor()
    const run = await startService({ ...vendor.env, FERRULE_DATA: await usedFolder('second') })
    const execute = await callOf(run.url)
    const call = execute().catch(() => 'broken')
    await vendor.arrived()
    run.child.kill('SIGTERM')
    await vi.waitFor(() => expect(fetch(`${run.url}/health/live`, { headers: { connection: 'close' } })).rejects.toThrow(), {
      interval: 10,
      timeout: 240_000,
    })
    expect(run.child.exitCode).toBeNull()
    // A signal right after the first is its echo; a later one counts.
    await vi.waitFor(() => expect(run.child.kill('SIGTERM') && run.child.exitCode === null).toBe(false), { interval: 50, timeout: 240_000 })
    expect(await run.ended).toBe(143)
    expect(await call).toBe('broken')
    await vendor.close()
  })
})
