import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { BodyDigests, digestBody, type FoldOptions, Folds } from '../../packages/server/src/copies/folds.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import type { StoredRecord } from '../../packages/server/src/copies/store/row-encoder.ts'
import { toStoredRecord } from '../../packages/server/src/copies/sync/walk/records.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, overStatements, rowsOf } from './store-world.ts'

interface User {
  readonly id: string
  readonly firstName: string
}

const user = (id: number, firstName: string): User => ({ id: String(id), firstName })
const entity = 'users'
const definition = kinds.gong.definition.entities.users
const table = buildSearchTable('gong', entity, definition)

/** Builds a user as a sync passes it to the store. */
function stored(record: User): StoredRecord {
  const made = toStoredRecord({ definition, sync: definition.sync }, table, { record, params: {} })
  if (made === undefined) throw new Error('a user has an id')
  return made
}

overStatements('a page that was read before', async (engine) => {
  let asked: number
  const world = await share(createStoreWorld(engine))
  const options = { kinds: [kinds.gong.definition] }
  const store = world.open(options)
  /** The store of another node; an embedded database has one node. */
  const other = engine === 'postgres' ? world.open(options) : store
  asked = world.now

  const tick = (): number => {
    asked += 1
    world.now = asked
    return asked
  }

  /** Begins a copy, and returns what reads pages of it; `writes` counts what went to the database. */
  async function begin(isDigested = true) {
    const ref = { connector: createRef().connector, kind: 'gong', entity }
    let writes = 0
    let told = 0
    const counted: FoldOptions['store'] = {
      getTable: (kind, name) => store.getTable(kind, name),
      readChanges: (entity) => store.readChanges(entity),
      peekChanges: (entity) => store.peekChanges(entity),
      forgetRecords: (gone) => store.forgetRecords(gone),
      foldLive: (...given) => {
        writes += 1
        return store.foldLive(...given)
      },
    }
    const folds = new Folds({
      store: counted,
      onFold: () => {
        told += 1
      },
    })
    const credentials = { open: () => Promise.reject(new Error('opened')), renew: () => Promise.reject(new Error('renewed')) }
    const own = { organizationId: '', workspaceId: '', connectorId: ref.connector }
    /** Reads a page live, and waits until the copy has it. */
    const read = async (users: readonly User[], { at = tick(), configuration = {}, params = {} } = {}): Promise<number> => {
      const access: ConnectorAccess = { ref: own, status: 'active', connection: { kind: kinds.gong, configuration, credentials } }
      const call = { entity, action: 'list', params }
      const before = { told, writes }
      const digest = isDigested ? { digest: folds.findDigest(access, call)?.(Buffer.from(JSON.stringify(users))) ?? '' } : {}
      folds.offer(access, call, { outcome: { type: 'list', data: users, meta: {}, ...digest }, asked: at })
      while (told === before.told) await new Promise((resolve) => setImmediate(resolve))
      return writes - before.writes
    }
    await other.writeBatch(ref, { records: [], asked: 0 })
    return { ref, read, close: () => folds.close() }
  }

  const names = async (ref: Parameters<typeof rowsOf>[1]) =>
    (await rowsOf(store, ref, 'id, "firstName" as name')).map((row) => `${String(row['id'])} ${String(row['name'])}`)

  test('costs no write while nothing has changed; a changed record is written', async () => {
    const { ref, read, close } = await begin()
    expect(await read([user(1, 'Ada'), user(2, 'Grace')])).toBe(1)
    expect(await read([user(1, 'Ada'), user(2, 'Grace')])).toBe(0)
    expect(await read([user(1, 'Ada'), user(2, 'Barbara')])).toBe(1)
    expect(await names(ref)).toEqual(['1 Ada', '2 Barbara'])
    await close()
  })

  test('is compared with the count of changes, which stays until somebody writes', async () => {
    const { ref } = await begin()
    const database = await store.openDatabase()
    const first = await store.readChanges(ref)
    const before = database.countWrites()
    expect(await store.readChanges(ref)).toBe(first)
    expect(database.countWrites()).toBe(before)
    await other.writeBatch(ref, { records: [stored(user(1, 'Ada'))], asked: tick() })
    expect(await store.readChanges(ref)).toBe((first ?? 0n) + 1n)
    await other.removeConnector(ref.connector)
    expect(await store.readChanges({ ...ref, connector: createRef().connector })).toBeUndefined()
  })

  test('is written again after a sync of any node replaced a record', async () => {
    const { ref, read, close } = await begin()
    await read([user(1, 'Ada')])
    await other.writeBatch(ref, { records: [stored(user(1, 'Grace'))], asked: tick() })
    expect(await read([user(1, 'Ada')])).toBe(1)
    expect(await names(ref)).toEqual(['1 Ada'])
    await close()
  })

  test('is written again after a reset of the copy, and after a deletion of its records', async () => {
    const { ref, read, close } = await begin()
    await read([user(1, 'Ada')])
    await other.deleteAll(ref)
    expect(await read([user(1, 'Ada')])).toBe(1)
    await other.forgetRecords({ ...ref, values: ['1'], below: [], at: tick() })
    expect(await read([user(1, 'Ada')], { at: asked - 1 })).toBe(1)
    expect(await names(ref)).toEqual([])
    expect(await read([user(1, 'Ada')])).toBe(1)
    expect(await names(ref)).toEqual(['1 Ada'])
    await close()
  })

  test('is not remembered where a later record won', async () => {
    const { ref, read, close } = await begin()
    const early = tick()
    await other.writeBatch(ref, { records: [stored(user(1, 'Grace'))], asked: tick() })
    expect(await read([user(1, 'Ada')], { at: early })).toBe(1)
    expect(await names(ref)).toEqual(['1 Grace'])
    expect(await read([user(1, 'Ada')])).toBe(1)
    expect(await names(ref)).toEqual(['1 Ada'])
    await close()
  })

  test('counts as seen by a complete pass that began later', async () => {
    const { ref, read, close } = await begin()
    await read([user(1, 'Ada')])
    await other.beginPass(ref, 'pass')
    expect(await read([user(1, 'Ada')])).toBe(1)
    expect(await read([user(1, 'Ada')])).toBe(0)
    expect(await other.sweep(ref, 'pass')).toBe(0)
    await close()
  })

  test('is another page with other parameters or another configuration', async () => {
    const { read, close } = await begin()
    await read([user(1, 'Ada')])
    expect(await read([user(1, 'Ada')], { params: { cursor: 'a' } })).toBe(1)
    expect(await read([user(1, 'Ada')], { configuration: { include_private_calls: true } })).toBe(1)
    await close()
  })

  test('leaves the copy as if each page were written', async () => {
    const [short, whole] = [await begin(), await begin(false)]
    const page = fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 3 }), name: fc.constantFrom('Ada', 'Grace') }), {
      selector: ({ id }) => id,
      minLength: 1,
    })
    const step = fc.record({ what: fc.constantFrom('read', 'read', 'late', 'sync', 'forget', 'reset'), page })
    const does = async ({ ref, read }: typeof short, { what, page }: { what: string; page: { id: number; name: string }[] }) => {
      const users = page.map(({ id, name }) => user(id, name))
      if (what === 'read' || what === 'late') await read(users, { at: what === 'late' ? asked - 1 : asked })
      else if (what === 'sync') await other.writeBatch(ref, { records: users.map(stored), asked })
      else if (what === 'forget') await other.forgetRecords({ ...ref, values: users.map(({ id }) => id), below: [], at: asked })
      else await other.deleteAll(ref)
    }
    const run = async (steps: readonly { what: string; page: { id: number; name: string }[] }[]): Promise<void> => {
      for (const each of steps) {
        tick()
        tick()
        await does(short, each)
        await does(whole, each)
        expect(await names(short.ref)).toEqual(await names(whole.ref))
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), run), { numRuns: 8 })
    await short.close()
    await whole.close()
  })
})

test('the digest of a body changes with any byte', () => {
  expect(digestBody(Buffer.from('[1]'))).not.toBe(digestBody(Buffer.from('[2]')))
})

test('kept bodies never change a digest, whatever was read before and whatever becomes of its memory', () => {
  const read = fc.record({
    list: fc.constantFrom('a users', 'b users'),
    text: fc.constantFrom('[1]', '[2]', '[1,2]', '', ' '.repeat(200_000)),
  })
  fc.assert(
    fc.property(fc.array(read, { minLength: 8, maxLength: 40 }), (reads) => {
      const digests = new BodyDigests()
      for (const [index, { list, text }] of reads.entries()) {
        const body = Buffer.from(text)
        expect(digests.digest(list, body)).toBe(digestBody(Buffer.from(text)))
        body.fill(0)
        if (index === 20) digests.clear()
      }
      digests.clear()
    }),
  )
})
