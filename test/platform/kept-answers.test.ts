import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { insertKeptAnswer } from '../../packages/server/src/calls/sql/idempotency.ts'
import { createKeptAnswers } from '../../packages/server/src/calls/writes.ts'
import { share } from '../support/share.ts'
import { createWorld, firstPrincipal, overBoth } from './world.ts'

overBoth('kept answers of agents', async (database) => {
  const world = await share(createWorld(database, 'kept'))
  const platform = await world.open()
  const other = await world.open({ role: database === 'sqlite' ? 'administration' : 'service' })
  const organizationId = (await firstPrincipal(platform)).organizationId

  const soon = () => world.now + 600_000
  const own = (node = platform) => node.keptAnswers.of({ organizationId })

  test('are read on another node, and by no other organization', async () => {
    expect(await own().put('an id', '{"digits":12345678901234567890}', soon())).toBe(true)
    expect(await own(other).get('an id')).toBe('{"digits":12345678901234567890}')
    expect(await own(other).get('another id')).toBeUndefined()
    const { id: foreign } = await platform.organizations.create(await firstPrincipal(platform), { name: 'Foreign' })
    expect(await platform.keptAnswers.of({ organizationId: foreign }).get('an id')).toBeUndefined()
  })

  test('stand in the database without their text and their id', async () => {
    await own().put('the only id', 'the only text', soon())
    const rows = await world.raw().db.selectFrom('kept_answers').selectAll().execute()
    const stored = rows.map(({ digest, sealed }) => digest + Buffer.from(sealed).toString('latin1')).join()
    expect([stored.includes('the only'), rows.length]).toEqual([false, 2])
  })

  test('that cannot be stored fail no call: its write has happened', async () => {
    const errors: unknown[] = []
    const raw = world.raw()
    const insertInto = () => {
      throw new Error('the database is away')
    }
    const database = { ...raw, db: new Proxy(raw.db, { get: (db, name) => (name === 'insertInto' ? insertInto : Reflect.get(db, name)) }) }
    const source = { clock: () => world.now, randomBytes }
    const vault = { sealRecord: () => new Uint8Array(), openRecord: () => undefined }
    const failing = createKeptAnswers({ database, source, vault, onBackgroundError: (error) => errors.push(error) })
    expect([await failing.of({ organizationId }).put('lost', 'text', soon()), errors.length]).toEqual([false, 1])
  })

  test('end after their time, and are deleted then', async () => {
    await own().put('short', 'text', world.now + 1)
    world.now += 1
    expect(await own().get('short')).toBeUndefined()
    await platform.keptAnswers.purgeExpired(world.now)
    expect(await world.raw().db.selectFrom('kept_answers').select('digest').execute()).toHaveLength(2)
  })

  test('are bounded: large ones are refused, and the oldest make room', async () => {
    const large = 'x'.repeat(4_000_000)
    expect(await own().put('larger', `${large}x`, soon())).toBe(false)
    for (let index = 0; index < 17; index += 1) await own().put(`id ${index}`, index % 16 === 0 ? large : 'text', soon() + index)
    expect([await own().get('an id'), (await own().get('id 0'))?.length]).toEqual([expect.any(String), large.length])
    const { organization_id } = await world.raw().db.selectFrom('kept_answers').select('organization_id').executeTakeFirstOrThrow()
    const row = { organization_id, sealed: Buffer.alloc(100), expires_at: soon() + 100 }
    for (const [digest, bounds] of [
      ['newest by number', { mostAnswers: 3, mostBytes: 64_000_000 }],
      ['newest by size', { mostAnswers: 1_000, mostBytes: 5_000_000 }],
    ] as const)
      await insertKeptAnswer(world.raw().db, { ...row, digest }, bounds)
    const left = await world.raw().db.selectFrom('kept_answers').select('digest').execute()
    expect(left.map(({ digest }) => digest)).toEqual(expect.arrayContaining(['newest by number', 'newest by size']))
    expect([left.length, await own().get('id 0'), (await own().get('id 16'))?.length]).toEqual([4, undefined, large.length])
  })
})
