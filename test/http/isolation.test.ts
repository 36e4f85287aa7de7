import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { share } from '../support/share.ts'
import { base, connectorsPath, createTenant, type Sent, startWorld, type Tenant } from './support.ts'

const slug = 'owners-desk'
const title = 'Desk of them'
const kindFile = `kind: ${slug}
title: ${title}
category: help desk
about: Secret tickets
docs: https://desk.example/docs
api: https://api.desk.example
auth:
  oauth:
    title: Account
    oauth: { page: https://desk.example/agree, token: https://desk.example/token }
    send: { authorization: 'Bearer {access_token}' }
check: tickets.list
entities:
  tickets: { about: Tickets, fields: { id: integer Id }, list: { call: GET /tickets, pages: none }, sync: full }
`

/** Publishes a kind with all that belongs to one: a connector, and an OAuth client at its vendor. */
async function bringKind(token: string) {
  const send = async (method: string, path: string, body: object) => {
    const { status, json, text } = await world.ask(path, { method, token, body })
    if (status !== 200) throw new Error(text)
    return json
  }
  const { id } = await send('PUT', `${base}/kinds/${slug}`, { file: kindFile })
  const named = { workspace_name: 'default', connector_type: slug, name: 'Owner desk' }
  const credentials = { client_id: 'c', client_secret: 's', refresh_token: 'r' }
  const made = await send('POST', connectorsPath, { ...named, credentials, check: false })
  await send('PUT', `${base}/oauth/credentials`, { connector_type: slug, configuration: { client_id: 'c', client_secret: 's' } })
  const { data } = (await world.ask(`${connectorsPath}/${made.id}/syncs`, { token })).json
  return { id: String(id), connectorId: String(made.id), syncId: String(data[0].id) }
}

