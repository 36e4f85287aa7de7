/**
 * Keeps a table of SQLite equal to the copy of an entity. It may be ended at any time: the next run continues.
 *
 *     npm install ferrule
 *     node mirror.ts users.sqlite            # to the newest change; with --follow it waits for more
 */
import { DatabaseSync } from 'node:sqlite'
import { connect, FerruleError } from 'ferrule'

const [file = 'users.sqlite', option] = process.argv.slice(2)
const gong = connect('gong') // the service of FERRULE_URL
const database = new DatabaseSync(file)
database.exec(`
  create table if not exists users (key text primary key, email text, record text not null, snapshot integer not null) strict;
  create table if not exists feed (id integer primary key check (id = 1), cursor text, snapshot integer not null) strict;
  insert or ignore into feed values (1, null, 0)`)
const put = database.prepare('insert or replace into users select ?, ?, ?, snapshot from feed')
const remove = database.prepare('delete from users where key = ?')
const beginSnapshot = database.prepare('update feed set snapshot = snapshot + 1')
const removeUnmet = database.prepare('delete from users where snapshot < (select snapshot from feed)')
const saveCursor = database.prepare('update feed set cursor = ?')

/** Writes whole numbers beyond 2^53 as strings. */
const write = (value: unknown): string => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))

async function follow(): Promise<void> {
  const stored = database.prepare('select cursor from feed').get()?.['cursor']
  let after = typeof stored === 'string' ? stored : undefined
  for await (const change of gong.users.changes({ after, follow: option === '--follow' })) {
    if (!database.isTransaction) database.exec('begin immediate')
    if ('record' in change) put.run(change.key, change.record.emailAddress, write(change.record))
    else if (change.type === 'removed') remove.run(change.key)
    else if (change.type === 'snapshot_begin') beginSnapshot.run()
    else removeUnmet.run() // snapshot_end: who was not met was deleted
    if (change.cursor === after) continue // more entries of the page follow
    after = change.cursor
    saveCursor.run(after ?? null) // with what it stands for, or not at all
    database.exec('commit')
  }
}

try {
  await follow()
} catch (error) {
  if (!(error instanceof FerruleError) || error.code !== 'changes_expired') throw error
  saveCursor.run(null) // all records come again, between marks
  await follow()
}
await gong.close()
