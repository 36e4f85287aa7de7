import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { startCopyWorld } from './search-support.ts'
import { connectorsPath, type Json, sandboxConnector, sandboxStore, startWorld } from './support.ts'

const world = await share(startCopyWorld('postgres'))

const create = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await world.ask(connectorsPath, { token: world.token, body, headers })
  expectDocumented(`POST ${connectorsPath}`, answer)
  return answer
}
const names = async (): Promise<string[]> =>
  (await world.ask(`${connectorsPath}?limit=100`, { token: world.token })).json.data.map(({ name }: Json) => name)
const tried = (name: string, more: object = {}) => ({
  ...sandboxConnector(name),
  entities: [{ entity: 'users' }],
  ...more,
})

test('credentials are tried at the vendor, and those that it refuses are stored nowhere', async () => {
  const wrong = tried('refused', { credentials: { access_key: 'sandbox', access_key_secret: 'wrong' } })
  const refused = await create(wrong)
  expect([refused.status, refused.json.code]).toEqual([422, 'upstream_auth_failed'])
  expect(refused.json.hint).toContain('check: false')
  expect(refused.text).not.toContain('"wrong"')
  expect(await names()).not.toContain('refused')
  const right = await create(tried('taken'))
  expect(right.status).toBe(200)
  const patched = await world.ask(`${connectorsPath}/${right.json.id}`, {
    method: 'PATCH',
    token: world.token,
    body: { credentials: { access_key_secret: 'wrong' } },
  })
  expect([patched.status, patched.json.code]).toEqual([422, 'upstream_auth_failed'])
  expect((await world.execute(right.json.id, { entity: 'users', action: 'list' })).status).toBe(200)
})

test('a wrong store is refused with the value to check and where people find it', async () => {
  const wrong = await create({ ...sandboxStore('elsewhere'), replication_config: { shop: 'another-store' } })
  expect([wrong.status, wrong.json.code]).toEqual([422, 'record_not_found'])
  expect(wrong.json.hint).toMatch(/^Check the value of shop\. .*admin\.shopify\.com.* Nothing was stored/)
  expect(await names()).not.toContain('elsewhere')
})

test('a vendor that cannot be reached ends the creation with 502, and nothing is made', async () => {
  const origins = { gong: { api: 'http://127.0.0.1:1' } }
  const apart = await startWorld({ settings: { origins } })
  const body = { ...tried('unreached'), environment: {} }
  const answer = await apart.ask(connectorsPath, { token: apart.token, body })
  expect([answer.status, answer.json.code]).toEqual([502, 'upstream_unreachable'])
  expect(answer.json.hint).toContain('check: false')
  expect((await apart.ask(connectorsPath, { token: apart.token })).json.data).toEqual([])
  expect((await apart.ask(connectorsPath, { token: apart.token, body: { ...body, check: false } })).status).toBe(200)
  await apart.close()
})

test('syncs of unchecked credentials wait for a call that passed', async () => {
  const { json } = await create(tried('unchecked', { check: false }))
  expect(json).toMatchObject({ status: 'active', status_reason: expect.stringContaining('Syncs wait until a call succeeds') })
  const status = async () => (await world.ask(`${connectorsPath}/${json.id}/context_store`, { token: world.token })).json
  await world.context.sync()
  expect(await status()).toMatchObject({ records: 0, running: null, queued: { state: 'queued', cause: 'created' } })
  expect((await world.execute(json.id, { entity: 'users', action: 'list' })).status).toBe(200)
  await world.context.sync()
  expect(await status()).toMatchObject({ state: 'ready', records: 312, queued: null })
  expect((await world.ask(`${connectorsPath}/${json.id}`, { token: world.token })).json.status_reason).toBeNull()
})

test('a repeat under the same Idempotency-Key gets the connector that was made', async () => {
  const headers = { 'idempotency-key': 'creation' }
  const one = await create(tried('once'), headers)
  const again = await create(tried('once'), headers)
  expect([one.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
  expect(again.json).toEqual(one.json)
})

test('an unknown workspace is a 404 that names near ones', async () => {
  const answer = await create(tried('lost', { workspace_name: 'defualt' }))
  expect([answer.status, answer.json.code]).toEqual([404, 'workspace_not_found'])
  expect(answer.json.hint).toContain('Near: default.')
})
