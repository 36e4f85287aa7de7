import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { createStubEngine } from '../support/engines.ts'
import { untilReady } from '../support/postgres.ts'
import { connectorBody, createWorldOfTest, type DatabaseName, firstPrincipal, masterKey, overBoth, refusal } from './world.ts'

const newWorld = (database: DatabaseName) => createWorldOfTest(database, 'start')

overBoth('the first start', (database) => {
  test('makes an organization, its workspace and an application whose secret is shown once', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    expect(await platform.organizations.list(principal)).toMatchObject([
      { id: platform.first.organizationId, name: 'Default', role: 'admin' },
    ])
    expect((await platform.workspaces.list(principal, {})).data).toMatchObject([{ name: 'default', status: 'active' }])
    expect(platform.first.clientSecret?.reveal()).toMatch(/^[\w-]{43}$/)
    await untilReady(platform)
    await platform.close()

    const again = await world.open()
    expect(again.first).toEqual({ organizationId: platform.first.organizationId, clientId: platform.first.clientId, settings: 'none' })
    const token = await again.tokens.issueApplicationToken({
      clientId: platform.first.clientId,
      clientSecret: platform.first.clientSecret?.reveal() ?? '',
    })
    expect(token.organization_id).toBe(platform.first.organizationId)
  })

  test('refuses a database of a newer version', async () => {
    const world = await newWorld(database)
    await (await world.open()).close()
    await sql`insert into schema_versions (version, applied_at) values (99, 0)`.execute(world.raw().db)
    expect(await refusal(world.open())).toMatch(
      /^setting_invalid: .* the database has schema 99 of a newer version of the service, and this one knows \d+/,
    )
  })
})

describe('two nodes that start at once on an empty PostgreSQL', () => {
  test('make one application, whose secret one of them shows', async () => {
    const world = await newWorld('postgres')
    const [one, two] = await Promise.all([world.open(), world.open()])
    expect(one.first.clientId).toBe(two.first.clientId)
    expect([one, two].filter(({ first }) => first.clientSecret !== undefined)).toHaveLength(1)
    expect(await one.applications.list()).toHaveLength(1)
  })
})

overBoth('master keys at the start', (database) => {
  test('another key than the one in use stops the start', async () => {
    const world = await newWorld(database)
    await (await world.open()).close()
    const sentence = await refusal(world.open({ env: { FERRULE_MASTER_KEY: masterKey(9) } }))
    expect(sentence).toMatch(
      /^setting_invalid: The setting FERRULE_MASTER_KEY is not valid: stored credentials need the master key [\w-]{16}/,
    )
    expect(sentence).not.toContain(masterKey(1))
    expect(sentence).not.toContain(masterKey(9))
  })
})

describe('the embedded folder', () => {
  test('is for its owner only: folder, database and master key', async () => {
    const world = await newWorld('sqlite')
    await world.open()
    const mode = (path: string) => statSync(path).mode & 0o777
    expect(mode(world.folder)).toBe(0o700)
    for (const file of readdirSync(world.folder)) expect([file, mode(join(world.folder, file))]).toEqual([file, 0o600])
    expect(readdirSync(world.folder)).toContain('master.key')
  })

  test('serves one process at a time, and says so', async () => {
    const world = await newWorld('sqlite')
    const platform = await world.open()
    expect(await refusal(world.open())).toBe(
      `setting_invalid: The setting FERRULE_DATA is not valid: the folder ${world.folder} is in use by another process of this service; stop it first.`,
    )
    await platform.close()
    await world.open()
  })

  test('can be administered beside the running service', async () => {
    const world = await newWorld('sqlite')
    const service = await world.open()
    const principal = await firstPrincipal(service)
    const beside = await world.open({ role: 'administration' })
    const { clientSecret } = await beside.applications.rotate()
    const answer = await service.tokens.issueApplicationToken({
      clientId: service.first.clientId,
      clientSecret: clientSecret?.reveal() ?? '',
    })
    expect(answer.token_type).toBe('bearer')
    await service.connectors.create(principal, connectorBody())
  })

  test('that cannot be written is a sentence', async () => {
    const world = await newWorld('sqlite')
    expect(await refusal(world.open({ env: { FERRULE_DATA: '/dev/null/data' } }))).toMatch(
      /^setting_invalid: The setting FERRULE_DATA is not valid: the folder \/dev\/null\/data cannot be written/,
    )
  })

  test.skipIf(process.platform === 'win32')('refuses a master key that others may read', async () => {
    const world = await newWorld('sqlite')
    await (await world.open()).close()
    chmodSync(join(world.folder, 'master.key'), 0o640)
    expect(await refusal(world.open())).toMatch(/others may read the master key file; run chmod 600 /)
  })

  test('without its master key file does not make another one', async () => {
    const world = await newWorld('sqlite')
    await (await world.open()).close()
    rmSync(join(world.folder, 'master.key'))
    expect(await refusal(world.open())).toMatch(/the master key file .*master\.key is missing, but stored credentials need it/)
    expect(readdirSync(world.folder)).not.toContain('master.key')
  })

  test('takes the content of the file as FERRULE_MASTER_KEY', async () => {
    const world = await newWorld('sqlite')
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const { id } = await platform.connectors.create(principal, connectorBody())
    await platform.close()
    const file = join(world.folder, 'master.key')
    const FERRULE_MASTER_KEY = readFileSync(file, 'utf8').trim()
    rmSync(file)
    const again = await world.open({ env: { FERRULE_MASTER_KEY } })
    const { connection } = await again.connectors.readAccess(principal, id)
    expect((await connection.credentials.open()).values.reveal()).toMatchObject({ api_key: 'key-in-plain-text' })
  })
})

describe('PostgreSQL', () => {
  test('that cut all connections is used again, and meanwhile the answer is unavailable', async () => {
    const world = await newWorld('postgres')
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const running = refusal(
      Promise.all(Array.from({ length: 30 }, (_, index) => platform.workspaces.create(principal, { name: `w${index}` }))),
    ).catch(() => 'all of them were faster')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
      world.raw().db,
    )
    expect(await running).toMatch(/^unavailable: |^all of them were faster$/)
    await untilReady(platform)
    await platform.workspaces.create(principal, { name: 'afterwards' })
  })
})

describe('an unreachable PostgreSQL', () => {
  test('is unavailable, and the password stays out of the error', async () => {
    const env = { DATABASE_URL: 'postgresql://u:hidden-password@127.0.0.1:9/x', FERRULE_MASTER_KEY: masterKey(1) }
    const settings = readSettings(env, { kinds: [] })
    const sentence = await refusal(openPlatform({ settings, kinds: [], engine: () => createStubEngine() }))
    expect(sentence).toBe('unavailable: The service is not ready: the database does not answer.')
  })
})
