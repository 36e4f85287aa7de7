import { beforeAll, describe, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { expectDocumented, expectOperation } from './contract.ts'
import { base, client, connectorsPath, type Sent, sandboxConnector, startWorld } from './support.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const world = await share(startWorld())

/** Asks with the token and holds the answer against the document. */
async function ask(operation: string, sent: Sent & { readonly slots?: Readonly<Record<string, string>>; readonly query?: string } = {}) {
  const [method = '', path = ''] = operation.split(' ')
  const { slots = {}, query = '', ...rest } = sent
  const answer = await world.ask(path.replace(/\{(\w+)\}/g, (_whole, name) => slots[name] ?? '') + query, {
    method,
    token: world.token,
    ...rest,
  })
  expectDocumented(operation, answer)
  return answer
}

describe('workspaces', () => {
  const path = `${base}/workspaces`
  test('are made, read, changed, removed and restored', async () => {
    const made = await ask(`POST ${path}`, { body: { name: 'Sales' } })
    expect([made.status, made.json.name, made.json.status]).toEqual([200, 'Sales', 'active'])
    const slots = { workspace_id: made.json.id }
    expect((await ask(`GET ${path}/{workspace_id}`, { slots })).json).toEqual(made.json)
    const changed = await ask(`PUT ${path}/{workspace_id}`, { slots, body: { name: 'Revenue', status: 'inactive' } })
    expect([changed.json.name, changed.json.status]).toEqual(['Revenue', 'inactive'])
    expect((await ask(`GET ${path}/stats`)).json).toMatchObject({ inactive_count: 1 })
    const removed = await ask(`DELETE ${path}/{workspace_id}`, { slots })
    expect(removed.json).toEqual({ id: made.json.id, deleted_at: expect.any(String) })
    expect((await ask(`GET ${path}/{workspace_id}`, { slots })).json.code).toBe('workspace_not_found')
    expect((await ask(`POST ${path}/{workspace_id}/restore`, { slots })).json.name).toBe('Revenue')
  })

  test('are listed page by page along next', async () => {
    for (const name of ['List a', 'List b', 'List c']) await ask(`POST ${path}`, { body: { name } })
    const names: string[] = []
    for (let next: string | null = `${path}?name_contains=list&limit=2`; next !== null; ) {
      const page = await world.ask(next, { token: world.token })
      expectDocumented(`GET ${path}`, page)
      names.push(...page.json.data.map((each: { name: string }) => each.name))
      next = page.json.next
      if (next !== null) expect(next).toMatch(/^\/api\/v1\/workspaces\?name_contains=list&limit=2&cursor=/)
    }
    expect(names.toSorted()).toEqual(['List a', 'List b', 'List c'])
  })
})

describe('definitions', () => {
  const path = `${base}/integrations/definitions/sources`
  test('are listed and read', async () => {
    const list = await ask(`GET ${path}`, { query: '?name=GON' })
    expect(list.json.definitions.map((each: { name: string }) => each.name)).toEqual(['Gong'])
    expect((await ask(`GET ${path}`, { query: '?name=nothing' })).json.definitions).toEqual([])
    const slots = { definition_id: list.json.definitions[0].sourceDefinitionId }
    const one = await ask(`GET ${path}/{definition_id}`, { slots })
    expect(one.json.entities.map((each: { entity: string }) => each.entity)).toContain('call_audio')
    const [{ schema }] = one.json.credentials
    expect(schema.properties.access_key['x-find']).toMatchObject({ menu: 'Admin center > Settings > Ecosystem > API' })
    expect(one.json.configuration.properties.private_calls['x-find']).toEqual({ says: expect.stringContaining('Gong asks integrations') })
    expect((await ask(`GET ${path}/{definition_id}`, { slots: { definition_id: 'nothing' } })).json.code).toBe('connector_type_not_found')
  })
})

describe('connectors', () => {
  test('are made, read, changed, checked, removed', async () => {
    const made = await ask(`POST ${connectorsPath}`, { body: sandboxConnector('one') })
    expect([made.status, made.json.id]).toEqual([200, expect.stringMatching(uuid)])
    expect(made.text).not.toContain('sandbox-secret')
    expect(made.text.startsWith(`{"id":"${made.json.id}"`)).toBe(true) // the example of the start cuts it from there
    const slots = { connector_id: made.json.id }
    expect((await ask(`GET ${connectorsPath}/{connector_id}`, { slots })).json).toEqual(made.json)
    const listed = await ask(`GET ${connectorsPath}`, { query: '?workspace_name=default' })
    expect(listed.json.data).toMatchObject([{ id: made.json.id, summarized_source_template: { name: 'Gong', connector_name: 'gong' } }])
    const put = await ask(`PUT ${connectorsPath}/{connector_id}`, {
      slots,
      body: { name: 'two', replication_config: { private_calls: 'include' } },
    })
    expect([put.json.name, put.json.replication_config]).toEqual(['two', { private_calls: 'include' }])
    const patched = await ask(`PATCH ${connectorsPath}/{connector_id}`, { slots, body: { replication_config: { private_calls: null } } })
    expect(patched.json.replication_config).toEqual({})
    const removed = await ask(`DELETE ${connectorsPath}/{connector_id}`, { slots, headers: { 'content-type': 'application/json' } })
    expect([removed.status, removed.json]).toEqual([202, { job_id: expect.stringMatching(uuid) }])
    expect((await ask(`GET ${base}/jobs/{job_id}`, { slots: removed.json })).json).toMatchObject({
      status: 'succeeded',
      connector_id: made.json.id,
    })
    expect((await ask(`GET ${connectorsPath}/{connector_id}`, { slots })).json.code).toBe('connector_not_found')
  })

  test('are checked before they are made', async () => {
    const good = await ask(`POST ${connectorsPath}/check`, { body: sandboxConnector('not stored') })
    expect(good.json).toEqual({
      id: expect.stringMatching(uuid),
      status: 'succeeded',
      entity_check_results: [{ entity: 'users', status: 'succeeded' }],
    })
    const credentials = { access_key: 'sandbox', access_key_secret: 'wrong-secret' }
    const bad = await ask(`POST ${connectorsPath}/check`, { body: { ...sandboxConnector('not stored'), credentials } })
    expect(bad.status).toBe(200)
    expect(bad.json).toMatchObject({
      status: 'failed',
      failure_reason: {
        failure_origin: 'source',
        failure_type: 'config_error',
        internal_message: 'upstream_auth_failed',
        retryable: false,
      },
      entity_check_results: [{ entity: 'users', status: 'failed', status_code: 401 }],
    })
    expect(bad.text).not.toContain('wrong-secret')
    const list = await ask(`GET ${connectorsPath}`)
    expect(list.text).not.toContain('not stored')
  })

  test('are checked as they are stored, and with changes that are not stored', async () => {
    const slots = { connector_id: await world.connect('checked') }
    const check = `POST ${connectorsPath}/{connector_id}/check`
    expect((await ask(check, { slots })).json.status).toBe('succeeded')
    expect((await ask(check, { slots, body: {} })).json.status).toBe('succeeded')
    expect((await ask(check, { slots, headers: { 'content-type': 'application/json' } })).json.status).toBe('succeeded')
    expect((await ask(check, { slots, body: { replication_config: { private_calls: 'include' } } })).json.status).toBe('succeeded')
    const credentials = { access_key: 'sandbox', access_key_secret: 'wrong-secret' }
    expect((await ask(check, { slots, body: { credentials } })).json.status).toBe('failed')
    expect((await ask(`GET ${connectorsPath}/{connector_id}`, { slots })).json).toMatchObject({ status: 'active', replication_config: {} })
    expect((await ask(check, { slots, body: { credential: {} } })).json.errors[0].field).toBe('/credential')
    expect((await ask(check, { slots, body: { replication_config: { private_calls: null } } })).json.status).toBe('succeeded')
    const body = { client_id: client.id, client_secret: client.secret, scope: 'connectors:read' }
    const { access_token: token } = (await world.ask(`${base}/account/applications/token`, { body })).json
    expect((await ask(check, { slots, token })).json.status).toBe('succeeded')
    for (const change of [{ credentials }, { replication_config: {} }])
      expect((await ask(check, { slots, token, body: change })).json.code).toBe('insufficient_scope')
  })

  test('know that their credentials were refused, until they work again', async () => {
    const credentials = { access_key: 'sandbox', access_key_secret: 'wrong-secret' }
    const slots = { connector_id: await world.connect('refused', { credentials }) }
    const read = () => ask(`GET ${connectorsPath}/{connector_id}`, { slots })
    expect((await read()).json.status).toBe('active')
    const refused = await world.execute(slots.connector_id, { entity: 'users', action: 'list' })
    expect([refused.status, refused.json.code, refused.json.fault]).toEqual([424, 'upstream_auth_failed', 'credentials'])
    expect((await read()).json).toMatchObject({ status: 'auth_error', status_reason: expect.stringContaining('PATCH') })
    await ask(`PATCH ${connectorsPath}/{connector_id}`, { slots, body: { credentials: { access_key_secret: 'sandbox-secret' } } })
    expect((await world.execute(slots.connector_id, { entity: 'users', action: 'list' })).status).toBe(200)
    expect((await read()).json).toMatchObject({ status: 'active', status_reason: null })
  })
})

describe('execute', () => {
  const path = `${connectorsPath}/{connector_id}/execute`
  let slots: { connector_id: string }
  beforeAll(async () => {
    slots = { connector_id: await world.connect('executing') }
  })

  test('lists records and pages with next_params', async () => {
    const first = await ask(`POST ${path}`, { slots, body: { entity: 'calls', action: 'list' } })
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(first.json.meta).toMatchObject({
      cursor: expect.any(String),
      total_records: expect.any(Number),
      next_params: { cursor: expect.any(String) },
    })
    const second = await ask(`POST ${path}`, { slots, body: { entity: 'calls', action: 'list', params: first.json.meta.next_params } })
    expect(second.json.data[0].id).not.toBe(first.json.data[0].id)
  })

  test('answers what the document says of the operation', async () => {
    for (const [entity, params] of [
      ['users', {}],
      ['workspaces', {}],
      ['settings_trackers', {}],
    ] as const) {
      const answer = await ask(`POST ${path}`, { slots, body: { entity, action: 'list', params } })
      expectOperation(`gong.${entity}.list`, answer)
    }
  })

  test('gets one record', async () => {
    const id = world.sandbox.gong.world.callId
    const answer = await ask(`POST ${path}`, { slots, body: { entity: 'calls', action: 'get', params: { id } } })
    expect(answer.json).toMatchObject({ data: { id }, meta: {} })
  })

  test('takes null and absent params, and a limit that the list lacks', async () => {
    for (const params of [null, {}, { limit: 1 }]) {
      const answer = await ask(`POST ${path}`, { slots, body: { entity: 'workspaces', action: 'list', params } })
      expect([answer.status, answer.json.meta]).toEqual([200, { next_params: null }])
    }
  })

  test('returns the wanted fields only', async () => {
    const body = { entity: 'users', action: 'list', select_fields: ['id', 'settings.emailsImported', 'nothing'] }
    const selected = await ask(`POST ${path}`, { slots, body })
    expect(Object.keys(selected.json.data[0])).toEqual(['id', 'settings'])
    expect(Object.keys(selected.json.data[0].settings)).toEqual(['emailsImported'])
    const excluded = await ask(`POST ${path}`, {
      slots,
      body: { entity: 'users', action: 'list', exclude_fields: ['settings', 'emailAliases'] },
    })
    expect(excluded.json.data[0]).not.toHaveProperty('settings')
    expect(excluded.json.data[0]).toHaveProperty('emailAddress')
  })

  test('names the texts that it cut on request', async () => {
    const body = { entity: 'users', action: 'list', skip_truncation: false }
    expect((await ask(`POST ${path}`, { slots, body })).json.truncated_fields).toEqual([])
    expect((await ask(`POST ${path}`, { slots, body: { ...body, skip_truncation: true } })).json).not.toHaveProperty('truncated_fields')
  })

  test('keeps every digit of large integers that are sent', async () => {
    const body = '{"entity":"calls","action":"get","params":{"id":12345678901234567890}}'
    const answer = await ask(`POST ${path}`, { slots, body })
    expect([answer.status, answer.json.code, answer.json.errors[0].field]).toEqual([422, 'invalid_parameter', '/params/id'])
  })

  test('passes a refusal of the vendor on', async () => {
    world.sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 120, on: 'api' })
    const answer = await ask(`POST ${path}`, { slots, body: { entity: 'users', action: 'list' } })
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([429, 'upstream_rate_limited', '120'])
    expect(answer.json).toMatchObject({ fault: 'vendor', retryable: true, retry_after_seconds: 120, upstream: { status: 429 } })
  })

  test('has no search yet', async () => {
    const params = { query: {} }
    const answer = await ask(`POST ${path}`, { slots, body: { entity: 'calls', action: 'context_store_search', params } })
    expect([answer.status, answer.json.code]).toEqual([503, 'context_store_unavailable'])
    const none = await ask(`POST ${path}`, { slots, body: { entity: 'coaching', action: 'context_store_search', params } })
    expect([none.status, none.json.code]).toEqual([422, 'action_not_supported'])
  })
})

