/**
 * Complete passes: everything that the vendor lists from the first page to the last. Records that a complete pass did not see are found in
 * slices of the key's order, and deleted.
 */
import { fail } from 'ferrule/internal'
import { buildRowCondition, quoteName, quoteTable } from '../search/columns.ts'
import { parseTimestamp } from '../search/timestamps.ts'
import { deleteRows } from './batch.ts'
import type { ContextDatabase, Row, Session, Value } from './database/database.ts'
import { type ConnectorTable, nameRows } from './registry.ts'
import { lockState, noteChange } from './state.ts'
import { clearWords } from './words.ts'

/** Records within a span of time. */
export interface Span {
  /** Searchable field with the timestamp of a record. */
  readonly field: string
  /** ISO 8601, inclusive. */
  readonly from: string
  /** ISO 8601, exclusive; omitted: no end. */
  readonly before?: string
}

const sliceRows = 50_000

interface SliceStart {
  /** Last key of the previous slice; undefined for the first slice. */
  readonly after: string | undefined
  /** Limits the slice to rows of this span. */
  readonly span: Span | undefined
}

interface Slice {
  /** Keys of rows that the pass has not seen. */
  readonly unseen: readonly string[]
  /** Last key of the slice; undefined for the last slice. */
  readonly last: string | undefined
}

interface SpanCondition {
  readonly sql: string
  readonly value: Value
}

function buildSpanConditions({ known: { table } }: ConnectorTable, { field, from, before }: Span): readonly SpanCondition[] {
  const column = table.columns.find(({ name }) => name === field)?.at
  const [first, end] = [from, before].map((text) => (text === undefined ? undefined : parseTimestamp(text)))
  if (column === undefined || first === undefined)
    throw fail('definition_invalid', { reason: `${table.kind}.${table.entity} has no moments in ${field} from ${from} on` })
  return [{ sql: `${quoteName(column)} >=`, value: first }, ...(end === undefined ? [] : [{ sql: `${quoteName(column)} <`, value: end }])]
}

/**
 * Reads the next rows in the order of their keys, and finds those that the pass has not seen.
 *
 * `except` always runs as a hash table or a sort of both sides. `not in` uses a hash table only if the planner expects it to be small;
 * otherwise it compares each row with each key. An anti-join becomes nested loops when few rows are expected.
 */
async function readSlice(session: Session, target: ConnectorTable, { after, span }: SliceStart): Promise<Slice> {
  const { number, known } = target
  const given: readonly SpanCondition[] = [
    ...(after === undefined ? [] : [{ sql: 'pk >', value: after }]),
    ...(span === undefined ? [] : buildSpanConditions(target, span)),
  ]
  const where = [buildRowCondition(known.table), ...given.map(({ sql }, index) => `${sql} $${index + 4}`)]
  const range = ['key <= (select max(pk) from part)', ...(after === undefined ? [] : ['key > $4'])]
  const text = `with part as materialized (select pk from ${quoteTable(known.table)} where ${where.join(' and ')} order by pk limit $3)
    select to_json(array(select pk from part except
        select key from (select unnest(keys) as key from cs_seen where connector_id = $1 and name = $2) seen where ${range.join(' and ')})) as unseen,
      count(*)::int4 as looked, max(pk) as last from part`
  const { rows } = await session.query<Row>({ text, values: [number, known.table.name, sliceRows, ...given.map(({ value }) => value)] })
  const { unseen = '[]', looked = 0, last = null } = rows[0] ?? {}
  return { unseen: JSON.parse(String(unseen)), last: Number(looked) < sliceRows || last === null ? undefined : String(last) }
}

/** Rows that one step of `deleteAll` deletes. */
const stepRows = 5_000

/**
 * Begins or resumes a complete pass; keys that it has seen are kept. Another running pass ends without deleting anything.
 * @param pass id of the pass
 */
