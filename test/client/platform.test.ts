import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Ferrule } from '../../packages/ferrule/src/client/ferrule.ts'
import type { ServiceOptions } from '../../packages/ferrule/src/client/settings.ts'
import { endpoints } from '../../packages/ferrule/src/wire/endpoints.ts'
import { root } from '../../scripts/paths.mjs'
import { startCopyWorld } from '../http/search-support.ts'
import { client, sandboxConnector } from '../http/support.ts'
import { programLimit } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { untilReady } from '../support/postgres.ts'
import { share } from '../support/share.ts'

let number = 0
const world = await share(startCopyWorld('postgres'))
const ferrule = open().ferrule
beforeEach(() => {
  number += 1
})

/** A client whose requests are noted. */
function open(more: ServiceOptions = {}) {
  const sent: string[] = []
  const noting: typeof fetch = async (input, init) => {
    const url = new URL(String(input))
    if (url.pathname !== endpoints.createToken.path) sent.push(`${init?.method} ${url.pathname}${url.search}`)
    return fetch(input, init)
  }
  return { ferrule: new Ferrule({ url: world.url, clientId: client.id, clientSecret: client.secret, fetch: noting, ...more }), sent }
}

const body = (more: object = {}) => ({ ...sandboxConnector(`platform ${number}`), entities: [{ entity: 'users' }], ...more })
const unchecked = (more: object = {}) => body({ check: false, ...more })

describe('workspaces', () => {
  test('are created, changed, deleted, restored and counted', async () => {
    const { workspaces } = ferrule
    const made = await workspaces.create({ name: 'Sales' })
    expect(await workspaces.get(made.id)).toEqual(made)
    expect(await workspaces.update(made.id, { name: 'Revenue', status: 'inactive' })).toMatchObject({ name: 'Revenue', status: 'inactive' })
    expect((await workspaces.stats()).inactive_count).toBe(1)
    expect(await workspaces.delete(made.id)).toMatchObject({ id: made.id })
    await expect(workspaces.get(made.id)).rejects.toMatchObject({ code: 'workspace_not_found', status: 404 })
    expect(await workspaces.restore(made.id)).toMatchObject({ id: made.id, name: 'Revenue' })
  })

  test('are walked page by page, as far as the caller wants', async () => {
    for (const name of ['walk 1', 'walk 2', 'walk 3', 'walk 4', 'walk 5']) await ferrule.workspaces.create({ name })
    const { ferrule: walking, sent } = open()
    const names = (await Array.fromAsync(walking.workspaces.list({ name_contains: 'walk', limit: 2 }))).map(({ name }) => name)
    expect(names.toSorted()).toEqual(['walk 1', 'walk 2', 'walk 3', 'walk 4', 'walk 5'])
    expect(sent).toHaveLength(3)
    for await (const { name } of walking.workspaces.list({ name_contains: 'walk', limit: 2 })) if (name !== '') break
    expect(sent).toHaveLength(4)
    expect((await Array.fromAsync(walking.workspaces.list({ name_contains: 'walk' }))).length).toBe(5)
    expect(sent.at(-1)).toContain('limit=100')
  })

  test('are read one page at a time', async () => {
    const first = await ferrule.workspaces.page({ name_contains: 'walk', limit: 3 })
    expect([first.data.length, typeof first.next]).toEqual([3, 'string'])
    const second = await ferrule.workspaces.page(first.next ?? '')
    expect([second.data.length, second.next]).toEqual([2, null])
  })
})

describe('organizations', () => {
  test('are created and listed; a client works in the one that it names', async () => {
    const made = await ferrule.organizations.create({ name: 'Second' })
    expect((await ferrule.organizations.list()).map(({ id }) => id)).toEqual(expect.arrayContaining([world.organizationId, made.id]))
    const second = open({ organizationId: made.id }).ferrule
    expect(await Array.fromAsync(second.workspaces.list())).toMatchObject([{ name: 'default', organization_id: made.id }])
  })
})

test('an organization is renamed by its id, and its applications are managed in it', async () => {
  const { id } = await ferrule.organizations.create({ name: 'Third' })
  expect(await ferrule.organizations.update(id, { name: 'Fourth' })).toMatchObject({ id, name: 'Fourth' })
  const { applications } = open({ organizationId: id }).ferrule
  const made = await applications.create({ name: 'Reports' })
  const secret = (await applications.rotateSecret(made.id)).client_secret
  const reports = new Ferrule({ url: world.url, clientId: made.client_id, clientSecret: secret })
  expect((await reports.organizations.list()).map(({ name }) => name)).toEqual(['Fourth'])
  expect((await reports.applications.list()).find(({ is_caller }) => is_caller)?.id).toBe(made.id)
  await expect(reports.applications.delete(made.id)).rejects.toMatchObject({ code: 'validation_failed' })
  expect((await applications.delete(made.id)).id).toBe(made.id)
  // A client with another `fetch` shares no token.
  const late = new Ferrule({ url: world.url, clientId: made.client_id, clientSecret: secret, fetch: (...args) => fetch(...args) })
  await expect(late.organizations.list()).rejects.toMatchObject({ code: 'invalid_client' })
})

