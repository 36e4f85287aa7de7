import { afterAll, beforeAll, expect, test } from 'vitest'
import { runFerrule, runForJson } from './support.ts'
import { type CommandWorld, startCommandWorld } from './world.ts'

let running: CommandWorld
beforeAll(async () => {
  running = await startCommandWorld()
})
afterAll(() => running.close())

/** Asks the service with a client id and a secret of the environment. */
const asClient = (client: { client_id: string; client_secret: string }) => ({
  ...running.place,
  env: { FERRULE_URL: running.world.url, FERRULE_CLIENT_ID: client.client_id, FERRULE_CLIENT_SECRET: client.client_secret },
})

test('an application works until its secret is replaced, and not after its deletion', async () => {
  const created = await runForJson(running.place, 'applications', 'create', 'reports')
  expect(await runForJson(asClient(created), 'organizations', 'list')).toHaveLength(1)
  const rotated = await runForJson(running.place, 'applications', 'rotate-secret', 'reports', '--yes')
  expect(rotated).toMatchObject({ id: created.id, client_id: created.client_id })
  expect((await runFerrule(asClient(created), 'organizations', 'list')).code).toBe(2)
  expect(await runForJson(asClient(rotated), 'organizations', 'list')).toHaveLength(1)
  await runForJson(running.place, 'applications', 'delete', created.id, '--yes')
  expect((await runFerrule(asClient(rotated), 'organizations', 'list')).code).toBe(2)
  const listed = await runForJson(running.place, 'applications', 'list')
  expect(listed.map(({ name }: { name: string }) => name)).not.toContain('reports')
})

test('an application that is not there, or whose name two have, is named in the error', async () => {
  const missing = await runFerrule(running.place, 'applications', 'delete', 'nothing', '--yes')
  expect({ code: missing.code, hint: JSON.parse(missing.stderr).hint }).toEqual({
    code: 3,
    hint: expect.stringMatching(/^Applications: .+\.$/),
  })
  for (const _ of [1, 2]) await runForJson(running.place, 'applications', 'create', 'twice')
  const several = await runFerrule(running.place, 'applications', 'delete', 'twice', '--yes')
  expect(JSON.parse(several.stderr)).toMatchObject({ code: 'application_not_found', message: 'Several applications have the name twice.' })
})

test('an organization gets another name', async () => {
  const [{ id, name }] = await runForJson(running.place, 'organizations', 'list')
  expect(await runForJson(running.place, 'organizations', 'rename', name, 'North')).toMatchObject({ id, name: 'North' })
  expect(await runForJson(running.place, 'organizations', 'rename', id, name)).toMatchObject({ id, name })
  expect((await runFerrule(running.place, 'organizations', 'rename', 'nothing', 'South')).code).toBe(3)
})
