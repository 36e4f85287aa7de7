/** Issue 22, F1: the variables of a client say who a client is. They never change the service that starts with them. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientVariables } from '../../packages/ferrule/src/client/settings.ts'
import { buildBanner } from '../../packages/server/src/main/serve.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { describeSettings } from '../../packages/server/src/main/settings/table.ts'
import { createWorldOfTest, type DatabaseName, overBoth, refusal } from '../platform/world.ts'
import { readSources } from '../support/imports.ts'

/** What a shell has in which people use the library, the command and the examples. */
const shell = {
  FERRULE_URL: 'http://127.0.0.1:8080',
  FERRULE_CLIENT_ID: 'who-i-am',
  FERRULE_CLIENT_SECRET: 'the secret by which I prove it',
  FERRULE_TOKEN: 'a-token',
  FERRULE_MCP_TOKEN: 'a-token-for-mcp',
  FERRULE_PROFILE: 'work',
  FERRULE_WORKSPACE: 'default',
  FERRULE_ORGANIZATION_ID: '0195f3a0-0000-7000-8000-000000000001',
  FERRULE_CONFIG_DIR: '/home/me/.config/ferrule',
  FERRULE_DEBUG: '1',
}
const given = { FERRULE_OPERATOR_CLIENT_ID: 'given-client', FERRULE_OPERATOR_CLIENT_SECRET: 'given secret 1' }
const changed = { FERRULE_OPERATOR_CLIENT_ID: 'other-client', FERRULE_OPERATOR_CLIENT_SECRET: 'other secret 2' }

const newWorld = (database: DatabaseName) => createWorldOfTest(database, 'client-variables')

describe('names that the library and the command read', () => {
  const names = [...readSources(join(import.meta.dirname, '../../packages/ferrule/src')).values()].flatMap((text) =>
    [...text.matchAll(/\bFERRULE_[A-Z_]*[A-Z]\b/g)].map(([name]) => name),
  )
  // Hints and comments name settings of the service too.
  const ofService = describeSettings().map(({ name }) => name)

  test('are no settings of the service', () => {
    expect(clientVariables.filter((name) => ofService.includes(name))).toEqual([])
  })

  test.each([...new Set(names)].filter((name) => !ofService.includes(name)))('%s does not stop the service', (name) => {
    expect(readSettings({ [name]: 'anything' }, { kinds: [] })).toEqual(readSettings({}, { kinds: [] }))
  })
})

overBoth('a service that starts in the shell of a client', (database) => {
  test('keeps its application, its secret and its MCP tokens', async () => {
    const world = await newWorld(database)
    const first = await world.open()
    const pair = { clientId: first.first.clientId, clientSecret: first.first.clientSecret?.reveal() ?? '' }
    await first.close()

    const second = await world.open({ env: shell })
    expect(second.first).toEqual({ organizationId: first.first.organizationId, clientId: pair.clientId, settings: 'none' })
    await second.tokens.issueApplicationToken(pair)
    expect(await refusal(second.tokens.issueApplicationToken({ clientId: 'who-i-am', clientSecret: shell.FERRULE_CLIENT_SECRET }))).toMatch(
      /^invalid_client/,
    )
  })

  test('makes an application of its own at the first start', async () => {
    const world = await newWorld(database)
    const { first } = await world.open({ env: shell })
    expect(first.clientId).not.toBe('who-i-am')
    expect(first.clientSecret?.reveal()).toMatch(/^[\w-]{43}$/)
  })
})

overBoth("the operator's pair", (database) => {
  test('is taken by the first start, and replaces nothing until the operator rotates', async () => {
    const world = await newWorld(database)
    const first = await world.open({ env: given })
    expect(first.first).toMatchObject({ clientId: 'given-client', settings: 'same' })
    await first.close()

    const second = await world.open({ env: changed })
    expect(second.first).toMatchObject({ clientId: 'given-client', settings: 'ignored' })
    await second.tokens.issueApplicationToken({ clientId: 'given-client', clientSecret: 'given secret 1' })

    expect(await second.applications.rotate()).toEqual({ clientId: 'other-client' })
    await second.tokens.issueApplicationToken({ clientId: 'other-client', clientSecret: 'other secret 2' })
    expect(await refusal(second.tokens.issueApplicationToken({ clientId: 'given-client', clientSecret: 'given secret 1' }))).toMatch(
      /^invalid_client/,
    )
    await second.close()
    expect((await world.open({ env: changed })).first.settings).toBe('same')
  })

  test('does not come back after a rotation to a generated secret', async () => {
    const world = await newWorld(database)
    const first = await world.open({ env: given })
    const { clientSecret } = await first.applications.rotate('given-client')
    await first.close()
    const second = await world.open({ env: given })
    expect(second.first.settings).toBe('ignored')
    await second.tokens.issueApplicationToken({ clientId: 'given-client', clientSecret: clientSecret?.reveal() ?? '' })
  })

  test('is refused by a rotation when another application has its client id', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const { clientId } = await platform.applications.create({ name: 'Other', organizationId: platform.first.organizationId })
    await platform.close()
    const second = await world.open({ env: { ...given, FERRULE_OPERATOR_CLIENT_ID: clientId } })
    expect(await refusal(second.applications.rotate())).toBe(
      'setting_invalid: The setting FERRULE_OPERATOR_CLIENT_ID is not valid: another application has this client id.',
    )
  })
})

describe('the banner', () => {
  const print = (settings: 'none' | 'same' | 'ignored') =>
    buildBanner({ url: 'http://127.0.0.1:1', first: { organizationId: 'o', clientId: 'given-client', settings }, sandbox: false })

  test('names the setting that holds the secret', () => {
    expect(print('same')).toContain('Client secret  the value of FERRULE_OPERATOR_CLIENT_SECRET')
  })

  test('says that a changed pair is ignored, and which command takes it', () => {
    const text = print('ignored')
    expect(text).toContain('FERRULE_OPERATOR_CLIENT_ID and FERRULE_OPERATOR_CLIENT_SECRET are not those of the first application')
    expect(text).toMatch(/^ +npm run ferrule-server -- applications rotate$/m)
  })
})
