/** Kills processes that write to a store, and compares what they acknowledged with the stored data. */

import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { Row } from '../../packages/server/src/copies/store/database/database.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { batchSize, type KillWriterOptions, killRef } from './store-kill-writer.ts'
import { oneValue } from './store-records.ts'

const program = fileURLToPath(new URL('./store-kill-writer.ts', import.meta.url))
/** Maximum number of batches of a writer, and of milliseconds after the last one. */
const longestLife = 4
const longestRest = 60

/**
 * Starts a writer and kills it at a random time after it is ready.
 * @param least batches that it acknowledges before
 * @returns the last acknowledged batch (0: none)
 */
export async function writeAndKill(options: KillWriterOptions, least = 0): Promise<number> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = 0
  let life = randomInt(least, longestLife + 1)
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

/** Waits for the sessions of killed clients, which may still finish a statement. */
async function sessionsEnded(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'watcher' })
  await client.connect()
  const text = `select count(*)::int4 as left from pg_stat_activity where datname = current_database() and application_name like 'ferrule%'`
  for (let left = 1; left > 0; ) left = (await client.query<{ left: number }>(text)).rows[0]?.left ?? 0
  await client.end()
}

/**
 * Compares the store with what its writers do: batch n writes the notes from (n-1)/2 batches on, with its own number.
 * @returns the batch of the checkpoint
 * @throws when rows, counts, the index of words and the checkpoint disagree
 */
export async function compareKilled(store: ContextStore): Promise<number> {
  const progress = Number((await store.readCheckpoints(killRef)).get('batch') ?? 0)
  const text = `select id, state from "${store.getTable(killRef.kind, killRef.entity).name}" where connector_id = $1 order by id`
  const answer = await store.search(killRef, (session, number) => session.query<Row>({ text, values: [number] }))
  const half = batchSize / 2
  const expected = progress === 0 ? 0 : (progress + 1) * half
  const rows = answer?.rows ?? []
  const wrong = rows.findIndex(
    ({ id, state }, index) => Number(id) !== index || Number(state) !== Math.min(progress, Math.floor(index / half) + 1),
  )
  if (rows.length !== expected || wrong >= 0)
    throw new Error(`after batch ${progress}: ${rows.length} rows, row ${wrong} is not as it was written`)
  const counted = (await store.countRecords(killRef.connector)).get('notes') ?? 0
  if (counted !== expected) throw new Error(`${counted} rows are counted, ${expected} are there`)
  if (answer !== undefined) await compareIndex(store, expected)
  return progress
}

/** Compares the index of words with the rows. */
async function compareIndex(store: ContextStore, expected: number): Promise<void> {
  const database = await store.openDatabase()
  const found = await database.withConnection(async (run) => {
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
