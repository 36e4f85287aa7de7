import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { base, connectorsPath, createTenant, type Sent, startWorld, type Tenant, type World } from './support.ts'

let world: World
let owner: Tenant
let stranger: Tenant
let scoped: string
/** Id of an address that the owner plays a download from. */
let mediaId: string
beforeAll(async () => {
  world = await startWorld()
  owner = await createTenant(world, 'Owner')
  stranger = await createTenant(world, 'Stranger')
  const sent = { token: stranger.token, body: { workspace_name: 'elsewhere' } }
  scoped = String((await world.ask(`${base}/account/applications/scoped-token`, sent)).json.token)
  const params = { ...mediaParams, filter: { callIds: [world.sandbox.gong.world.callId] } }
  const media = await world.ask(`${connectorsPath}/${owner.connectorId}/media`, {
    token: owner.token,
    body: { entity: 'call_audio', params },
  })
  mediaId = String(/[\w-]{43}/.exec(media.json.url)?.[0])
})
afterAll(() => world.close())

/** Parameters of a download that the sandbox has. */
const mediaParams = { filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } }

/** Ids of the owner by the name of their slot. */
const idsOf = ({
  organizationId,
  applicationId,
  workspaceId,
  connectorId,
  jobId,
  syncId,
  mcpTokenId,
  linkId,
}: Tenant): Readonly<Record<string, string>> => ({
  organization_id: organizationId,
  application_id: applicationId,
  workspace_id: workspaceId,
  connector_id: connectorId,
  job_id: jobId,
  sync_id: syncId,
  token_id: mcpTokenId,
  link_id: linkId,
  connector_type: 'gong',
  entity: 'users',
})
/** A body that each route takes, so that it comes as far as the id. */
const bodies: Readonly<Record<string, unknown>> = {
  [`PUT ${base}/organizations/{organization_id}`]: { name: 'taken over' },
  [`PUT ${base}/account/applications/{application_id}`]: { name: 'taken over' },
  [`PUT ${base}/workspaces/{workspace_id}`]: { name: 'taken over' },
  [`PUT ${connectorsPath}/{connector_id}`]: { name: 'taken over' },
  [`PATCH ${connectorsPath}/{connector_id}`]: { credentials: { access_key_secret: 'taken over' } },
  [`POST ${connectorsPath}/{connector_id}/check`]: {},
  [`POST ${connectorsPath}/{connector_id}/execute`]: { entity: 'users', action: 'list' },
  [`POST ${connectorsPath}/{connector_id}/request`]: { method: 'GET', path: '/a' },
  [`POST ${connectorsPath}/{connector_id}/validate`]: { entity: 'users', action: 'list' },
  [`POST ${connectorsPath}/{connector_id}/media`]: { entity: 'call_audio', params: mediaParams },
  [`POST ${connectorsPath}/{connector_id}/syncs`]: { mode: 'full' },
  [`PUT ${connectorsPath}/{connector_id}/context_store/schedule`]: { paused: true },
}
/** They take a slug that others may have too: own-kinds.test.ts shows that nobody sees it. */
const makesKinds = new Set(['PUT /api/v1/kinds/{slug}', 'POST /api/v1/kinds/{slug}/check'])
const withIds = routes
  .filter(({ method, path, auth }) => auth !== 'none' && path.includes('{') && !makesKinds.has(`${method} ${path}`))
  .map(({ method, path }) => ({ method, path, operation: `${method} ${path}` }))

/** Everything of an answer that could tell something; both are asked with the same request id. */
async function seen(path: string, sent: Sent) {
  const { status, headers, text } = await world.ask(path, { ...sent, headers: { ...sent.headers, 'x-request-id': 'the-same' } })
  const { date: _date, ...rest } = headers
  return { status, headers: rest, text }
}

test('the table of routes has ids to try', () => {
  expect(withIds.map(({ operation }) => operation)).toEqual(expect.arrayContaining(Object.keys(bodies)))
  expect(withIds).toHaveLength(41)
})

/** Existing clients come by a prefix, or send a header. */
const doors = [
  { door: 'our own form', before: '', headers: {} },
  { door: 'a prefix', before: '/compat', headers: {} },
  { door: 'a marker', before: '', headers: { 'x-adp-agent-sdk': 'airbyte-agent-sdk' } },
] as const

