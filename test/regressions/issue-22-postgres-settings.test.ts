// Issue 22, C8: what people set at PostgreSQL ended in stacks, lost session settings, or needed restarts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { openPostgres } from '../../packages/server/src/db/postgres.ts'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { createRef, notesOf, testKind } from '../context/store-world.ts'
import { firstPrincipal, masterKey, refusal } from '../platform/world.ts'
import { createAuthority } from '../support/certificates.ts'
import { type EncryptedLine, openEncryptedLine } from '../support/encrypted-line.ts'
import { createStubEngine } from '../support/engines.ts'
import { makeFolder } from '../support/folder.ts'
import { openLine } from '../support/line.ts'
import { createTestDatabase, runSql, untilReady } from '../support/postgres.ts'

const folder = makeFolder('postgres-settings')
const path = (name: string): string => join(folder, name)
const role = `limited_${Math.random().toString(36).slice(2)}`
const rolePassword = 'a-password-that-stays-hidden'
const database = await createTestDatabase('settings')
const run = (text: string, url = database.url) => runSql(url, text)
await run(`create role ${role} login password '${rolePassword}'`)
afterAll(async () => {
  await run(`drop owned by ${role}; drop role ${role}`)
  await database.drop()
})

/** Returns the URL with parameters, and with another user. */
function urlWith(params: Readonly<Record<string, string>>, base = database.url, user?: { readonly password: string }): string {
  const url = new URL(base)
  if (user !== undefined) [url.username, url.password] = [role, user.password]
  const query = Object.entries(params).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return [url.href, ...query].join('&') // the address of a test's database has a parameter already
}
const read = (env: Readonly<Record<string, string>>) => readSettings({ FERRULE_MASTER_KEY: masterKey(1), ...env }, { kinds: [] })
const open = (env: Readonly<Record<string, string>>) => openPlatform({ settings: read(env), kinds: [], engine: () => createStubEngine() })
const openStore = (url: string) =>
  new ContextStore({
    settings: { engine: 'postgres', url: new Secret(url), searches: 2, writers: 2, waiting: 10, searchSeconds: 400 },
    kinds: [testKind()],
  })
const checkStore = async (url: string): Promise<string> => {
  const store = openStore(url)
  const said = await refusal(store.checkDatabase())
  await store.close()
  return said
}

describe('encryption', async () => {
  const authority = createAuthority()
  const line = await openEncryptedLine(database.url, authority.issue('127.0.0.1'))
  const elsewhere = await openEncryptedLine(database.url, authority.issue('db.example'))
  writeFileSync(path('ca.pem'), authority.cert)
  writeFileSync(path('other.pem'), createAuthority('Another').cert)
  writeFileSync(path('no.pem'), 'no PEM')
  afterAll(() => {
    line.close()
    elsewhere.close()
  })
  const answer = async (from: EncryptedLine, params: Readonly<Record<string, string>>): Promise<string> => {
    const raw = openPostgres({ url: new Secret(urlWith(params, from.url)) })
    const said = await sql`select 1`.execute(raw.db).then(
      () => 'works',
      (thrown: Error) => thrown.message,
    )
    await raw.close()
    return said
  }

  test.each([
    [
      'require',
      {},
      'is not signed by a known authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE); name the file of your authority with sslrootcert',
    ],
    ['prefer', {}, 'is not signed by a known authority'],
    ['verify-full', { sslrootcert: 'system' }, 'is not signed by a known authority'],
    ['verify-full', { sslrootcert: path('other.pem') }, 'is not signed by a known authority'],
    ['require', { sslrootcert: path('missing.pem') }, 'the file that its sslrootcert names cannot be read (ENOENT); correct the path'],
    ['require', { sslrootcert: path('no.pem') }, 'the file that its sslrootcert names holds no PEM'],
    ['require', { sslcert: path('missing.pem') }, 'the file that its sslcert names cannot be read (ENOENT)'],
  ])('sslmode=%s with %j is a sentence with the setting and the way out', async (sslmode, params, expected) => {
    const said = await answer(line, { sslmode, ...params })
    expect(said).toContain('The setting DATABASE_URL is not valid: ')
    expect(said).toContain(expected)
    expect(said).not.toContain(' at ')
  })

  test('each mode checks what the table says', async () => {
    const sslrootcert = path('ca.pem')
    expect(await answer(line, { sslmode: 'no-verify' })).toBe('works')
    expect(await answer(line, { sslmode: 'require', sslrootcert })).toBe('works')
    expect(await answer(line, { sslmode: 'verify-full', sslrootcert })).toBe('works')
    expect(await answer(elsewhere, { sslmode: 'verify-full', sslrootcert })).toContain('is for another host name')
    expect(await answer(elsewhere, { sslmode: 'verify-ca', sslrootcert })).toBe('works')
    expect(await answer({ ...line, url: database.url }, { sslmode: 'require' })).toContain('the server takes no TLS connections')
    expect(await answer({ ...line, url: database.url }, { sslmode: 'disable' })).toBe('works')
  })
})