test('an organization is deleted and restored, also by a client that names it', async () => {
  const { id } = await ferrule.organizations.create({ name: 'Brief' })
  const { organizations, workspaces } = open({ organizationId: id }).ferrule
  expect(await organizations.delete(id)).toEqual({ id, deleted_at: expect.any(String) })
  await expect(Array.fromAsync(workspaces.list())).rejects.toMatchObject({ code: 'organization_forbidden' })
  expect((await ferrule.organizations.list()).map((each) => each.id)).not.toContain(id)
  expect(await organizations.restore(id)).toMatchObject({ id, name: 'Brief' })
  expect(await Array.fromAsync(workspaces.list())).toMatchObject([{ organization_id: id }])
})

describe('connectors', () => {
  test('are created, listed, read, changed, checked and deleted', async () => {
    const { connectors, jobs } = ferrule
    const made = await connectors.create(body())
    expect(made).toMatchObject({ connector_type: 'gong', status: 'active', credential_fields: ['access_key', 'access_key_secret'] })
    expect((await Array.fromAsync(connectors.list({ connector_type: 'gong' }))).map(({ id }) => id)).toContain(made.id)
    expect((await connectors.page({ workspace_name: 'default', limit: 1 })).data).toHaveLength(1)
    expect(await connectors.get(made.id)).toEqual(made)
    expect((await connectors.update(made.id, { name: `renamed ${number}` })).name).toBe(`renamed ${number}`)
    expect((await connectors.check(made.id)).status).toBe('succeeded')
    expect((await connectors.check(made.id, { credentials: { access_key: 'sandbox', access_key_secret: 'wrong' } })).status).toBe('failed')
    expect((await connectors.patch(made.id, { entities: [] })).entities).toEqual([])
    expect((await connectors.inspect(made.id)).connector_id).toBe(made.id)
    const job = await connectors.delete(made.id)
    expect(await jobs.get(job.job_id)).toMatchObject({ id: job.job_id, type: 'connector_delete', connector_id: made.id })
    await expect(connectors.get(made.id)).rejects.toMatchObject({ code: 'connector_not_found' })
  })

  test('are checked before they exist', async () => {
    expect((await ferrule.connectors.checkNew(body())).status).toBe('succeeded')
    const refused = await ferrule.connectors.checkNew(body({ credentials: { access_key: 'sandbox', access_key_secret: 'wrong' } }))
    expect([refused.status, typeof refused.error_message]).toEqual(['failed', 'string'])
  })

  test('are deleted with the finished job as the answer', async () => {
    const { id } = await ferrule.connectors.create(unchecked())
    expect(await ferrule.connectors.delete(id, { wait: true })).toMatchObject({ connector_id: id, status: 'succeeded' })
  })

  test("are created in the client's workspace, unless the body names another", async () => {
    const { workspace_name: _left, ...unnamed } = unchecked()
    await ferrule.workspaces.create({ name: 'Own' })
    const own = open({ workspace: 'Own' }).ferrule
    expect((await own.connectors.create(unnamed)).workspace_name).toBe('Own')
    expect((await own.connectors.create(unchecked())).workspace_name).toBe('default')
    expect((await own.connectors.checkNew(unnamed)).status).toBe('succeeded')
    const { token } = await own.tokens.create()
    expect((await new Ferrule({ url: world.url, token }).tokens.info()).workspace_name).toBe('Own')
  })

  test('are created once under one key, whoever sends it', async () => {
    const idempotencyKey = crypto.randomUUID()
    const made = await ferrule.connectors.create(unchecked(), { idempotencyKey })
    expect((await open().ferrule.connectors.create(unchecked(), { idempotencyKey })).id).toBe(made.id)
  })

  test('are created once although the first answer is lost', async () => {
    let lost = 0
    const { ferrule: losing } = open({
      fetch: async (input, init) => {
        const answer = await fetch(input, init)
        if (init?.method !== 'POST' || !String(input).endsWith('/connectors') || lost > 0) return answer
        await answer.body?.cancel()
        lost += 1
        throw new TypeError('fetch failed')
      },
    })
    const made = await losing.connectors.create(unchecked())
    expect(lost).toBe(1)
    const same = await Array.fromAsync(ferrule.connectors.list())
    expect(same.filter(({ name }) => name === `platform ${number}`).map(({ id }) => id)).toEqual([made.id])
  })

  test('refuse mistakes with their fields', async () => {
    const { ferrule: sending, sent } = open()
    const made = sending.connectors.create(unchecked({ name: '' }))
    await expect(made).rejects.toMatchObject({
      code: 'validation_failed',
      errors: expect.arrayContaining([expect.objectContaining({ field: '/name' })]),
    })
    expect(sent).toHaveLength(1)
  })
})

