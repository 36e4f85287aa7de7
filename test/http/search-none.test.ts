import { expect, test } from 'vitest'
import { search } from './search-support.ts'
import { connectorsPath, startWorld } from './support.ts'

test('without a context store a search says that there is none', async () => {
  const world = await startWorld()
  const id = await world.connect('alone')
  const answer = await search(world, id, { entity: 'users', params: { query: {} } })
  expect([answer.status, answer.json.code]).toEqual([503, 'context_store_unavailable'])
  await world.close()
})

test('a process that only syncs serves its health and its numbers, and nothing else', async () => {
  const world = await startWorld({ settings: { role: 'worker' } })
  expect((await world.ask('/health/ready')).status).toBe(200)
  expect((await world.ask('/metrics')).text).toContain('ferrule_executes_in_flight 0')
  const refused = await world.ask(connectorsPath, { token: 'any' })
  expect([refused.status, refused.json.code]).toEqual([404, 'not_found'])
  await world.close()
})
