/** What the console asks the service for, beside what other clients ask. */
import { describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { sandboxWarehouse } from './snowflake-support.ts'
import { base, client, connectorsPath, createTenant, startWorld } from './support.ts'

const world = await share(startWorld())
const connector = await world.connect('Console')

const ask = (path: string) => world.ask(`${base}${path}`, { token: world.token })

describe('calls over time', () => {
  test('are those of clients, with the codes of their errors', async () => {
    await world.execute(connector, { entity: 'users', action: 'list' })
    await world.execute(connector, { entity: 'users', action: 'fetch' })
    await world.execute(connector, { entity: 'users', action: 'context_store_search', params: { query: {} } })
    world.clock.now += 1
    const { status, json } = await ask(`/usage?connector_id=${connector}&step=5m`)
    expect(status).toBe(200)
    expect(json.total).toMatchObject({ calls: 3, failed: 2, aborted: 0, latency: { p50_ms: expect.any(Number) } })
    expect(json.total.errors.map(({ code, fault }: Record<string, unknown>) => [code, fault])).toEqual([
      ['action_not_supported', 'caller'],
      ['context_store_unavailable', 'service'],
    ])
    expect((await ask('/usage')).json.total.calls).toBe(3)
  })

  test('are refused for a range that ends before it begins', async () => {
    const { status, json } = await ask('/usage?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z')
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', '/from'])
  })
})

describe('a kind', () => {
  const sources = '/integrations/definitions/sources'

  test.each([sources, `${sources}/gong`, `${sources}/gong/reference`])('%s is sent once while it does not change', async (path) => {
    const first = await ask(path)
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'private, no-cache'])
    const headers = { 'if-none-match': String(first.headers.etag) }
    const again = await world.ask(`${base}${path}`, { token: world.token, headers })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag])
    const stranger = await world.ask(`${base}${path}`, { headers })
    expect(stranger.status).toBe(401)
  })

  test('has a reference with the texts and examples of the documents, and the operators of each searchable field', async () => {
    const { json } = await ask(`${sources}/Gong/reference`)
    expect([json.id, json.title, json.sections[0].id]).toEqual(['gong', 'Gong', 'overview'])
    const users = json.sections.find(({ id }: { id: string }) => id === 'entity:users')
    expect(users.blocks[0]).toEqual({ type: 'paragraph', text: 'Users of the company.' })
    expect(json.examples).toContainEqual({ entity: 'users', action: 'get', params: { id: '<id>' } })
    expect(json.examples.at(-1).action).toBe('context_store_search')
    const { fields } = json.searches.find(({ entity }: { entity: string }) => entity === 'users')
    const field = (name: string) => fields.find((each: { field: string }) => each.field === name)
    expect(field('created')).toMatchObject({ type: 'text', compares: 'instant' })
    expect(field('active').operators).toEqual(['eq', 'neq', 'in'])
    expect(field('emailAliases').operators).toContain('contains')
    expect(field('id').operators).not.toContain('contains')
  })
})

describe('the installation', () => {
  test('is shown to the application of the first start, without secrets', async () => {
    const { status, json, text } = await ask('/node')
    expect(status).toBe(200)
    expect(json).toMatchObject({ node_version: process.version, role: 'all', state: { engine: 'sqlite' }, context_store: null, nodes: [] })
    expect(json.state.size_bytes).toBeGreaterThan(10_000)
    const setting = (name: string) => json.settings.find((each: { name: string }) => each.name === name)
    expect(setting('FERRULE_OPERATOR_CLIENT_SECRET')).toMatchObject({ secret: true, origin: 'given', value: null })
    expect(setting('DATABASE_URL')).toMatchObject({ secret: true, origin: 'none', value: null })
    expect(setting('FERRULE_PORT')).toMatchObject({ secret: false, origin: 'given', value: '0' })
    expect(setting('FERRULE_HOST')).toMatchObject({ origin: 'default', value: '127.0.0.1' })
    expect(text).not.toContain(client.secret)
    expect((await ask('/service')).json).toMatchObject({ version: json.version, sandbox: true, operator: true })
  })

  test('is hidden from every other application, and from limited tokens', async () => {
    const tenant = await createTenant(world, 'Tenant')
    const sent = { token: world.token, body: { workspace_name: 'default' } }
    const { json: scoped } = await world.ask(`${base}/account/applications/scoped-token`, sent)
    for (const token of [tenant.token, String(scoped.token)]) {
      const { status, json } = await world.ask(`${base}/node`, { token })
      expect([status, json.code, json.hint]).toEqual([403, 'operator_required', expect.stringContaining('Sign in with that application')])
      expect((await world.ask(`${base}/service`, { token })).json.operator).toBe(false)
    }
  })
})

describe('a call that is only checked', () => {
  const validate = async (id: string, body: object) => {
    const answer = await world.ask(`${connectorsPath}/${id}/validate`, { token: world.token, body })
    expect(answer.status).toBe(200)
    return answer.json.problem
  }
  const requests = () => world.sandbox.gong.requests().length

  test('never reaches the vendor, and says what execute says', async () => {
    const before = requests()
    expect(await validate(connector, { entity: 'users', action: 'get', params: { id: '1' } })).toBeNull()
    for (const call of [
      { entity: 'users', action: 'get' },
      { entity: 'users', action: 'fetch' },
      { entity: 'nobody', action: 'list' },
    ]) {
      const { request_id: _id, instance: _instance, ...said } = (await world.execute(connector, call)).json
      expect(await validate(connector, call)).toEqual(said)
    }
    expect(requests()).toBe(before)
  })

  test('shows where the gate of a warehouse refuses a statement', async () => {
    const warehouse = await world.connect('Warehouse', sandboxWarehouse('Warehouse', { check: false }))
    const problem = await validate(warehouse, {
      entity: 'record',
      action: 'list',
      params: { statement: 'select 1\n  from (\n  delete from t)' },
    })
    expect(problem).toMatchObject({ code: 'statement_not_allowed', errors: [{ field: '/params/statement', line: 3, column: 3 }] })
  })

  test('shows where the filter of a search is wrong, without a copy', async () => {
    const search = (filter: object) => ({ entity: 'users', action: 'context_store_search', params: { query: { filter } } })
    expect(await validate(connector, search({ eq: { active: true } }))).toBeNull()
    expect(await validate(connector, search({ gt: { active: true } }))).toMatchObject({
      code: 'operator_not_supported',
      errors: [{ field: '/params/query/filter/gt/active' }],
    })
    expect(await validate(connector, { entity: 'workspaces', action: 'context_store_search' })).toMatchObject({
      code: 'action_not_supported',
    })
  })
})