/** Makes an endpoint at an address where nothing listens, and sends its test. */
async function bringWebhook(token: string) {
  const path = `${base}/webhooks/endpoints`
  const { json } = await world.ask(path, { token, body: { name: 'owners-desk hook', url: 'http://127.0.0.1:1/' } })
  const worker = world.platform.eventWorker()
  await worker.run()
  await worker.stop()
  const { data } = (await world.ask(`${path}/${json.id}/deliveries`, { token })).json
  return { endpoint_id: String(json.id), delivery_id: String(data[0].id) }
}

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
  entity: 'users',
  name: 'warehouse',
})
const nobodys = 'nobody-desk'
/** Ids of the owner's kind and of its connector. @param name of the kind, in any of its forms */
const ownIds = (name: string): Readonly<Record<string, string>> => ({
  ...idsOf({ ...owner, ...ownKind }),
  ...{ slug: name, definition_id: name, connector_type: name, entity: 'tickets' },
})
/** All names that a kind of an organization has, here or within the service. */
const namesOf = (of: string, called: string, id: string): readonly string[] => [of, called, id, `${of}~${id}`, `${of}~${id}~1`]
/** A body that each route takes, so that it comes as far as the id. */
const bodies: Readonly<Record<string, unknown>> = {
  [`PUT ${base}/organizations/{organization_id}`]: { name: 'taken over' },
  [`PUT ${base}/account/applications/{application_id}`]: { name: 'taken over' },
  [`PUT ${base}/workspaces/{workspace_id}`]: { name: 'taken over' },
  [`PUT ${connectorsPath}/{connector_id}`]: { name: 'taken over' },
  [`PATCH ${connectorsPath}/{connector_id}`]: { credentials: { access_key_secret: 'taken over' } },
  [`PATCH ${base}/webhooks/endpoints/{endpoint_id}`]: { name: 'taken over' },
  [`POST ${connectorsPath}/{connector_id}/check`]: {},
  [`POST ${connectorsPath}/{connector_id}/execute`]: { entity: 'users', action: 'list' },
  [`POST ${connectorsPath}/{connector_id}/request`]: { method: 'GET', path: '/a' },
  [`POST ${connectorsPath}/{connector_id}/validate`]: { entity: 'users', action: 'list' },
  [`POST ${connectorsPath}/{connector_id}/media`]: { entity: 'call_audio', params: mediaParams },
  [`POST ${connectorsPath}/{connector_id}/syncs`]: { mode: 'full' },
  [`PUT ${connectorsPath}/{connector_id}/context_store/schedule`]: { paused: true },
  [`PUT ${connectorsPath}/{connector_id}/consumers/{name}`]: { entities: ['users'] },
  [`PUT ${connectorsPath}/{connector_id}/webhooks`]: { secret: 'taken over' },
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

const world = await share(startWorld({ settings: { webhookHosts: ['127.0.0.1'] } }))
const owner = await createTenant(world, 'Owner')
const stranger = await createTenant(world, 'Stranger')
const sent = { token: stranger.token, body: { workspace_name: 'elsewhere' } }
const scoped = String((await world.ask(`${base}/account/applications/scoped-token`, sent)).json.token)
const params = { ...mediaParams, filter: { callIds: [world.sandbox.gong.world.callId] } }
const media = await world.ask(`${connectorsPath}/${owner.connectorId}/media`, {
  token: owner.token,
  body: { entity: 'call_audio', params },
})
/** Id of an address that the owner plays a download from. */
const mediaId = String(/[\w-]{43}/.exec(media.json.url)?.[0])
/** A kind that the owner brought, with a connector of it. */
const ownKind = await bringKind(owner.token)
/** An endpoint of the owner with a delivery. */
const webhook = await bringWebhook(owner.token)

test('the table of routes has ids to try', () => {
  expect(withIds.map(({ operation }) => operation)).toEqual(expect.arrayContaining(Object.keys(bodies)))
  expect(withIds).toHaveLength(58)
})

type Seen = Awaited<ReturnType<typeof seen>>
/** What is the same for both names when each is hidden: some sentences repeat the name that was sent. */
const hideNames =
  (names: readonly string[]) =>
  (answer: Seen): Seen => ({
    ...answer,
    text: names.reduce((text, name) => text.replaceAll(name, 'NAME'), answer.text),
  })

/** Names of the owner's kind, each with one of a kind that never was. */
const listNames = () => {
  const never = namesOf(nobodys, 'Desk of none', randomUUID())
  return namesOf(slug, title, ownKind.id).map((foreign, index) => {
    const other = never[index] ?? ''
    return { foreign, never: other, hide: hideNames([foreign, other]) }
  })
}

/** Ids of the owner for a path, each set with ids that never were. */
function listPairs(path: string) {
  const unknown = idsOf({
    ...stranger,
    organizationId: randomUUID(),
    applicationId: randomUUID(),
    workspaceId: randomUUID(),
    connectorId: randomUUID(),
    jobId: randomUUID(),
    syncId: randomUUID(),
    mcpTokenId: randomUUID(),
    linkId: randomUUID(),
  })
  const media = {
    foreign: { media_id: mediaId, ...webhook },
    never: { media_id: randomBytes(32).toString('base64url'), endpoint_id: randomUUID(), delivery_id: randomUUID() },
  }
  const usual = { foreign: { ...idsOf(owner), ...media.foreign }, never: { ...unknown, ...media.never }, hide: (answer: Seen) => answer }
  const named = listNames().map(({ foreign, never, hide }) => ({
    foreign: ownIds(foreign),
    never: { ...unknown, slug: never, definition_id: never, connector_type: never, entity: 'tickets' },
    hide,
  }))
  if (/\{(slug|definition_id|connector_type)\}/.test(path)) return named
  return path.includes('{connector_id}') ? [usual, ...named.slice(0, 1)] : [usual]
}

/** Existing clients come by a prefix, or send a header. */
const doors = [
  { door: 'our own form', before: '', headers: {} },
  { door: 'a prefix', before: '/compat', headers: {} },
  { door: 'a marker', before: '', headers: { 'x-adp-agent-sdk': 'airbyte-agent-sdk' } },
] as const

describe.each(doors)('an id of another organization answers what an id that never was answers, by $door', ({ before, headers }) => {
  test.each(withIds)('$operation', async ({ method, path, operation }) => {
    const at = (ids: Readonly<Record<string, string>>) =>
      before + path.replace(/\{(\w+)\}/g, (_whole, name) => encodeURIComponent(ids[name] ?? ''))
    for (const { foreign, never, hide } of listPairs(path))
      for (const token of [stranger.token, scoped]) {
        const sent = { method, token, body: bodies[operation], headers }
        const answer = hide(await seen(at(foreign), sent))
        expect(answer).toEqual(hide(await seen(at(never), sent)))
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
    const own = await world.ask(`${connectorsPath}/${ownKind.connectorId}`, { token: owner.token })
    expect([own.status, own.json.name, own.json.connector_type, own.json.kind_version]).toEqual([200, 'Owner desk', slug, 1])
    const kind = await world.ask(`${base}/kinds/${slug}`, { token: owner.token })
    expect([kind.json.id, kind.json.version, kind.json.file]).toEqual([ownKind.id, 1, kindFile])
    const { json: atVendors } = await world.ask(`${base}/oauth/credentials`, { token: owner.token })
    expect(atVendors.data.map(({ connector_type: type }: { connector_type: string }) => type)).toEqual([slug])
    const { json: hooks } = await world.ask(`${base}/webhooks/endpoints`, { token: owner.token })
    expect(hooks.data).toMatchObject([{ id: webhook.endpoint_id, name: 'owners-desk hook', status: 'unverified' }])
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

  test.each([
    `${base}/kinds`,
    `${base}/integrations/definitions/sources`,
    `${base}/skills`,
    `${base}/openapi.json`,
    `${base}/oauth/credentials`,
    `${base}/events`,
    `${base}/webhooks/endpoints`,
  ])('%s has no kind of others', async (path) => {
    const { text, status } = await world.ask(path, { token: stranger.token })
    expect(status).toBe(200)
    for (const word of ['desk', 'Secret tickets', ownKind.id]) expect(text).not.toContain(word)
    expect((await world.ask(path, { token: owner.token })).text).toContain(slug)
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

/** Bodies and queries that name a kind. */
const naming: Readonly<Record<string, (name: string) => readonly [path: string, sent: Sent]>> = {
  'a connector': (name) => [connectorsPath, { body: { ...connectorOf, connector_type: name } }],
  'a connector by the id of its definition': (name) => [connectorsPath, { body: { ...connectorOf, definition_id: name } }],
  'a connector by the id of its template': (name) => [connectorsPath, { body: { ...connectorOf, source_template_id: name } }],
  'a connector that existing clients make': (name) => [
    '/compat/v1/integrations/connectors',
    { body: { ...connectorOf, connector_type: name } },
  ],
  'a check': (name) => [`${connectorsPath}/check`, { body: { ...connectorOf, connector_type: name } }],
  'a filter of connectors': (name) => [`${connectorsPath}?connector_type=${encodeURIComponent(name)}`, {}],
  'a connect link': (name) => [`${base}/connect/links`, { body: { end_user: { id: '1' }, kinds: [name] } }],
  'defaults of a connect link': (name) => [`${base}/connect/links`, { body: { end_user: { id: '1' }, defaults: { [name]: {} } } }],
  'an authorization': (name) => [`${connectorsPath}/oauth/initiate`, { body: { ...consentOf, connector_type: name } }],
  'an OAuth client at a vendor': (name) => [
    `${base}/oauth/credentials`,
    { method: 'PUT', body: { ...applicationOf, connector_type: name } },
  ],
  'an OAuth client by the id of the definition': (name) => [
    `${base}/oauth/credentials`,
    { method: 'PUT', body: { ...applicationOf, connector_definition_id: name } },
  ],
  'a search of kinds': (name) => [`${base}/integrations/definitions/sources?name=${encodeURIComponent(name)}`, {}],
  'a document for agents': (name) => [`${base}/skills/docs?id=${encodeURIComponent(name)}`, {}],
}
const connectorOf = { workspace_name: 'default', name: 'Theirs', credentials: { access_token: 'a' }, check: false }
const consentOf = { workspace_name: 'default', redirect_url: 'https://app.example/back' }
const applicationOf = { configuration: { client_id: 'c', client_secret: 's' } }

describe('a name of a kind of another organization answers what a name that never was answers, in', () => {
  test.each(Object.entries(naming))('%s', async (_what, make) => {
    for (const { foreign, never, hide } of listNames()) {
      const ask = async (name: string, token: string) => {
        const [path, sent] = make(name)
        return hide(await seen(path, { ...sent, token }))
      }
      const answer = await ask(foreign, stranger.token)
      expect(answer).toEqual(await ask(never, stranger.token))
      if (foreign === slug) expect(await ask(foreign, owner.token)).not.toEqual(answer)
    }
  })
})