describe('the service itself', () => {
  test('tells that it lives and is ready', async () => {
    expect((await ask('GET /health/live', { token: undefined })).json).toEqual({ status: 'ok' })
    expect((await ask('GET /health/ready', { token: undefined })).json).toEqual({ status: 'ok' })
  })

  test('counts without naming tenants', async () => {
    const { text } = await ask('GET /metrics', { token: undefined })
    expect(text).toMatch(/ferrule_executes_total\{kind="gong",entity="users",action="list",code="ok"\} \d+/)
    expect(text).toMatch(
      /ferrule_http_request_duration_seconds_count\{route="\/api\/v1\/integrations\/connectors\/\{connector_id\}\/execute",method="POST",status="200"\} \d+/,
    )
    expect(text).toMatch(/ferrule_vendor_requests_total\{status="200"\} \d+/)
    expect(text).toMatch(/process_resident_memory_bytes \d+/)
    expect(text).not.toContain(world.organizationId)
  })

  test('has a document, whose tag saves sending it again', async () => {
    const answer = await world.ask('/openapi.json')
    expect(answer.json.openapi).toBe('3.1.0')
    const again = await world.ask('/openapi.json', { headers: { 'if-none-match': String(answer.headers.etag) } })
    expect([again.status, again.text]).toEqual([304, ''])
    expect([again.headers.etag, again.headers['cache-control']]).toEqual([answer.headers.etag, answer.headers['cache-control']])
  })

  test('shows people the console and programs the links', async () => {
    const page = await world.ask('/', { headers: { accept: 'text/html,application/xhtml+xml' } })
    expect([page.status, page.headers.location]).toEqual([302, 'console'])
    expect((await world.ask('/')).json).toMatchObject({ name: 'Ferrule', openapi: '/openapi.json' })
  })
})
