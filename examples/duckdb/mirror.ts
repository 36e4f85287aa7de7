/**
 * Keeps a table of DuckDB equal to the copy of an entity. It may be ended at any time: the next run continues.
 *
 *     npm install ferrule @duckdb/node-api
 *     node mirror.ts users.duckdb            # to the newest change; with --follow it waits for more
 */
import { DuckDBInstance } from '@duckdb/node-api'
import { connect, FerruleError } from 'ferrule'

const [file = 'users.duckdb', option] = process.argv.slice(2)
const gong = connect('gong') // the service of FERRULE_URL
const database = await (await DuckDBInstance.create(file)).connect()
await database.run(`
  create table if not exists users (key text primary key, email text, record json not null, snapshot integer not null);
  create table if not exists feed (id integer primary key, cursor text, snapshot integer not null);
  insert or ignore into feed values (1, null, 0)`)

/** Writes whole numbers beyond 2^53 as strings. */
const write = (value: unknown): string => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))

/** Stores a page and the cursor behind it, or nothing. DuckDB takes many rows in one statement. */
async function store(page: Page, cursor: string | undefined): Promise<void> {
  await database.run('begin')
  if (page.types.has('snapshot_begin')) await database.run('update feed set snapshot = snapshot + 1')
  const rows = `select unnest(from_json($rows, '[{"key":"VARCHAR","email":"VARCHAR","record":"JSON"}]'), recursive := true)`
  await database.run(`insert or replace into users select *, (select snapshot from feed) from (${rows})`, { rows: write(page.rows) })
  await database.run(`delete from users where key in (select unnest(from_json($keys, '["VARCHAR"]')))`, { keys: write(page.removed) })
  if (page.types.has('snapshot_end')) await database.run('delete from users where snapshot < (select snapshot from feed)')
  await database.run('update feed set cursor = $cursor', { cursor: cursor ?? null })
  await database.run('commit')
}

const startPage = () => ({ types: new Set<string>(), rows: [] as object[], removed: [] as string[] })
type Page = ReturnType<typeof startPage>

async function follow(): Promise<void> {
  const [[stored] = []] = (await database.runAndReadAll('select cursor from feed')).getRows()
  let [after, page] = [typeof stored === 'string' ? stored : undefined, startPage()]
  for await (const change of gong.users.changes({ after, follow: option === '--follow' })) {
    page.types.add(change.type)
    if ('record' in change) page.rows.push({ key: change.key, email: change.record.emailAddress, record: change.record })
    else if (change.type === 'removed') page.removed.push(change.key)
    if (change.cursor === after) continue // more entries of the page follow
    await store(page, change.cursor)
    ;[after, page] = [change.cursor, startPage()]
  }
}

try {
  await follow()
} catch (error) {
  if (!(error instanceof FerruleError) || error.code !== 'changes_expired') throw error
  await database.run('update feed set cursor = null') // all records come again, between marks
  await follow()
}
await gong.close()