describe.each(doors)('an id of another organization answers what an id that never was answers, by $door', ({ before, headers }) => {
  test.each(withIds)('$operation', async ({ method, path, operation }) => {
    const at = (ids: Readonly<Record<string, string>>) => before + path.replace(/\{(\w+)\}/g, (_whole, name) => ids[name] ?? '')
    const foreign = at({ ...idsOf(owner), media_id: mediaId })
    const never = {
      organizationId: randomUUID(),
      applicationId: randomUUID(),
      workspaceId: randomUUID(),
      connectorId: randomUUID(),
      jobId: randomUUID(),
      syncId: randomUUID(),
      mcpTokenId: randomUUID(),
      linkId: randomUUID(),
    }
    const unknown = at({ ...idsOf({ ...stranger, ...never }), media_id: randomBytes(32).toString('base64url') })
    for (const token of [stranger.token, scoped]) {
      const sent = { method, token, body: bodies[operation], headers }
      const answer = await seen(foreign, sent)
      expect(answer).toEqual(await seen(unknown, sent))
      expect([403, 404]).toContain(answer.status)
      if (token === stranger.token) expect(answer.status).toBe(404)
    }
  })
})

describe('whatever was tried', () => {
  test('nothing of the owner has changed', async () => {
    const connector = await world.ask(`${connectorsPath}/${owner.connectorId}`, { token: owner.token })
    expect([connector.status, connector.json.name, connector.json.status]).toEqual([200, 'Owner connector', 'active'])
    const workspace = await world.ask(`${base}/workspaces/${owner.workspaceId}`, { token: owner.token })
    expect([workspace.status, workspace.json.name]).toEqual([200, 'Owner workspace'])
    const { json: organizations } = await world.ask(`${base}/organizations`, { token: owner.token })
    expect(organizations.data.map(({ name }: { name: string }) => name)).toEqual(['Owner'])
    const { json: applications } = await world.ask(`${base}/account/applications`, { token: owner.token })
    expect(applications.data.map(({ id }: { id: string }) => id)).toContain(owner.applicationId)
    const { json: tokens } = await world.ask(`${base}/account/mcp-tokens`, { token: owner.token })
    expect(tokens.data.map(({ id }: { id: string }) => id)).toEqual([owner.mcpTokenId])
    const { json: links } = await world.ask(`${base}/connect/links`, { token: owner.token })
    expect(links.data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([[owner.linkId, 'open']])
    expect((await world.execute(owner.connectorId, { entity: 'users', action: 'list' }, owner.token)).status).toBe(200)
    const { json: status } = await world.ask(`${connectorsPath}/${owner.connectorId}/context_store`, { token: owner.token })
    expect([status.schedules[0].paused, status.queued.id, status.queued.attempts]).toEqual([false, owner.syncId, 0])
  })

  test('a run of another connector is none of this one', async () => {
    const other = await world.connect('Owner other', {}, owner.token)
    const ask = (id: string) => seen(`${connectorsPath}/${other}/syncs/${id}`, { token: owner.token })
    const answer = await ask(owner.syncId)
    expect([answer.status, answer]).toEqual([404, await ask(randomUUID())])
  })
})

describe('lists', () => {
  test.each([
    `${base}/workspaces`,
    connectorsPath,
    `${base}/overview`,
    `${base}/syncs`,
    `${base}/organizations`,
    `${base}/account/applications`,
    `${base}/account/mcp-tokens`,
    `${base}/connect/links`,
  ])('%s names nothing of others', async (path) => {
    const { text, status } = await world.ask(`${path}?limit=100`.replace(/(organizations|applications).*/, '$1'), {
      token: stranger.token,
    })
    expect(status).toBe(200)
    expect(text).toContain('Stranger')
    expect(text).not.toContain('Owner')
    expect(text).not.toContain(owner.organizationId)
  })

  test('a filter by a foreign workspace finds what an unknown one finds', async () => {
    const ask = (id: string) => seen(`${connectorsPath}?workspace_id=${id}`, { token: stranger.token })
    expect(await ask(owner.workspaceId)).toEqual(await ask(randomUUID()))
  })

  test('a cursor of another organization gives nothing of it', async () => {
    for (const name of ['one', 'two']) await world.connect(`Owner ${name}`, {}, owner.token)
    const page = await world.ask(`${connectorsPath}?limit=1`, { token: owner.token })
    const stolen = await world.ask(page.json.next, { token: stranger.token })
    expect(stolen.text).not.toContain('Owner')
  })
})

describe('the organization header', () => {
  test('does not open another organization', async () => {
    const ask = (id: string) => seen(`${base}/workspaces`, { token: stranger.token, headers: { 'x-organization-id': id } })
    const answer = await ask(owner.organizationId)
    expect([answer.status, answer]).toEqual([403, await ask(randomUUID())])
  })
})
