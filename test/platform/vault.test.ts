import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import {
  connectorBody,
  createWorldOfTest,
  type DatabaseName,
  firstPrincipal,
  keyPair,
  masterKey,
  newTenant,
  openBeside,
  openCredentials as opened,
  overBoth,
  refusal,
  type World,
} from './world.ts'

const newWorld = (database: DatabaseName) => createWorldOfTest(database, 'vault')
const create = async (platform: Platform, principal: Principal, more: Record<string, unknown> = {}) =>
  (await platform.connectors.create(principal, connectorBody(more))).id
/** Opens a platform whose randomness fails after some calls; the work stops there as after a kill. */
const openStopping = async (world: World, calls: number, env: Record<string, string> = {}): Promise<Platform> => {
  let left = Number.POSITIVE_INFINITY
  const failing = (size: number): Buffer => {
    if (--left < 0) throw new Error('killed')
    return randomBytes(size)
  }
  const platform = await world.open({ env, randomBytes: failing })
  left = calls
  return platform
}
const column = async (world: World, query: ReturnType<typeof sql<{ value: string }>>) =>
  (await query.execute(world.raw().db)).rows.map(({ value }) => value)
const masterKeysInUse = (world: World) => column(world, sql<{ value: string }>`select distinct master_key_id as value from data_keys`)

overBoth('sealed credentials', (database) => {
  test('open for their own row only', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const first = await firstPrincipal(platform)
    const other = await newTenant(platform, first)
    const connectors = [
      await create(platform, first, { name: 'a' }),
      await create(platform, first, { name: 'b' }),
      await create(platform, first, { workspace_name: 'other workspace' }),
      await create(platform, other),
    ]
    const [source, ...copies] = connectors
    const { db } = world.raw()
    for (const id of copies)
      await sql`update connectors set sealed = (select sealed from connectors where id = ${source}),
        data_key_id = (select data_key_id from connectors where id = ${source}) where id = ${id}`.execute(db)
    expect(await opened(platform, first, source ?? '')).toEqual(keyPair)
    for (const [index, id] of copies.entries())
      expect(await refusal(opened(platform, index === 2 ? other : first, id))).toMatch(
        /^credentials_unreadable: The stored credentials cannot be opened/,
      )
  })

  test('that were damaged are an error with the way out, and new ones are taken', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const id = await create(platform, principal)
    const row = await world.raw().db.selectFrom('connectors').select('sealed').where('id', '=', id).executeTakeFirstOrThrow()
    const damages = [
      row.sealed.subarray(0, 10),
      Buffer.concat([Buffer.from([2]), row.sealed.subarray(1)]),
      Buffer.from(row.sealed.map((byte, index) => (index === 20 ? byte ^ 1 : byte))),
    ]
    for (const sealed of damages) {
      await world.raw().db.updateTable('connectors').set({ sealed }).where('id', '=', id).execute()
      expect(await refusal(opened(platform, principal, id))).toMatch(/^credentials_unreadable: .*damaged, or were copied/)
    }
    expect(await refusal(platform.connectors.patch(principal, id, { credentials: { api_secret: 'x' } }))).toMatch(/^validation_failed/)
    await platform.connectors.patch(principal, id, { credentials: keyPair })
    expect(await opened(platform, principal, id)).toEqual(keyPair)
  })

  test('never lie in the database as plain text, and no two are alike', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    await create(platform, principal, { name: 'a' })
    await create(platform, principal, { name: 'b' })
    const rows = await world.raw().db.selectFrom('connectors').selectAll().execute()
    const text = JSON.stringify(rows.map((row) => ({ ...row, sealed: Buffer.from(row.sealed).toString('latin1') })))
    for (const secret of Object.values(keyPair)) expect(text).not.toContain(secret)
    expect(new Set(rows.map(({ sealed }) => Buffer.from(sealed).toString('hex'))).size).toBe(2)
    const application = await world.raw().db.selectFrom('applications').selectAll().executeTakeFirstOrThrow()
    expect(application.secret_hash).toMatch(/^sha256:[\w-]{22}:[\w-]{43}$/)
    expect(application.secret_hash).not.toContain(platform.first.clientSecret?.reveal())
  })
})

