import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { share } from '../support/share.ts'
import { base, client, connectorsPath, createTenant, startWorld, tokenPath } from './support.ts'

const path = `${base}/organizations`

const world = await share(startWorld())
const tenant = await createTenant(world, 'Tenant')
const neighbour = await createTenant(world, 'Neighbour')

const remove = (id: string, token = tenant.token) => world.ask(`${path}/${id}`, { method: 'DELETE', token })
const restore = (id: string, token = tenant.token) => world.ask(`${path}/${id}/restore`, { method: 'POST', token })
const list = async (token: string) => (await world.ask(path, { token })).json.data.map(({ id }: { id: string }) => id)
const users = { entity: 'users', action: 'list' }
/** Bodies of routes that look at the body before the connector, by the end of their path. */
const bodies = [
  ['/execute', users],
  ['/validate', users],
  ['/request', { method: 'GET', path: '/a' }],
  ['/media', { entity: 'call_audio', params: { id: '1' } }],
] as const

/** The routes within an organization, with ids and a body that reach it. */
const within = routes
  .filter(({ auth }) => auth === 'principal')
  .map(({ method, path: template }) => [`${method} ${template}`, method, template] as const)

test('every route within it refuses its tokens, and answers them again after a restore', async () => {
  const { token: scoped } = (
    await world.ask(`${base}/account/applications/scoped-token`, { token: tenant.token, body: { workspace_name: 'default' } })
  ).json
  expect((await world.execute(tenant.connectorId, users, tenant.token)).status).toBe(200)
  const removal = await remove(tenant.organizationId)
  expect([removal.status, removal.json]).toEqual([200, { id: tenant.organizationId, deleted_at: expect.any(String) }])

  const ids: Readonly<Record<string, string>> = { connector_id: tenant.connectorId, workspace_id: tenant.workspaceId }
  const answers: Record<string, unknown> = {}
  for (const [name, method, template] of within)
    for (const token of [tenant.token, scoped]) {
      const at = template.replace(/\{(\w+)\}/g, (_whole, slot) => ids[slot] ?? tenant.organizationId)
      const body = bodies.find(([end]) => name.endsWith(end))?.[1] ?? {}
      const { status, json } = await world.ask(at, { method, token, ...(method === 'GET' || method === 'DELETE' ? {} : { body }) })
      if (status !== 403 || json.code !== 'organization_forbidden') answers[name] = json
    }
  expect(answers).toEqual({})
  const named = { body: { client_id: client.id, client_secret: client.secret }, headers: { 'x-organization-id': tenant.organizationId } }
  expect((await world.ask(tokenPath, named)).json.code).toBe('organization_forbidden')
  expect(await list(tenant.token)).toEqual([])
  expect((await remove(tenant.organizationId)).json).toEqual(removal.json)
  expect((await world.execute(neighbour.connectorId, users, neighbour.token)).status).toBe(200)

  const restored = await restore(tenant.organizationId)
  expect([restored.status, restored.json]).toEqual([
    200,
    { id: tenant.organizationId, name: 'Tenant', role: 'admin', created_at: expect.any(String) },
  ])
  expect((await world.execute(tenant.connectorId, users, tenant.token)).status).toBe(200)
  expect((await world.ask(`${connectorsPath}/${tenant.connectorId}`, { token: scoped })).status).toBe(200)
})

test('a client of the organization deletes it with the scope organizations:write only, and no other one', async () => {
  const { json: application } = await world.ask(`${base}/account/applications`, { token: tenant.token, body: { name: 'Reader' } })
  const { client_id, client_secret } = application
  const tokenOf = async (scope: string) => (await world.ask(tokenPath, { body: { client_id, client_secret, scope } })).json.access_token
  expect((await remove(tenant.organizationId, await tokenOf('organizations:read workspaces:write'))).json.code).toBe('insufficient_scope')
  const writer = await tokenOf('organizations:write')
  for (const id of [neighbour.organizationId, randomUUID(), 'no-id'])
    for (const act of [remove, restore]) expect((await act(id, writer)).json.code).toBe('organization_not_found')
  expect((await restore(tenant.organizationId, writer)).json.code).toBe('organization_not_found') // it is not deleted
  expect((await remove(tenant.organizationId, writer)).status).toBe(200)
  expect((await restore(tenant.organizationId, neighbour.token)).json.code).toBe('organization_not_found')
  expect((await restore(tenant.organizationId, writer)).status).toBe(200)
})

test('the only organization of the first application stays, and the error says why', async () => {
  const { access_token: token } = (await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })).json
  const others = (await list(token)).filter((id: string) => id !== world.organizationId)
  for (const id of others) expect((await remove(id, token)).status).toBe(200)
  const refused = await remove(world.organizationId, token)
  expect([refused.status, refused.json]).toEqual([
    422,
    expect.objectContaining({
      code: 'validation_failed',
      message: expect.stringContaining('the only organization of the first application of the service'),
      hint: expect.stringContaining('Create another organization'),
    }),
  ])
  for (const id of others) expect((await restore(id, token)).status).toBe(200)
  expect((await remove(world.organizationId, token)).status).toBe(200)
  expect((await restore(world.organizationId, token)).status).toBe(200)
})
