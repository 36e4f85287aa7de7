/** The programs of `examples/` that keep a table equal to a copy: also after a cursor that has expired while records were deleted. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, describe, expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { root } from '../../scripts/paths.mjs'
import { allFound, onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { client } from '../http/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder('mirror')
const world = await startCopyWorld('embedded')
const connector = await syncedConnector(world, 'gong', onlyUsers)
afterAll(() => world.close())

const ref = () => ({ connector, kind: 'gong', entity: 'users' })
function write(users: Readonly<Record<string, string>>, removed: readonly string[] = []) {
  const { store } = world.context
  const keyOf = (id: string): string => buildPrimaryKey(store.getTable('gong', 'users').key, { id }) ?? id
  const records = Object.entries(users).map(([id, emailAddress]) => ({ key: keyOf(id), fields: { id, emailAddress } }))
  return store.writeBatch(ref(), { records, removed: removed.map(keyOf), asked: world.clock.now })
}

type Row = readonly [key: unknown, email: unknown, record: unknown]
const columns = 'select key, email, record from users order by key'
/** Reads the table that an example keeps. */
const readers: Readonly<Record<string, (file: string) => Promise<readonly Row[]>>> = {
  sqlite: async (file) => {
    using database = new DatabaseSync(file)
    return database
      .prepare(columns)
      .all()
      .map(({ key, email, record }): Row => [key, email, record])
  },
  duckdb: async (file) => {
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    const rows = (await connection.runAndReadAll(columns)).getRows()
    connection.closeSync()
    instance.closeSync()
    return rows.map(([key, email, record]): Row => [key, email, record])
  },
}

describe.each(Object.entries(readers))('examples/%s/mirror.ts', (name, read) => {
  const run = async (): Promise<readonly Row[]> => {
    const file = join(folder, `users.${name}`)
    const service = { FERRULE_URL: world.url, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret }
    const env = { ...buildSourceEnvironment(), ...service }
    await promisify(execFile)(process.execPath, [join(root, 'examples', name, 'mirror.ts'), file], { env })
    return (await read(file)).map(([key, email, record]) => [key, email, JSON.parse(String(record))])
  }
  const copied = async (): Promise<readonly Row[]> =>
    (await allFound(world, connector, { entity: 'users', params: { query: {} } }))
      .map((record): Row => [record.id, record.emailAddress, record])
      .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))

  test('equals the copy: at first, after changes, and after changes that were lost', async () => {
    expect(await run()).toEqual(await copied())
    await write({ 1: 'one@example.com', 2: 'two@example.com', 3: 'three@example.com' })
    await write({ 2: 'second@example.com' }, ['1'])
    const rows = await run()
    expect(rows).toEqual(await copied())
    expect(rows.find(([key]) => key === '2')?.[1]).toBe('second@example.com')
    await world.context.store.deleteAll(ref())
    await write({ 3: 'third@example.com', 4: 'four@example.com' })
    expect((await run()).map(([key, email]) => [key, email])).toEqual([
      ['3', 'third@example.com'],
      ['4', 'four@example.com'],
    ])
    expect(await run()).toEqual(await copied())
  })
})