describe('sessions', () => {
  test('write under read committed although the role says serializable', async () => {
    const own = await createTestDatabase('serializable')
    await run(`alter database "${new URL(own.url).pathname.slice(1)}" set default_transaction_isolation = serializable`)
    const platform = await open({ DATABASE_URL: own.url })
    const principal = await firstPrincipal(platform)
    const create = (index: number) => platform.organizations.create(principal, { name: `made ${index}` })
    const made = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => create(index)))
    expect(made.filter(({ status }) => status === 'rejected')).toEqual([])
    await platform.close()
    await own.drop()
  })

  test('a deadlock is tried again', async () => {
    const raw = openPostgres({ url: new Secret(database.url) })
    await run('create table if not exists pairs (id int primary key, n int not null); insert into pairs values (1, 0), (2, 0)')
    const met = Promise.withResolvers<void>()
    let held = 0
    const add = (first: number, second: number) =>
      raw.transaction(async (db) => {
        await sql`update pairs set n = n + 1 where id = ${first}`.execute(db)
        held += 1
        if (held === 2) met.resolve()
        await met.promise
        await sql`update pairs set n = n + 1 where id = ${second}`.execute(db)
      })
    await Promise.all([add(1, 2), add(2, 1)])
    expect(await run('select n from pairs')).toEqual([{ n: 2 }, { n: 2 }])
    expect(held).toBeGreaterThan(2)
    await raw.close()
  })

  test('?options= keeps the settings of the service', async () => {
    const url = urlWith({ options: '-c statement_timeout=1 -c lc_messages=C -c extra_float_digits=2' })
    const raw = openPostgres({ url: new Secret(url) })
    const asked = sql<{
      limits: string
    }>`select current_setting('statement_timeout') || ' ' || current_setting('extra_float_digits') as limits`
    expect((await asked.execute(raw.db)).rows).toEqual([{ limits: '30s 2' }])
    await raw.close()
    const store = openStore(url)
    const text = "select current_setting('plan_cache_mode') || ' ' || current_setting('extra_float_digits') as found"
    expect((await (await store.openDatabase()).query({ text })).rows).toEqual([{ found: 'force_custom_plan 2' }])
    await store.close()
  })

  test('are as many as FERRULE_DATABASE_CONNECTIONS', async () => {
    const own = await createTestDatabase('connections')
    const platform = await open({ DATABASE_URL: urlWith({ application_name: 'counted' }, own.url), FERRULE_DATABASE_CONNECTIONS: '3' })
    const principal = await firstPrincipal(platform)
    await Promise.all(Array.from({ length: 30 }, (_, index) => platform.workspaces.create(principal, { name: `w${index}` })))
    const [row] = await run("select count(*)::int4 as count from pg_stat_activity where application_name = 'counted'", own.url)
    expect(Number(row?.['count'])).toBeLessThanOrEqual(3 + 2)
    await platform.close()
    await own.drop()
  })
})

