/** Complete passes: what the vendor listed from the first page to the last. What such a pass did not see is gone. */
import { fail } from '../../errors.ts'
import type { ContextDatabase, Row, Session } from './database.ts'
import { lookThrough, type Span } from './spans.ts'
import { count, lockState, type Place, remove } from './writes.ts'

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

/** What a pass is looked at for. */
export interface Look {
  readonly pass: string
  /** The rows that the pass was to meet; undefined: all of them. */
  readonly span: Span | undefined
}

/** Whether a pass has not seen some of the rows: a sweep would remove them. False when the pass is over. */
export async function unseen(database: Pick<ContextDatabase, 'transaction'>, place: Place, { pass, span }: Look): Promise<boolean> {
  for (let after: string | undefined; ; ) {
    const slice = await database.transaction(async (session) => {
      const state = await lockState(session, place)
      return state.pass === pass ? lookThrough(session, place, { after, span }) : undefined
    })
    if (slice === undefined || slice.unseen.length > 0) return slice !== undefined
    if (slice.last === undefined) return false
    after = slice.last
  }
}

/**
 * Ends a pass: rows that it was to meet and did not see are removed, some at a time, each time in a transaction of its own. After a kill
 * it is called again with the same pass, and goes on. Rows that were read live in the meantime count as seen.
 * @param now milliseconds since 1970
 * @returns how many rows were removed
 * @throws FerruleError `unavailable` when another pass has begun, or this one is over
 */
export async function sweep(
  database: Pick<ContextDatabase, 'transaction'>,
  place: Place,
  { pass, span, now }: Look & { now(): number },
): Promise<number> {
  let removed = 0
  for (let after: string | undefined; ; ) {
    const done = await database.transaction(async (session) => {
      const state = await lockState(session, place)
      if (state.pass !== pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
      const slice = await lookThrough(session, place, { after, span })
      const rows = await remove(session, place, slice.unseen)
      if (rows > 0) await count(session, place, { by: -rows, removedAt: now() })
      if (slice.last === undefined) await end(session, place)
      return { rows, last: slice.last }
    })
    removed += done.rows
    if (done.last === undefined) return removed
    after = done.last
  }
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