describe('the copy of a connector', () => {
  test('is filled, watched, scheduled, reset and cancelled', async () => {
    const { syncs, contextStore } = ferrule
    const { id } = await ferrule.connectors.create(body())
    expect(await contextStore.status(id)).toMatchObject({ state: 'loading', queued: { cause: 'created' } })
    const filled = Array.fromAsync(contextStore.watch(id, { until: 'filled' }))
    const run = await syncs.start(id)
    const watched = syncs.watch(id, run.id)
    expect((await watched.next()).value).toMatchObject({ id: run.id, state: 'queued' })
    await world.context.sync()
    expect((await Array.fromAsync(watched)).at(-1)).toMatchObject({ state: 'succeeded', progress: { records: 312 } })
    expect((await filled).at(-1)).toMatchObject({ state: 'ready', records: 312 })
    expect((await syncs.get(id, run.id)).state).toBe('succeeded')
    expect((await Array.fromAsync(syncs.list(id, { state: 'succeeded' }))).map((each) => each.id)).toEqual([run.id])
    expect((await syncs.page(id, { limit: 1 })).data).toHaveLength(1)
    expect(await contextStore.schedule(id, { interval_seconds: 120 })).toMatchObject([{ interval_seconds: 120, default: false }])
    const again = await contextStore.reset(id, { entities: ['users'] })
    expect(again).toMatchObject({ state: 'queued', entities: ['users'] })
    expect((await syncs.cancel(id, again.id)).state).toBe('cancelled')
    expect((await Array.fromAsync(syncs.watch(id, again.id))).map(({ state }) => state)).toEqual(['cancelled'])
  })

  test('that does not exist cannot be watched', async () => {
    const watched = Array.fromAsync(ferrule.contextStore.watch(crypto.randomUUID()))
    await expect(watched).rejects.toMatchObject({ code: 'connector_not_found' })
  })
})

describe('definitions', () => {
  test('are listed and read', async () => {
    expect((await ferrule.definitions.list({ name: 'gong' })).map(({ connector_type }) => connector_type)).toEqual(['gong'])
    const { definition, entities } = await ferrule.definitions.get('gong')
    expect([definition.connector_type, entities.length]).toEqual(['gong', 16])
  })
})

describe('tokens', () => {
  test('of one workspace work in a client of their own', async () => {
    const { token } = await ferrule.tokens.create({ workspace_name: 'default' })
    const scoped = new Ferrule({ url: world.url, token })
    expect(await scoped.tokens.info()).toMatchObject({ organization_id: world.organizationId, workspace_name: 'default' })
  })
})

test('health is asked without a token', async () => {
  const { ferrule: asking, sent } = open({ clientSecret: 'wrong' })
  await untilReady(world.platform)
  expect(await asking.health()).toEqual({ status: 'ok' })
  expect(sent).toEqual(['GET /health/ready'])
})

describe('a request to any route', () => {
  test('has the token, a query and a body, and answers with status, headers and JSON', async () => {
    const made = await ferrule.request('POST', '/api/v1/workspaces', { body: { name: 'by request' } })
    expect([made.status, made.headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')])
    expect(await made.json()).toMatchObject({ name: 'by request' })
    const { ferrule: asking, sent } = open()
    const listed = await asking.request('GET', '/api/v1/workspaces?limit=1', { query: { name_contains: 'by request', status: undefined } })
    expect(await listed.json()).toMatchObject({ data: [{ name: 'by request' }] })
    expect(sent).toEqual(['GET /api/v1/workspaces?limit=1&name_contains=by+request'])
  })

  test('answers with text, or as a stream', async () => {
    expect(await (await ferrule.request('GET', '/metrics', { headers: { Accept: 'text/plain' } })).text()).toContain('# HELP')
    const { stream } = await ferrule.request('GET', `${world.url}/openapi.json`)
    expect(JSON.parse(await new Response(stream).text()).openapi).toBe('3.1.0')
  })

  test('fails with the error of the service', async () => {
    await expect(ferrule.request('GET', '/api/v1/nothing')).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })
})

test('the program of the document runs as it stands there', async () => {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
  const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(page.slice(page.indexOf('## The platform'))) ?? []
  // Below node_modules, where `ferrule` resolves to the package of this workspace.
  const folder = makeFolder('platform', onTestFinished, join(root, 'node_modules/.cache'))
  const small = "environment: { sandbox: true }, entities: [{ entity: 'users' }], connector_type: 'gong',"
  writeFileSync(join(folder, 'program.mjs'), code.replace("connector_type: 'gong',", small))
  const env = {
    ...process.env,
    ...{ FERRULE_URL: world.url, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret },
    ...{ GONG_ACCESS_KEY: 'sandbox', GONG_ACCESS_KEY_SECRET: 'sandbox-secret' },
  }
  let isOver = false
  const running = promisify(execFile)(process.execPath, [join(folder, 'program.mjs')], { ...programLimit, env }).finally(() => {
    isOver = true
  })
  running.catch(() => undefined) // awaited below
  while (!isOver) {
    await world.context.sync()
    await yieldToEventLoop()
  }
  const { stdout } = await running
  expect(stdout).toMatch(/^ready 312$/m)
  expect(stdout).toMatch(/^Sales calls active$/m)
})