describe('rights', async () => {
  const own = await createTestDatabase('rights')
  await run('revoke create on schema public from public', own.url)
  afterAll(async () => {
    await run(`drop owned by ${role}`, own.url)
    await own.drop()
  })
  const limited = () => urlWith({}, own.url, { password: rolePassword })

  test('that are missing on the schema are named with the setting, for both databases', async () => {
    const state = await refusal(open({ DATABASE_URL: limited() }))
    expect(state).toMatch(
      /^setting_invalid: The setting DATABASE_URL is not valid: the server says: permission denied for schema public; let/,
    )
    for (const name of ['pg_trgm', 'btree_gin', 'fuzzystrmatch']) await run(`create extension ${name}`, own.url)
    const copy = await checkStore(limited())
    expect(copy).toMatch(
      /^setting_invalid: The setting CONTEXT_DATABASE_URL is not valid: the server says: permission denied for schema public; let/,
    )
    expect(state + copy).toContain('grant usage, create on schema public to')
    expect(state + copy).not.toContain(rolePassword)
  })

  test('on an extension in another schema are named with the setting', async () => {
    await run('grant create on schema public to public; create schema apart; alter extension pg_trgm set schema apart', own.url)
    const said = await checkStore(limited())
    expect(said).toContain(
      'CONTEXT_DATABASE_URL is not valid: the extension pg_trgm is in the schema apart, where sessions of this user do not look',
    )
    expect(said).toContain(`alter role "${role}" set search_path = public, "apart"`)
  })
})

describe('passwords', () => {
  const change = async (password: string): Promise<void> => {
    await run(`alter role ${role} password '${password}'`)
    await run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
  }
  const withoutPassword = () => urlWith({}, database.url, { password: '' })
  const ask = async (raw: ReturnType<typeof openPostgres>) => (await sql<{ one: number }>`select 1 as one`.execute(raw.db)).rows[0]?.one

  test.each([
    ['a file', { DATABASE_PASSWORD_FILE: path('password') }],
    ['a command', { DATABASE_PASSWORD_COMMAND: `test "$PGUSER" = ${role} && cat ${path('password')}` }],
  ])('of %s are renewed when the server refuses them', async (_what, env) => {
    writeFileSync(path('password'), 'first\n')
    await change('first')
    const { databasePassword } = read({ DATABASE_URL: withoutPassword(), ...env })
    const raw = openPostgres({ url: new Secret(withoutPassword()), password: databasePassword })
    expect(await ask(raw)).toBe(1)
    writeFileSync(path('password'), 'second\n')
    await change('second')
    await expect.poll(() => ask(raw).catch(() => 0)).toBe(1)
    await untilReady(raw)
    // A password that is wrong while the service runs is a passing fault, and heals by itself.
    await change('third')
    await expect.poll(() => raw.ready().catch((thrown: Error) => thrown.message)).toContain('refuses the user')
    expect(await refusal(ask(raw))).toBe('unavailable: The service is not ready: the database refuses the user or the password.')
    writeFileSync(path('password'), 'third\r\n')
    expect(await ask(raw)).toBe(1)
    await raw.close()
  })

  test('of a command that fails are a sentence', async () => {
    const raw = openPostgres({ url: new Secret(withoutPassword()), password: { command: 'echo hidden >&2; exit 3' } })
    const thrown = await ask(raw).catch((error: unknown) => error)
    expect(String(Reflect.get(Object(thrown), 'cause'))).toContain('the command of DATABASE_PASSWORD_COMMAND failed (3)')
    await raw.close()
    expect(() => read({ DATABASE_URL: withoutPassword(), DATABASE_PASSWORD_FILE: 'a', DATABASE_PASSWORD_COMMAND: 'b' })).toThrow(
      'DATABASE_PASSWORD_FILE is set too; remove one of them',
    )
  })
})

describe('several hosts', () => {
  const insertHost = (extra: string): string => database.url.replace('@', `@${extra},`)

  test('are tried one after the other, also when the used one goes', async () => {
    const line = await openLine(database.url)
    const { host } = new URL(line.url)
    const raw = openPostgres({ url: new Secret(`${insertHost(`127.0.0.1:1,${host}`)}&target_session_attrs=read-write`) })
    const ask = async () => (await sql`select 1`.execute(raw.db)).rows.length
    expect(await ask()).toBe(1)
    line.close()
    await expect.poll(() => ask().catch(() => 0)).toBe(1)
    await untilReady(raw)
    await raw.close()
  })

  test('work for the copy too', async () => {
    const store = openStore(insertHost('127.0.0.1:1'))
    await store.writeBatch(createRef(), { records: notesOf(store, 0, 3), asked: 1 })
    await untilReady(store)
    await store.close()
  })
})
