/** `webhooks` and `events` against a service, and `webhooks listen` with a program on this machine. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../packages/ferrule/src/index.ts'
import { connectorsPath } from '../http/support.ts'
import { missing, Receiver } from '../http/webhook-support.ts'
import { openTerminal, plain, runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

let receiver: Receiver
const running = await startCommandWorld({ settings: { webhookHosts: ['127.0.0.1'] } })
const worker = running.world.platform.eventWorker()
const connector = await running.world.connect('Calls', { check: false })
beforeEach(async () => {
  receiver = await new Receiver().start()
  return () => receiver.close()
})
afterAll(async () => {
  await worker.stop()
  await running.close()
})

const run = (...args: readonly string[]) => runFerrule(running.caller, ...args)
const json = (...args: readonly string[]) => runForJson(running.caller, ...args)
/** Runs a command that fails. @returns its exit code and its problem */
async function fails(...args: readonly string[]): Promise<unknown> {
  const { code, stderr } = await run(...args)
  return { exit: code, ...JSON.parse(stderr) }
}
/** Causes an event, and numbers it. */
async function rename(name: string): Promise<void> {
  const { token, ask } = running.world
  await ask(`${connectorsPath}/${connector}`, { method: 'PATCH', token, body: { name } })
  await worker.run()
}

describe('an endpoint', () => {
  test('from its creation to its deletion', async () => {
    const filters = ['--type', 'connector.updated', '--type', 'connector.deleted', '--connector-id', connector, '--ordered']
    const made = await run('webhooks', 'create', 'sales', `${receiver.address}/sales`, ...filters)
    const created = JSON.parse(made.stdout)
    expect(created).toMatchObject({
      ...{ name: 'sales', status: 'unverified', ordered: true, types: ['connector.updated', 'connector.deleted'] },
      ...{ workspace_ids: null, connector_ids: [connector], secret: expect.stringMatching(/^whsec_/) },
    })
    expect(made.stderr).toContain('The secret is shown this once: keep it.')
    await worker.run()
    expect(await json('webhooks', 'get', created.id)).toMatchObject({ name: 'sales', status: 'active' })
    expect(await json('webhooks', 'pause', 'sales')).toMatchObject({ status: 'paused' })
    expect(await json('webhooks', 'resume', 'sales')).toMatchObject({ status: 'active' })
    const rotated = await run('webhooks', 'rotate-secret', 'sales', '--overlap', '60', '--yes', '--jq', '.secret')
    expect(rotated.stdout).toMatch(/whsec_/)
    expect(rotated.stdout).not.toContain(created.secret)
    await rename('Sold')
    const [{ headers, body } = missing] = receiver.at('sales').slice(-1)
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect(await verifyWebhook({ body, headers, secret: created.secret, now: running.world.clock.now })).toMatchObject({
      data: { name: 'Sold' },
    })
    const [newest, ...others] = await json('webhooks', 'deliveries', 'sales', '--status', 'delivered')
    expect([newest.type, ...others.map(({ type }: { type: string }) => type)]).toEqual(['connector.updated', 'webhook.test'])
    expect(await json('webhooks', 'retry', 'sales', newest.id)).toMatchObject({ id: newest.id, status: 'waiting' })
    expect(await json('webhooks', 'retry', 'sales', '--since', '2026-01-01T00:00:00Z')).toEqual({ endpoint_id: created.id, deliveries: 0 })
    expect(await json('webhooks', 'test', 'sales')).toMatchObject({ id: created.id })
    expect(await fails('webhooks', 'delete', 'sales')).toMatchObject({ exit: 4, message: expect.stringContaining('needs a confirmation') })
    expect(await json('webhooks', 'delete', 'sales', '--yes')).toMatchObject({ id: created.id })
    expect(await json('webhooks', 'list')).toEqual([])
  })

  test.each([
    [['get', 'none'], { exit: 3, code: 'webhook_endpoint_not_found', hint: 'Endpoints: none.' }],
    [['create', 'a', 'https://hooks.example.com', '--type', 'nope'], { exit: 4, message: 'There is no type of events nope.' }],
    [['retry', 'a', 'b', '--since', '2026-01-01T00:00:00Z'], { exit: 4, message: '--since has no effect on one delivery.' }],
    [['rotate-secret', 'a', '--overlap', '-1'], { exit: 4, message: '--overlap must be a number from 0, not -1.' }],
    [['listen'], { exit: 4, message: 'The address of your program is missing.' }],
    [['listen', '--forward-to', 'localhost:3000'], { exit: 4, message: 'localhost:3000 is no address of a program.' }],
    [['listen', '--forward-to', 'http://localhost', '--quiet'], { exit: 4, message: '--quiet would hide the secret.' }],
  ])('%j is refused', async (args, problem) => {
    expect(await fails('webhooks', ...args)).toMatchObject(problem)
  })
})

describe('events', () => {
  test('after one of them, of a type', async () => {
    await rename('First')
    const { id } = (await json('events')).at(-1)
    await rename('Second')
    expect(await json('events', '--after', id)).toMatchObject([{ type: 'connector.updated', data: { name: 'Second' } }])
    expect(await json('events', '--after', id, '--type', 'connector.deleted')).toEqual([])
    const { stdout } = await run('events', '--type', 'connector.updated', '--format', 'ndjson')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).data.name)
        .slice(-2),
    ).toEqual(['First', 'Second'])
  })

  test('are followed until Ctrl-C, which says how to go on', async () => {
    await rename('Before')
    const terminal = openTerminal(running.caller, ['events', '--follow', '--format', 'ndjson', '--fields', 'id,data.name'])
    await terminal.waitFor('"Before"')
    await rename('Meanwhile')
    await terminal.waitFor('"Meanwhile"')
    const { id } = (await json('events')).at(-1)
    await terminal.waitFor(id)
    terminal.type('\u0003')
    expect(await terminal.end()).toBe(130)
    expect(plain(terminal.drawn)).toContain(`Interrupted. Continue with: --after `)
  })
})

test('listen sends events from now on, signed, and outlives the program', async () => {
  await rename('Old')
  const terminal = openTerminal(running.caller, ['webhooks', 'listen', '--forward-to', `${receiver.address}/hook`])
  await terminal.waitFor('Ctrl+C ends it')
  const secret = /whsec_\S+/.exec(plain(terminal.drawn))?.[0] ?? ''
  receiver.replies.set('hook', [{ status: 302, headers: { location: `${receiver.address}/elsewhere` } }])
  await rename('New')
  await terminal.waitFor(/connector\.updated [\w-]+: 302/)
  const [{ headers, body } = missing, ...others] = receiver.at('hook')
  expect([others, receiver.at('elsewhere')]).toEqual([[], []])
  expect(await verifyWebhook({ body, headers, secret })).toMatchObject({ type: 'connector.updated', data: { name: 'New' } })
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Ferrule-Webhooks' })
  receiver.close()
  await rename('Lost')
  await terminal.waitFor('ECONNREFUSED')
  terminal.type('\u0003')
  expect(await terminal.end()).toBe(0)
})

test('types of events are completed', async () => {
  const { stdout } = await run('complete', '--', 'events', '--type', 'connector.auth_')
  expect(stdout).toBe('connector.auth_failed\t\nconnector.auth_recovered\t\n:4\n')
})