export async function beginPass(session: Session, target: ConnectorTable, pass: string): Promise<void> {
  const state = await lockState(session, target)
  if (state.pass === pass) return
  await deleteSeen(session, target)
  await setPass(session, target, pass)
}

/** Ends a pass without deleting anything. Does nothing when another pass is running. */
export async function abandonPass(session: Session, target: ConnectorTable, pass: string): Promise<void> {
  const state = await lockState(session, target)
  if (state.pass === pass) await endPass(session, target)
}

/** A pass and its rows. */
export interface PassScope {
  readonly pass: string
  /** The rows that the pass covers; undefined: all rows. */
  readonly span: Span | undefined
}

/** Returns whether a sweep would delete rows that the pass has not seen. False when the pass is over. */
export async function hasUnseen(
  database: Pick<ContextDatabase, 'transaction'>,
  target: ConnectorTable,
  { pass, span }: PassScope,
): Promise<boolean> {
  for (let after: string | undefined; ; ) {
    const slice = await database.transaction(async (session) => {
      const state = await lockState(session, target)
      return state.pass === pass ? readSlice(session, target, { after, span }) : undefined
    })
    if (slice === undefined || slice.unseen.length > 0) return slice !== undefined
    if (slice.last === undefined) return false
    after = slice.last
  }
}

/**
 * Ends a pass and deletes the rows that it covers and has not seen, in steps of one transaction each. Call it again with the same pass
 * after a kill. Rows that clients read meanwhile count as seen.
 * @returns the number of deleted rows
 * @throws FerruleError `unavailable` when another pass has begun, or this one is over
 */
export async function sweep(
  database: Pick<ContextDatabase, 'transaction'>,
  target: ConnectorTable,
  { pass, span, now }: PassScope & { now(): number },
): Promise<number> {
  let removed = 0
  for (let after: string | undefined; ; ) {
    const done = await database.transaction(async (session) => {
      const state = await lockState(session, target)
      if (state.pass !== pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
      const slice = await readSlice(session, target, { after, span })
      const { count, keys: removed } = await deleteRows(session, target, slice.unseen, state)
      const at = now()
      if (count > 0)
        await noteChange(session, nameRows(target), state, { by: -count, removedAt: at, entries: { removed, cause: 'sync', at } })
      if (slice.last === undefined) await endPass(session, target)
      return { rows: count, last: slice.last }
    })
    removed += done.rows
    if (done.last === undefined) return removed
    after = done.last
  }
}

/** Deletes all rows, words and checkpoints of an entity of a connector in steps; the connector stays. No run may write meanwhile. */
export async function deleteAll(database: Pick<ContextDatabase, 'transaction'>, target: ConnectorTable, now: () => number): Promise<void> {
  const values = [target.number, target.known.table.name]
  for (let more = true; more; )
    more = await database.transaction(async (session) => {
      const state = await lockState(session, target)
      for (const own of ['cs_checkpoints', 'cs_indexes'])
        await session.query({ text: `delete from ${own} where connector_id = $1 and name = $2`, values })
      await endPass(session, target)
      const removed = (await session.query({ text: target.known.encoder.clear.text, values: [target.number, stepRows] })).count
      await noteChange(session, nameRows(target), state, { by: -removed, removedAt: now(), entries: 'ends' })
      return removed > 0 || (await clearWords(session, target))
    })
}

async function endPass(session: Session, target: ConnectorTable): Promise<void> {
  await deleteSeen(session, target)
  await setPass(session, target, null)
}

const deleteSeen = (session: Session, { number, known }: ConnectorTable) =>
  session.query({ text: 'delete from cs_seen where connector_id = $1 and name = $2', values: [number, known.table.name] })

const setPass = (session: Session, { number, known }: ConnectorTable, pass: string | null) =>
  session.query<Row>({
    text: 'update cs_entities set pass = $3, changes = changes + 1 where connector_id = $1 and name = $2',
    values: [number, known.table.name, pass],
  })
