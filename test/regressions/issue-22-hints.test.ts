/** Hints of the service name the ids of the request that they answer, and how to search an unfinished copy. */
import { expect, test } from 'vitest'
import { search, startCopyWorld } from '../http/search-support.ts'
import { base, connectorsPath } from '../http/support.ts'
import { share } from '../support/share.ts'

const world = await share(startCopyWorld('embedded'))

test('of a copy that is not there yet', async () => {
  const id = await world.connect('early')
  const { status, json } = await search(world, id, { entity: 'users', params: { query: {} } })
  expect([status, json.code]).toEqual([409, 'context_store_not_ready'])
  expect(json.hint).toContain(`GET ${connectorsPath}/${id}/context_store shows the progress`)
  expect(json.hint).toContain('allow_partial')
})

test('of a run that is not there', async () => {
  const id = await world.connect('runs')
  const { json } = await world.ask(`${connectorsPath}/${id}/syncs/44444444-4444-4444-8444-444444444444`, { token: world.token })
  expect([json.code, json.hint]).toEqual(['sync_not_found', `See GET ${connectorsPath}/${id}/syncs.`])
})

test('of credentials that the vendor refuses, in calls and in checks', async () => {
  const id = await world.connect('refused')
  world.sandbox.faults.add({ kind: 'status', status: 401, path: '/v2/', times: 2 })
  const called = await world.execute(id, { entity: 'users', action: 'list' })
  const replace = `PATCH ${connectorsPath}/${id}, `
  expect([called.json.code, called.json.hint]).toEqual(['upstream_auth_failed', expect.stringContaining(replace)])
  const checked = await world.ask(`${connectorsPath}/${id}/check`, { token: world.token, body: {} })
  expect(checked.json.failure_reason.problem.hint).toContain(replace)
  expect(checked.json.failure_reason.external_message).toContain(replace)
})

test('of an inactive workspace', async () => {
  const id = await world.connect('asleep')
  const { json } = await world.ask(`${connectorsPath}/${id}`, { token: world.token })
  const path = `${base}/workspaces/${json.workspace_id}`
  await world.ask(path, { token: world.token, method: 'PUT', body: { status: 'inactive' } })
  const { json: refused } = await world.execute(id, { entity: 'users', action: 'list' })
  expect([refused.code, refused.hint]).toEqual(['workspace_inactive', `Set its status to active with PUT ${path}.`])
  await world.ask(path, { token: world.token, method: 'PUT', body: { status: 'active' } })
})

test('repeat nothing that is no id', async () => {
  const { json } = await world.ask(`${connectorsPath}/${encodeURIComponent('no id <b>')}/syncs/x`, { token: world.token })
  expect(JSON.stringify(json)).not.toContain('<b>')
})
