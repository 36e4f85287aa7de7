import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { openTerminal, plain, runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

const running = await share(startCommandWorld())

/** Asks the service with a client id and a secret of the environment. */
const asClient = (client: { client_id: string; client_secret: string }) => ({
  ...running.caller,
  env: { FERRULE_URL: running.world.url, FERRULE_CLIENT_ID: client.client_id, FERRULE_CLIENT_SECRET: client.client_secret },
})

test('an application works until its secret is replaced, and not after its deletion', async () => {
  const created = await runForJson(running.caller, 'applications', 'create', 'reports')
  expect(await runForJson(asClient(created), 'organizations', 'list')).toHaveLength(1)
  const rotated = await runForJson(running.caller, 'applications', 'rotate-secret', 'reports', '--yes')
  expect(rotated).toMatchObject({ id: created.id, client_id: created.client_id })
  expect((await runFerrule(asClient(created), 'organizations', 'list')).code).toBe(2)
  expect(await runForJson(asClient(rotated), 'organizations', 'list')).toHaveLength(1)
  await runForJson(running.caller, 'applications', 'delete', created.id, '--yes')
  expect((await runFerrule(asClient(rotated), 'organizations', 'list')).code).toBe(2)
  const listed = await runForJson(running.caller, 'applications', 'list')
  expect(listed.map(({ name }: { name: string }) => name)).not.toContain('reports')
})

test('an application that is not there, or whose name two have, is named in the error', async () => {
  const missing = await runFerrule(running.caller, 'applications', 'delete', 'nothing', '--yes')
  expect({ code: missing.code, hint: JSON.parse(missing.stderr).hint }).toEqual({
    code: 3,
    hint: expect.stringMatching(/^Applications: .+\.$/),
  })
  for (const _ of [1, 2]) await runForJson(running.caller, 'applications', 'create', 'twice')
  const several = await runFerrule(running.caller, 'applications', 'delete', 'twice', '--yes')
  expect(JSON.parse(several.stderr)).toMatchObject({ code: 'application_not_found', message: 'Several applications have the name twice.' })
})

test('an MCP token is made for connectors by name, listed and revoked', async () => {
  await runForJson(running.caller, 'connectors', 'create', 'gong', '--from-file', `${running.caller.folder}/gong.json`)
  const made = await runForJson(
    running.caller,
    'tokens',
    'create',
    'desk',
    '--in',
    'default',
    '--connector',
    'gong',
    '--write',
    '--days',
    '7',
  )
  const [{ id: connectorId }] = await runForJson(running.caller, 'connectors', 'list')
  expect(made).toMatchObject({ connector_ids: [connectorId], scopes: ['connectors:read', 'execute:read', 'execute:write'] })
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(7 * 86_400_000)
  const { stdout } = await runFerrule(running.caller, 'tokens', 'list', '--format', 'table')
  expect(stdout).toMatch(/desk +\["default"\]/)
  expect(stdout).not.toContain('frl_mcp_')
  const missing = await runFerrule(running.caller, 'tokens', 'create', 'desk', '--connector', 'nothing')
  expect({ code: missing.code, error: JSON.parse(missing.stderr).code }).toEqual({ code: 3, error: 'connector_not_found' })
  expect((await runForJson(running.caller, 'tokens', 'create', 'desk')).connector_ids).toBeNull()
  const several = await runFerrule(running.caller, 'tokens', 'revoke', 'desk', '--yes')
  expect(JSON.parse(several.stderr)).toMatchObject({ code: 'mcp_token_not_found', message: 'Several tokens have the name desk.' })
  await runForJson(running.caller, 'tokens', 'revoke', made.id, '--yes')
  await runForJson(running.caller, 'tokens', 'revoke', 'desk', '--yes')
  expect(await runForJson(running.caller, 'tokens', 'list')).toEqual([])
})

test('an organization gets another name', async () => {
  const [{ id, name }] = await runForJson(running.caller, 'organizations', 'list')
  expect(await runForJson(running.caller, 'organizations', 'rename', name, 'North')).toMatchObject({ id, name: 'North' })
  expect(await runForJson(running.caller, 'organizations', 'rename', id, name)).toMatchObject({ id, name })
  expect((await runFerrule(running.caller, 'organizations', 'rename', 'nothing', 'South')).code).toBe(3)
})

test('an organization is deleted after a question, and restored also where the profile names it', async () => {
  const { id } = await runForJson(running.caller, 'organizations', 'create', 'Brief')
  const refused = openTerminal(running.caller, ['organizations', 'delete', 'Brief'])
  await refused.waitFor('Delete the organization Brief with its workspaces, connectors and copies?')
  refused.type('\r') // the suggested answer is no
  expect(await refused.end()).toBe(130)
  const agreed = openTerminal(running.caller, ['organizations', 'delete', 'Brief'])
  await agreed.waitFor('Delete the organization Brief')
  agreed.type('y')
  expect(await agreed.end()).toBe(0)
  expect(plain(agreed.drawn)).toContain(`ferrule organizations restore ${id}`)
  const within = { ...running.caller, env: { FERRULE_ORGANIZATION_ID: id } }
  expect((await runFerrule(within, 'workspaces', 'list')).code).toBe(2)
  expect(await runForJson(within, 'organizations', 'restore', id)).toMatchObject({ id, name: 'Brief' })
  expect(await runForJson(within, 'workspaces', 'list')).toHaveLength(1)
  await runForJson(running.caller, 'organizations', 'create', 'Brief')
  const several = await runFerrule(running.caller, 'organizations', 'delete', 'Brief', '--yes')
  expect(JSON.parse(several.stderr)).toMatchObject({
    message: 'Several organizations have the name Brief.',
    hint: expect.stringContaining(id),
  })
})
