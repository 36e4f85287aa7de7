/** Complete passes: what the vendor listed from the first page to the last. What such a pass did not see is gone. */
import { fail } from '../../errors.ts'
import type { ContextDatabase, Row, Session } from './database.ts'
import { count, lockState, type Place } from './writes.ts'

/** Rows that one slice of a sweep looks at, about. */
const sliceRows = 50_000
/** Rows that one step of `empty` takes. */
const stepRows = 5_000

/**
 * Begins a complete pass, or goes on with it: the keys that it has seen are kept. Another one that was running ends without removing
 * anything.
 * @param pass id of the pass
 */
export async function beginPass(session: Session, place: Place, pass: string): Promise<void> {
  const state = await lockState(session, place)
  if (state.pass === pass) return
  await forgetSeen(session, place)
  await setPass(session, place, pass)
}

/** Ends a pass without removing anything. Nothing happens when another one is running. */
export async function abandonPass(session: Session, place: Place, pass: string): Promise<void> {
  const state = await lockState(session, place)
  if (state.pass === pass) await end(session, place)
}

/**
 * Ends a complete pass: rows that it did not see are removed, some at a time, each time in a transaction of its own. After a kill it
 * is called again with the same pass, and goes on. Rows that were read live in the meantime count as seen.
 * @param now milliseconds since 1970
 * @returns how many rows were removed
 * @throws FerruleError `unavailable` when another pass has begun
 */
export async function sweep(
  database: Pick<ContextDatabase, 'transaction'>,
  place: Place,
  { pass, now }: { readonly pass: string; now(): number },
): Promise<number> {
  let removed = 0
  for (let slice = 0, slices = 1; slice < slices; slice += 1) {
    const done = await database.transaction(async (session) => {
      const state = await lockState(session, place)
      if (state.pass !== pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
      const all = slice === 0 ? Math.max(1, Math.ceil(state.records / sliceRows)) : slices
      const rows = await sweepSlice(session, place, { slice, slices: all, now: now() })
      if (slice === all - 1) await end(session, place)
      return { rows, all }
    })
    removed += done.rows
    slices = done.all
  }
  return removed
}

/**
 * Removes all rows of an entity of a connector and its progress, some rows at a time; the connector stays. No run may write meanwhile.
 * @param now milliseconds since 1970
 */
export async function empty(database: Pick<ContextDatabase, 'transaction'>, place: Place, now: () => number): Promise<void> {
  const values = [place.number, place.known.table.name]
  for (let more = true; more; )
    more = await database.transaction(async (session) => {
      await lockState(session, place)
      for (const own of ['cs_checkpoints', 'cs_indexes'])
        await session.query({ text: `delete from ${own} where connector_id = $1 and name = $2`, values })
      await end(session, place)
      const removed = (await session.query({ text: place.known.writer.clear.text, values: [place.number, stepRows] })).count
      await count(session, place, { by: -removed, removedAt: now() })
      return removed > 0
    })
}

interface Slice {
  readonly slice: number
  readonly slices: number
  readonly now: number
}

async function sweepSlice(session: Session, place: Place, { slice, slices, now }: Slice): Promise<number> {
  const { number, known } = place
  const values = [number, known.table.name, slices, slice]
  const removed = (await session.query({ text: known.writer.sweep.text, values })).count
  if (removed > 0) await count(session, place, { by: -removed, removedAt: now })
  return removed
}

async function end(session: Session, place: Place): Promise<void> {
  await forgetSeen(session, place)
  await setPass(session, place, null)
}

const forgetSeen = (session: Session, { number, known }: Place) =>
  session.query({ text: 'delete from cs_seen where connector_id = $1 and name = $2', values: [number, known.table.name] })

const setPass = (session: Session, { number, known }: Place, pass: string | null) =>
  session.query<Row>({
    text: 'update cs_entities set pass = $3 where connector_id = $1 and name = $2',
    values: [number, known.table.name, pass],
  })
