/** Kills processes that write to a store, and compares what they acknowledged with what is there. */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { ContextStore } from '../../src/context/store/types.ts'
import { batchSize, type KillWriterOptions, killPlace } from './store-kill-writer.ts'
import { oneValue } from './store-records.ts'

const program = fileURLToPath(new URL('./store-kill-writer.ts', import.meta.url))
/** Batches that a writer lives for, at most, and milliseconds after the last of them. */
const longestLife = 4
const longestRest = 60

/** Starts a writer, kills it at a random moment after it is ready, and answers the last batch that it acknowledged (0: none). */
export async function writeAndKill(options: KillWriterOptions): Promise<number> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = 0
  let life = randomInt(longestLife + 1)
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^\d+$/.test(line)) acknowledged = Number(line)
    if (life === 0) setTimeout(() => child.kill('SIGKILL'), randomInt(longestRest))
    life -= 1 // the first line says that it is ready
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  if (child.signalCode !== 'SIGKILL') throw new Error('the writer ended by itself')
  if (options.url !== undefined) await sessionsEnded(options.url)
  return acknowledged
}

/** A session of a killed client can still finish the statement that it was given. */
async function sessionsEnded(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'watcher' })
  await client.connect()
  const text = `select count(*)::int4 as left from pg_stat_activity where datname = current_database() and application_name like 'ferrule%'`
  for (let left = 1; left > 0; ) left = (await client.query<{ left: number }>(text)).rows[0]?.left ?? 0
  await client.end()
}

/**
 * Compares the store with what its writers do: batch n writes the notes from (n-1)/2 batches on, with its own number.
 * @returns the batch that the progress tells
 * @throws when rows, their count, the index of words and the progress do not agree
 */
export async function compareKilled(store: ContextStore): Promise<number> {
  const progress = Number((await store.checkpoints(killPlace)).get('batch') ?? 0)
  const answer = await store.search(killPlace, (table, number) => ({
    text: `select id, state from "${table.name}" where connector_id = $1 order by id`,
    values: [number],
  }))
  const half = batchSize / 2
  const expected = progress === 0 ? 0 : (progress + 1) * half
  const rows = answer?.rows ?? []
  const wrong = rows.findIndex(
    ({ id, state }, index) => Number(id) !== index || Number(state) !== Math.min(progress, Math.floor(index / half) + 1),
  )
  if (rows.length !== expected || wrong >= 0)
    throw new Error(`after batch ${progress}: ${rows.length} rows, row ${wrong} is not as it was written`)
  const counted = (await store.counts(killPlace.connector)).get('notes') ?? 0
  if (counted !== expected) throw new Error(`${counted} rows are counted, ${expected} are there`)
  if (answer !== undefined) await compareIndex(store, expected)
  return progress
}

/** The index of words must know every row. */
async function compareIndex(store: ContextStore, expected: number): Promise<void> {
  const database = await store.database()
  const found = await database.pinned(async (run) => {
    await run({ text: 'set enable_seqscan = off' })
    const { rows } = await run({
      text: `select count(*)::int4 as n from cs_test_kind_notes where connector_id = 1 and "title$s" @> '{writer}'`,
    })
    await run({ text: 'reset enable_seqscan' })
    return rows[0]?.['n']
  })
  if (found !== expected) throw new Error(`the index of words finds ${found} of ${expected} rows`)
  if (expected > 0 && (await oneValue(database, `select count(*) from cs_terms where term = 'writer'`)) !== 1n)
    throw new Error('the word of the rows is not listed')
}
