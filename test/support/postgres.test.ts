import { describe, expect, test } from 'vitest'
import { createTestDatabase, runSql } from './postgres.ts'
import { findBinaries } from './postgres-binaries.ts'
import { startCluster } from './postgres-cluster.ts'

/** Runs one statement and answers its first row. */
const row = async (url: string, statement: string) => (await runSql(url, statement))[0]

describe('test databases', () => {
  test('are empty, apart from each other, and gone when dropped', async () => {
    const [one, two] = await Promise.all([
      createTestDatabase('one'),
      createTestDatabase('two, with a name that is far too long for PostgreSQL'),
    ])
    await row(one.url, 'create table only_here (id int)')
    expect(await row(two.url, "select to_regclass('only_here') as found")).toEqual({ found: null })
    await Promise.all([one.drop(), two.drop()])
    await expect(row(one.url, 'select 1')).rejects.toThrow('does not exist')
  })

  test('keep what was committed, and compare text as the context store needs it', async () => {
    const database = await createTestDatabase('settings')
    await row(database.url, 'create extension pg_trgm')
    expect(await row(database.url, "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit")).toEqual({
      fsync: 'on',
      commit: 'on',
    })
    expect(
      await row(database.url, "select lower('Ж') = 'ж' as folds, 'Z' < 'a' as bytes, cardinality(show_trgm('Привет')) > 0 as trigrams"),
    ).toEqual({ folds: true, bytes: true, trigrams: true })
    await database.drop()
  })
})

describe('every PostgreSQL found here starts, also as root, and goes away', () => {
  test.each(findBinaries())('$from $major in $folder', async (binaries) => {
    const cluster = await startCluster([binaries])
    try {
      const found = await row(cluster.url, "select current_setting('server_version_num')::int / 10000 as major")
      expect(found).toEqual({ major: binaries.major })
    } finally {
      await cluster.stop()
    }
    await expect(row(cluster.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  })
})
