import { beforeEach, describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { base, client, createTenant, type Json, type Sent, startWorld, type Tenant, tokenPath } from './support.ts'

const path = `${base}/account/applications`

let tenant: Tenant
let number = 0
const world = await share(startWorld())
beforeEach(async () => {
  number += 1
  tenant = await createTenant(world, `tenant ${number}`)
})

const ask = (operation: string, sent: Sent = {}) => {
  const [method = '', rest = ''] = operation.split(' ')
  return world.ask(`${path}${rest}`, { token: tenant.token, method, ...sent })
}
const create = async (name: string): Promise<Json> => (await ask('POST ', { body: { name } })).json
const issue = ({ client_id, client_secret }: Json, more: object = {}) =>
  world.ask(tokenPath, { body: { client_id, client_secret, ...more } })
const tokenOf = async (application: Json, more: object = {}): Promise<string> => String((await issue(application, more)).json.access_token)

/** Applications of the tenant by name, as one of them sees them. */
async function names(token = tenant.token): Promise<Record<string, boolean>> {
  const { json } = await ask('GET ', { token })
  return Object.fromEntries(json.data.map(({ name, is_caller }: Json) => [name, is_caller]))
}

describe('an application of the organization', () => {
  test('is created with a secret that is shown once, and reaches that organization', async () => {
    const made = await create('Reports')
    expect(made).toMatchObject({ name: 'Reports', is_caller: false, client_secret: expect.stringMatching(/^[\w-]{43}$/) })
    const issued = await issue(made)
    expect([issued.status, issued.json.organization_id]).toEqual([200, tenant.organizationId])
    const listed = await ask('GET ', { token: issued.json.access_token })
    expect(listed.text).not.toContain('secret')
    expect(await names(issued.json.access_token)).toEqual({ 'First application': false, [`tenant ${number}`]: false, Reports: true })
    expect(world.log.join('')).not.toContain(made.client_secret)
  })

  test('gets another name, and keeps its client id and its secret', async () => {
    const made = await create('Working title')
    const { client_secret: _secret, ...shown } = made
    expect((await ask(`PUT /${made.id}`, { body: { name: 'Final title' } })).json).toEqual({ ...shown, name: 'Final title' })
    expect((await ask('GET ')).json.data).toContainEqual({ ...shown, name: 'Final title' })
    expect((await issue(made)).status).toBe(200)
    expect((await ask(`PUT /${made.id}`, { body: { name: ' ' } })).json.code).toBe('validation_failed')
  })

  test('gets another secret, and the old one fails', async () => {
    const made = await create('Rotated')
    const { json: rotated } = await ask(`POST /${made.id}/rotate-secret`)
    expect(rotated).toEqual({ ...made, client_secret: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await issue(made)).json.code).toBe('invalid_client')
    const own = await ask(`POST /${made.id}/rotate-secret`, { token: await tokenOf(rotated) })
    expect([own.status, own.json.is_caller, (await issue(own.json)).status]).toEqual([200, true, 200])
  })

  test('is deleted, and gets no tokens any more', async () => {
    const made = await create('Doomed')
    const token = await tokenOf(made)
    expect((await ask(`DELETE /${made.id}`)).json).toEqual({ id: made.id, deleted_at: expect.any(String) })
    expect((await issue(made)).json.code).toBe('invalid_client')
    expect(await names()).toEqual({ 'First application': false, [`tenant ${number}`]: true })
    expect((await ask(`DELETE /${made.id}`)).json.code).toBe('application_not_found')
    // Its token lives for minutes, but manages nothing any more.
    for (const operation of ['GET ', 'POST ', `DELETE /${tenant.applicationId}`, `POST /${tenant.applicationId}/rotate-secret`]) {
      const answer = await ask(operation, { token, ...(operation === 'POST ' ? { body: { name: 'Revenant' } } : {}) })
      expect([operation, answer.status, answer.json.code]).toEqual([operation, 403, 'organization_forbidden'])
    }
  })
})

describe('what would harm others is refused', () => {
  const firstOf = async (): Promise<string> => (await ask('GET ')).json.data.find((each: Json) => each.client_id === client.id).id

  test('an application does not delete itself', async () => {
    const { status, json } = await ask(`DELETE /${tenant.applicationId}`)
    expect([status, json.code, json.message]).toEqual([422, 'validation_failed', expect.stringContaining('cannot delete itself')])
  })

  test('of two that delete each other one stays', async () => {
    const made = await create('Rival')
    const rival = await tokenOf(made)
    const answers = await Promise.all([ask(`DELETE /${made.id}`), ask(`DELETE /${tenant.applicationId}`, { token: rival })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
  })

  test('an application of several organizations keeps its secret: it opens them all', async () => {
    await world.platform.applications.grant((await create('Shared')).client_id, world.organizationId)
    const shared = (await ask('GET ')).json.data.find(({ name }: Json) => name === 'Shared')
    for (const operation of [`DELETE /${shared.id}`, `POST /${shared.id}/rotate-secret`, `PUT /${shared.id}`]) {
      const { status, json } = await ask(operation, operation.startsWith('PUT') ? { body: { name: 'Mine' } } : {})
      expect([status, json.message]).toEqual([422, expect.stringContaining('reaches other organizations too')])
    }
    expect(Object.keys(await names())).toContain('Shared')
  })

  test('the first application stays', async () => {
    const first = await firstOf()
    expect((await ask(`DELETE /${first}`)).json.message).toContain('the first application cannot be deleted')
    expect((await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })).status).toBe(200)
  })

  test.each(['organizations:write', 'applications:read'])('a token with %s only creates no application', async (scope) => {
    const token = await tokenOf(await create('Narrow'), { scope })
    const answer = await ask('POST ', { token, body: { name: 'Wide' } })
    expect([answer.status, answer.json.code]).toEqual([403, 'insufficient_scope'])
  })

  test('an organization has at most 100 applications', async () => {
    const statuses: number[] = []
    while (statuses.length < 110 && !statuses.includes(422)) statuses.push((await ask('POST ', { body: { name: 'One more' } })).status)
    // The tenant's own and the first application count too.
    expect([statuses.length, statuses.at(-1)]).toEqual([99, 422])
  })

  test.each([{}, { name: '' }, { name: 'n', client_id: 'chosen' }])('the body %o', async (body) => {
    expect((await ask('POST ', { body })).json.code).toBe('validation_failed')
  })
})

describe('an organization', () => {
  const rename = (id: string, body: unknown, sent: Sent = {}) =>
    world.ask(`${base}/organizations/${id}`, { method: 'PUT', token: tenant.token, body, ...sent })

  test('is renamed', async () => {
    const { json } = await rename(tenant.organizationId, { name: 'Renamed' })
    expect(json).toMatchObject({ id: tenant.organizationId, name: 'Renamed', role: 'admin' })
    expect((await world.ask(`${base}/organizations`, { token: tenant.token })).json.data).toEqual([json])
  })

  test('is renamed by a client of several when it names the organization', async () => {
    const named = { token: world.token, headers: { 'x-organization-id': tenant.organizationId } }
    const token = String((await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })).json.access_token)
    expect((await rename(tenant.organizationId, { name: 'By the first' }, { ...named, token })).json.name).toBe('By the first')
    const unnamed = await rename(tenant.organizationId, { name: 'Unnamed' }, { token })
    expect([unnamed.status, unnamed.json.code]).toEqual([404, 'organization_not_found'])
  })

  test('is not renamed to nothing, nor with a token of one workspace', async () => {
    expect((await rename(tenant.organizationId, { name: '' })).json.errors[0].field).toBe('/name')
    const { json } = await world.ask(`${path}/scoped-token`, { token: tenant.token, body: { workspace_name: 'default' } })
    expect((await rename(tenant.organizationId, { name: 'Mine' }, { token: json.token })).json.code).toBe('insufficient_scope')
  })
})
