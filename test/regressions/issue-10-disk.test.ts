/** A disk that is full, a database that is damaged, a server that cannot be prepared, and a log that cannot be written. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { openSqlite } from '../../packages/server/src/db/sqlite.ts'
import { formatFailure } from '../../packages/server/src/main/failure.ts'
import { bundleOf } from '../../scripts/bundles.mjs'
import { base, startWorld } from '../http/support.ts'
import { buildSourceEnvironment, programLimit } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { createTestDatabase, runSql } from '../support/postgres.ts'

const newFolder = (): string => makeFolder('disk', onTestFinished)
afterEach(() => void vi.restoreAllMocks())

test('with a full disk a write is 503 with the reason, and ready says no until there is room', async () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec')
  await using stack = new AsyncDisposableStack()
  const world = await startWorld()
  stack.defer(() => world.close())
  const database = exec.mock.contexts.find((each) => each instanceof DatabaseSync && each.location()?.endsWith('ferrule.db'))
  if (!(database instanceof DatabaseSync)) throw new Error('the database was not opened')
  const pagesAtMost = (pages: number) => database.exec(`pragma max_page_count = ${pages}`)
  pagesAtMost(1) // no less than what it has
  const make = (name: string) => world.ask(`${base}/workspaces`, { token: world.token, body: { name } })
  const answers = []
  for (let count = 0; count < 400 && answers.at(-1)?.status !== 503; count += 1) answers.push(await make(`${count} ${'n'.repeat(200)}`))
  expect(answers.at(-1)?.json).toMatchObject({
    code: 'unavailable',
    retryable: true,
    message: expect.stringContaining('the disk of the database is full'),
  })
  expect(answers.slice(0, -1).every(({ status }) => status === 200)).toBe(true)
  const ready = await world.ask('/health/ready')
  expect([ready.status, ready.json.message]).toEqual([503, expect.stringContaining('the disk of the database is full')])
  expect((await world.ask('/health/live')).status).toBe(200)
  expect((await world.ask(`${base}/workspaces`, { token: world.token })).status).toBe(200) // reads still work
  pagesAtMost(1_000_000)
  expect((await world.ask('/health/ready')).status).toBe(200)
  expect((await make('room again')).status).toBe(200)
})

/** Returns what openSqlite ends with. */
async function openingOf(folder: string): Promise<string> {
  try {
    const database = openSqlite(folder, { exclusive: true })
    await sql`select count(*) from workspaces`.execute(database.db).finally(() => database.close())
    return 'opened'
  } catch (thrown) {
    return formatFailure(thrown)
  }
}

test.each([
  ['no database at all', () => Buffer.alloc(20_000, 'not a database ')],
  ['a database whose pages are lost', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xa5)])],
])('a file that is %s ends the start with a sentence and the way out', async (_what, damage) => {
  const folder = newFolder()
  const file = join(folder, 'ferrule.db')
  const made = new DatabaseSync(file)
  made.exec('create table workspaces (name text); insert into workspaces values (zeroblob(50000))')
  made.close()
  writeFileSync(file, damage(readFileSync(file)))
  const text = await openingOf(folder)
  expect(text).toContain('The service is not ready: the database ferrule.db in FERRULE_DATA is damaged.')
  expect(text).toContain('put back a backup')
  expect(text).not.toMatch(/\n\s+at /)
  rmSync(file)
  expect(await openingOf(folder)).toContain('no such table') // nothing holds the folder any more
})

test('PostgreSQL that cannot be prepared ends the start with its own words', async () => {
  const database = await createTestDatabase('unprepared')
  const lost = `create or replace function plpgsql_call_handler() returns language_handler language c as '$libdir/plpgsql_lost'`
  await runSql(database.url, lost).catch(() => undefined)
  await runSql(database.url, `update pg_proc set probin = '$libdir/plpgsql_lost' where proname like 'plpgsql_%'`)
  const folder = newFolder()
  const run = spawnSync(process.execPath, [bundleOf('service')], {
    ...programLimit,
    encoding: 'utf8',
    env: {
      ...buildSourceEnvironment(),
      FERRULE_DATA: folder,
      FERRULE_PORT: '0',
      FERRULE_SANDBOX: 'off',
      CONTEXT_DATABASE_URL: database.url,
    },
  })
  expect(run.status).toBe(78)
  expect(run.stderr).toContain('plpgsql_lost')
  expect(run.stderr).not.toMatch(/\n\s+at /)
})

test('a log that cannot be written ends nothing', () => {
  const full = openSync('/dev/full', 'w')
  const program = `
    import { createLogger } from './packages/server/src/main/logger.ts'
    const logger = createLogger({ level: 'info' })
    for (let count = 0; count < 100; count += 1) logger.error('x'.repeat(100_000))
    process.stdout.write('alive ' + (process.memoryUsage().heapUsed < 100_000_000))`
  const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
    ...programLimit,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', full],
  })
  closeSync(full)
  expect([run.status, run.stdout]).toEqual([0, 'alive true'])
})
