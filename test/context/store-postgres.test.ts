import { afterAll, describe, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { ContextStoreSettings } from '../../packages/server/src/copies/store/database/settings.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { openLine } from '../support/line.ts'
import { createTestDatabase, runSql } from '../support/postgres.ts'
import { createSearcher } from '../support/searcher.ts'
import { createRef, notesOf, oneValue, refusal, testKind } from './store-world.ts'

const settingsOf = (url: string): ContextStoreSettings => ({
  engine: 'postgres',
  url: new Secret(url),
  searches: 2,
  writers: 2,
  waiting: 10,
  searchSeconds: 400,
})

describe('a PostgreSQL database', async () => {
  const database = await createTestDatabase('context_store_server')
  afterAll(() => database.drop())

  const run = (text: string) => runSql(database.url, text)
  const named = (name: string): string => {
    const url = new URL(database.url)
    url.pathname = `/${name}`
    return url.href
  }
  const checked = async (url: string): Promise<string> => {
    const store = new ContextStore({ settings: settingsOf(url), kinds: [testKind()] })
    const said = await refusal(store.checkDatabase())
    await store.close()
    return said
  }

  test.each([
    ['folds ASCII only', "encoding 'UTF8' lc_collate 'C' lc_ctype 'C'", 'sorts text or folds case by other rules'],
    ['holds no UTF-8', "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'", 'does not hold UTF-8'],
  ])('that %s is refused with what to do', async (_what, options, reason) => {
    const name = `${new URL(database.url).pathname.slice(1, 50)}_wrong`
    await run(`create database "${name}" template template0 ${options}`)
    const said = await checked(named(name))
    await run(`drop database "${name}"`)
    expect(said).toContain('setting_invalid: The setting CONTEXT_DATABASE_URL is not valid: ')
    expect(said).toContain(reason)
    expect(said).toContain("create database ferrule_context template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'")
  })

  test('that is not there, or does not answer, is told without its password', async () => {
    const wrong = new URL(database.url)
    wrong.password = 'wrong-password'
    expect(await checked(wrong.href)).toMatch(
      /^setting_invalid: The setting CONTEXT_DATABASE_URL is not valid: the server says: password auth/,
    )
    expect(await checked(named('nothing_here'))).toMatch(/the server says: database "nothing_here" does not exist\.$/)
    const silent = 'postgresql://u:wrong-password@127.0.0.1:1/x'
    expect(await checked(silent)).toBe('context_store_unavailable: The copies are not available.')
    expect(await checked(wrong.href)).not.toContain('wrong-password')
  })

  test('keeps the plan of a search by key, and plans other searches for their values', async () => {
    const store = new ContextStore({ settings: settingsOf(database.url), kinds: [testKind()] })
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, 0, 20), asked: 1 })
    const searcher = createSearcher(store)
    const key = Buffer.from('key')
    const search = (filter: unknown) => searcher.search({ ref, params: { query: { filter } }, key, now: 1 })
    for (let index = 0; index < 8; index += 1) {
      const byKey = await search({ eq: { id: index } })
      expect([byKey?.count, (await search({ like: { title: 'o' } }))?.count]).toEqual([1, 20])
    }
    const text = "select sum(generic_plans) as kept, sum(custom_plans) as fresh from pg_prepared_statements where parameter_types <> '{}'"
    const plansOf = async (hasOnePlan: boolean) => (await (await store.openDatabase()).query({ text }, { hasOnePlan })).rows[0]
    expect(await plansOf(true)).toMatchObject({ kept: '6', fresh: '0' })
    expect(await plansOf(false)).toMatchObject({ kept: '0' })
    await store.close()
  })

  test('lets searches read only', async () => {
    const store = new ContextStore({ settings: settingsOf(database.url), kinds: [testKind()] })
    await store.writeBatch(createRef(), { records: notesOf(store, 0, 1), asked: 1 })
    const reading = (await store.openDatabase()).query({ text: 'delete from cs_test_kind_notes' })
    await expect(reading).rejects.toThrow('cannot execute DELETE in a read-only transaction')
    await store.close()
  })

  test('may read with several processes for every search: no function of ours forbids it', async () => {
    const store = new ContextStore({ settings: settingsOf(database.url), kinds: [testKind()] })
    const text = "select coalesce(string_agg(proname, ' '), '') from pg_proc where proname like 'cs\\_%' and proparallel <> 's'"
    expect(await oneValue(await store.openDatabase(), text)).toBe('')
    await store.close()
  })

  test('that restarts its connections is used again', async () => {
    const store = new ContextStore({ settings: settingsOf(database.url), kinds: [testKind()] })
    const context = await store.openDatabase()
    expect(await oneValue(context, 'select 1')).toBe(1)
    const running = refusal(context.query({ text: 'select count(*) from generate_series(1, 100000000000)' }))
    await context.withConnection(async (ask) => {
      const text = `select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'active'`
      for (let ended = 0; ended === 0; ) ended = Number((await ask({ text })).rows[0]?.['count'])
    })
    expect(await running).toBe('context_store_unavailable: The copies are not available.')
    expect(await oneValue(context, 'select 1')).toBe(1)
    await store.close()
  })

  test('that says why a statement failed and takes no other is left, by searches and by writes', async () => {
    const line = await openLine(database.url)
    const settings = { ...settingsOf(line.url), searches: 1, writers: 1 }
    const store = new ContextStore({ settings, kinds: [testKind()] })
    const context = await store.openDatabase()
    const endless = { text: 'select count(*) from generate_series(1, 100000000000)' }
    expect(await oneValue(context, 'select 1')).toBe(1)
    line.silenceAfterError()
    expect(await refusal(context.query(endless, { timeoutMs: 2_000 }))).toMatch(/^context_store_timeout/)
    expect(await oneValue(context, 'select 1')).toBe(1)
    line.silenceAfterError()
    expect(await refusal(context.transaction((session) => session.query(endless), { timeoutMs: 2_000 }))).toMatch(/^context_store_timeout/)
    expect(await context.transaction((session) => session.query({ text: 'select 2' }))).toMatchObject({ count: 1 })
    await store.close()
    line.close()
  })
})