overBoth('rotation of data keys', (database) => {
  test('gives workspaces whose keys were lost new ones, so that connectors can be made in them again', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    await create(platform, principal)
    for (const table of ['connectors', 'data_keys'] as const) await world.raw().db.deleteFrom(table).execute()
    await platform.close()
    const again = await world.open()
    expect(await refusal(create(again, principal))).toMatch(/^credentials_unreadable/)
    expect(await again.vault.rotateDataKeys()).toEqual({ resealed: 0 })
    expect(await opened(again, principal, await create(again, principal))).toEqual(keyPair)
  })

  test('seals everything anew and destroys the old keys', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const ids = [await create(platform, principal), await create(platform, principal, { workspace_name: 'B' })]
    const removed = await create(platform, principal, { workspace_name: 'Removed' })
    const workspace = (await platform.connectors.get(principal, removed)).workspace_id
    await platform.workspaces.remove(principal, workspace)
    const held = await platform.connectors.readAccess(principal, ids[0] ?? '')
    const keys = () => column(world, sql<{ value: string }>`select id as value from data_keys order by id`)
    const before = await keys()
    expect(await platform.vault.rotateDataKeys()).toEqual({ resealed: 3 })
    const after = await keys()
    expect(after).toHaveLength(before.length)
    expect(after.filter((id) => before.includes(id))).toEqual([])

    await platform.workspaces.restore(principal, workspace)
    const beside = await openBeside(world)
    for (const id of [...ids, removed]) expect(await opened(beside, principal, id)).toEqual(keyPair)
    expect((await held.connection.credentials.open()).values.reveal()).toEqual(keyPair)
    expect(await platform.vault.rotateDataKeys()).toEqual({ resealed: 3 })
  })

  test('that was stopped is finished by the next run', async () => {
    const world = await newWorld(database)
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const ids: string[] = []
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await create(platform, principal, { name, workspace_name: name }))
    await platform.close()
    for (const calls of [2, 5, 6]) {
      const stopped = await openStopping(world, calls)
      await expect(stopped.vault.rotateDataKeys()).rejects.toThrow('killed')
      await stopped.close()
      world.now += 1
    }
    const again = await world.open()
    for (const id of ids) expect(await opened(again, principal, id)).toEqual(keyPair)
    await again.vault.rotateDataKeys()
    for (const id of ids) expect(await opened(again, principal, id)).toEqual(keyPair)
    const counts = await sql<{ keys: number; workspaces: number }>`
      select (select count(*) from data_keys) as keys, (select count(*) from workspaces) as workspaces`.execute(world.raw().db)
    expect(Number(counts.rows[0]?.keys)).toBe(Number(counts.rows[0]?.workspaces))
  })
})

describe('rotation beside a running service on PostgreSQL', () => {
  test('loses no write and no read', async () => {
    const world = await newWorld('postgres')
    const service = await world.open()
    const principal = await firstPrincipal(service)
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => create(service, principal, { name: `n${index}` })))
    const operator = await world.open()
    let running = true
    const rotation = operator.vault.rotateDataKeys().finally(() => {
      running = false
    })
    const seen: string[] = []
    for (let round = 0; running; round += 1) {
      const id = ids[round % ids.length] ?? ''
      await service.connectors.patch(principal, id, { credentials: { api_secret: `new-${round}` } })
      seen.push((await opened(service, principal, id))['api_secret'] === `new-${round}` ? 'right' : 'wrong')
      ids.push(await create(service, principal, { name: `during-${round}` }))
    }
    expect((await rotation).resealed).toBeGreaterThan(0)
    expect(seen).not.toContain('wrong')
    await operator.vault.rotateDataKeys()
    for (const id of ids) expect(await opened(operator, principal, id)).toMatchObject({ api_key: keyPair.api_key })
  })
})

describe('rotation of a master key of the settings', () => {
  const [one, two] = [masterKey(1), masterKey(2)]
  const rotated = { FERRULE_MASTER_KEY: two, FERRULE_MASTER_KEY_PREVIOUS: one }

  test('goes from one key to the next, node by node', async () => {
    const world = await newWorld('postgres')
    const before = await world.open({ env: { FERRULE_MASTER_KEY_PREVIOUS: two } })
    const principal = await firstPrincipal(before)
    const id = await create(before, principal)
    const token = await before.tokens.issueApplicationToken({
      clientId: before.first.clientId,
      clientSecret: before.first.clientSecret?.reveal() ?? '',
    })
    const [old] = await masterKeysInUse(world)

    const after = await world.open({ env: rotated })
    const late = await create(before, principal, { workspace_name: 'made by the old node' })
    expect((await after.tokens.authenticate(token.access_token, undefined)).organizationId).toBe(principal.organizationId)
    expect((await after.vault.rotateMasterKey()).rewrapped).toBe(2)
    expect(await after.vault.rotateMasterKey()).toEqual({ rewrapped: 0 })
    const inUse = await masterKeysInUse(world)
    expect(inUse).toHaveLength(1)
    expect(inUse).not.toContain(old)
    for (const platform of [before, after]) for (const each of [id, late]) expect(await opened(platform, principal, each)).toEqual(keyPair)

    const alone = await world.open({ env: { FERRULE_MASTER_KEY: two } })
    expect(await opened(alone, principal, id)).toEqual(keyPair)
    expect(await refusal(world.open({ env: { FERRULE_MASTER_KEY: one } }))).toMatch(/^setting_invalid: The setting FERRULE_MASTER_KEY/)
  })

  test('that was stopped is finished by the next run', async () => {
    const world = await newWorld('postgres')
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    for (let index = 0; index < 130; index += 1) await platform.workspaces.create(principal, { name: `w${index}` })
    const id = await create(platform, principal)
    const stopped = await openStopping(world, 110, rotated)
    await expect(stopped.vault.rotateMasterKey()).rejects.toThrow('killed')
    expect(await masterKeysInUse(world)).toHaveLength(2)
    expect(await opened(stopped, principal, id)).toEqual(keyPair)
    expect(await refusal(world.open({ env: { FERRULE_MASTER_KEY: two } }))).toMatch(/stored credentials need the master key/)
    const again = await world.open({ env: rotated })
    expect((await again.vault.rotateMasterKey()).rewrapped).toBe(31)
    expect(await masterKeysInUse(world)).toHaveLength(1)
    expect(await opened(again, principal, id)).toEqual(keyPair)
  })
})

describe('rotation of a master key in its file', () => {
  const keysOf = (world: World) => readFileSync(join(world.folder, 'master.key'), 'utf8').trim().split('\n')

  test('makes a new key, wraps everything with it and forgets the old one', async () => {
    const world = await newWorld('sqlite')
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const id = await create(platform, principal)
    const [old] = keysOf(world)
    expect(await platform.vault.rotateMasterKey()).toEqual({ rewrapped: 1 })
    expect(keysOf(world)).toHaveLength(1)
    expect(keysOf(world)).not.toContain(old)
    expect(await opened(platform, principal, id)).toEqual(keyPair)
    await platform.close()
    expect(await opened(await world.open(), principal, id)).toEqual(keyPair)
  })

  test('can be done by a command beside the service, which goes on', async () => {
    const world = await newWorld('sqlite')
    const service = await world.open()
    const principal = await firstPrincipal(service)
    const id = await create(service, principal)
    const { access_token } = await service.tokens.issueApplicationToken({
      clientId: service.first.clientId,
      clientSecret: service.first.clientSecret?.reveal() ?? '',
    })
    await (await openBeside(world)).vault.rotateMasterKey()
    expect(await opened(service, principal, id)).toEqual(keyPair)
    const late = await create(service, principal, { workspace_name: 'after the rotation' })
    expect(await masterKeysInUse(world)).toHaveLength(1)
    expect((await service.tokens.authenticate(access_token, undefined)).organizationId).toBe(principal.organizationId)
    await service.close()
    const again = await world.open()
    for (const each of [id, late]) expect(await opened(again, principal, each)).toEqual(keyPair)
  })

  test.each([1, 2, 3])('that was stopped after %i steps is finished by the next run', async (calls) => {
    const world = await newWorld('sqlite')
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const id = await create(platform, principal)
    await platform.workspaces.create(principal, { name: 'second' })
    await platform.workspaces.create(principal, { name: 'third' })
    await platform.close()
    const stopped = await openStopping(world, calls)
    await expect(stopped.vault.rotateMasterKey()).rejects.toThrow('killed')
    expect(await opened(stopped, principal, id)).toEqual(keyPair)
    await stopped.close()
    expect(keysOf(world)).toHaveLength(2)
    const again = await world.open()
    expect((await again.vault.rotateMasterKey()).rewrapped).toBe(3)
    expect(keysOf(world)).toHaveLength(1)
    expect(await opened(again, principal, id)).toEqual(keyPair)
  })
})
