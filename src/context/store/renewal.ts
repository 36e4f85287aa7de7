/**
 * After an upgrade that brings other token rules: the words of every copy are made anew from its stored rows, in the background, without
 * the vendor. Rows are walked in the order of their keys, in batches of one transaction each, which holds the entity as a write does: so
 * nothing changes beneath it, a killed walk goes on where it stood, and two nodes take turns. Until the last row has its new words the
 * entity is searched by the old ones, and whoever writes a row writes both (`writes.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseJson } from '../../engine/json.ts'
import { type Column, physicalColumns, quoted, type SearchTable } from '../query/columns.ts'
import { cellsOf, firstNotes, termReader } from '../query/values.ts'
import type { ContextDatabase, Row, Session } from './database.ts'
import type { KnownTable } from './registry.ts'
import { list } from './writes.ts'

/** Rows of a batch, and bytes of their values as they are stored, which is about a third of their text. */
const mostRows = 500
const mostBytes = 1_000_000
/** Old words that are removed at one time. */
const mostTerms = 5_000
/** Milliseconds until a walk that failed is tried again. */
const retryMs = 60_000

/** What the renewal works with. */
export interface RenewalParts {
  database(): Promise<ContextDatabase>
  /** Tables of which some copies may have words of old rules. */
  tables(): readonly KnownTable[]
  onError?: ((error: unknown) => void) | undefined
  /** Waits before a batch, with the milliseconds that the one before took; left out: as long as that, so that others have the database. */
  rest?: Rest | undefined
}

/** Waits, at most until the signal. */
export type Rest = (ms: number, signal: AbortSignal) => Promise<void>

const restAsLong: Rest = (ms, signal) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined) // the store closes

/** A copy whose words are made anew. */
interface Copy {
  readonly connector: string
  readonly number: number
  readonly table: SearchTable
  readonly first: SearchTable
}

/** Makes the words of all copies anew, one after the other. */
export class Renewal {
  readonly #parts: RenewalParts
  readonly #stop = new AbortController()
  #walk: Promise<void> | undefined
  /** Copies that are not done. */
  #left: readonly Copy[] = []

  constructor(parts: RenewalParts) {
    this.#parts = parts
  }

  /** The database is open, perhaps another one: looks what is to be done. */
  opened(): void {
    if (this.#parts.tables().length > 0 && !this.#stop.signal.aborted) this.#walk ??= this.#run()
  }

  /** Entities of a connector that are not done, as far as this process knows. */
  of(connector: string): ReadonlySet<string> {
    return new Set(this.#left.flatMap((copy) => (copy.connector === connector ? [copy.table.entity] : [])))
  }

  /** Waits for the batch that runs. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#walk
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const wait = await this.#walkAll().then(
        () => 0,
        (error: unknown) => {
          if (!signal.aborted) this.#parts.onError?.(error)
          return retryMs
        },
      )
      if (wait === 0) break
      await restAsLong(wait, signal)
    }
    this.#walk = undefined
  }

  async #walkAll(): Promise<void> {
    const database = await this.#parts.database()
    const copies: Copy[] = []
    for (const known of this.#parts.tables()) copies.push(...(await oldCopies(database, known)))
    this.#left = copies
    for (const copy of copies) await this.#renew(database, copy)
  }

  async #renew(database: ContextDatabase, copy: Copy): Promise<void> {
    const { signal } = this.#stop
    const { rest = restAsLong } = this.#parts
    let took = 0
    while (!signal.aborted) {
      await rest(took, signal)
      if (signal.aborted) return
      const begin = performance.now()
      if (await database.transaction((session) => renewBatch(session, copy))) {
        this.#left = this.#left.filter((other) => other !== copy)
        return
      }
      took = performance.now() - begin
    }
  }
}

async function oldCopies(database: ContextDatabase, { table, first }: KnownTable): Promise<readonly Copy[]> {
  const text = `select c.id::text as connector, c.number from cs_entities e join cs_connectors c on c.number = e.connector_id
    where e.name = $1 and (e.tokens = 1 or e.renewed is not null) order by c.number`
  const { rows } = await database.query<Row>({ text, values: [table.name] })
  return rows.map(({ connector, number }) => ({ connector: String(connector), number: Number(number), table, first: first.table }))
}

/** One batch. @returns whether the copy is done */
async function renewBatch(session: Session, copy: Copy): Promise<boolean> {
  const { rows } = await session.query<Row>({
    text: 'select tokens, renewed from cs_entities where connector_id = $1 and name = $2 for update',
    values: [copy.number, copy.table.name],
  })
  const [state] = rows
  if (state === undefined) return true // it was removed
  if (Number(state['tokens']) === 1) {
    const last = await renewRows(session, copy, typeof state['renewed'] === 'string' ? state['renewed'] : '')
    // Every row has been read now, and writers note what they write.
    if (last === undefined) await list(session, copy.number, firstNotes(copy.table))
    await note(session, copy, last === undefined ? { tokens: copy.table.tokens, renewed: '' } : { tokens: 1, renewed: last })
    return false
  }
  if (state['renewed'] === null) return true
  const isClear = await clearTerms(session, copy)
  if (isClear) await note(session, copy, { tokens: copy.table.tokens, renewed: null })
  return isClear
}

const note = (session: Session, { number, table }: Copy, { tokens, renewed }: { tokens: number; renewed: string | null }) =>
  session.query({
    text: 'update cs_entities set tokens = $3, renewed = $4 where connector_id = $1 and name = $2',
    values: [number, table.name, tokens, renewed],
  })

/** Columns whose companions depend on the rules. */
const renewedColumns = ({ columns }: SearchTable): readonly Column[] => columns.filter(({ terms }) => terms !== undefined)

/** Makes the words of the next rows. @returns the key of the last one; undefined when there was none */
async function renewRows(session: Session, copy: Copy, after: string): Promise<string | undefined> {
  const columns = renewedColumns(copy.table)
  const last = await lastOfBatch(session, copy, { after, columns })
  if (last === undefined) return undefined
  const names = columns.map(({ sql }, index) => `${quoted(sql)}::text as v${index}`)
  const { rows } = await session.query<Row>({
    text: `select ${['pk', ...names].join(', ')} from ${quoted(copy.table.name)} where connector_id = $1 and pk > $2 and pk <= $3`,
    values: [copy.number, after, last],
  })
  await writeWords(session, copy, { columns, rows })
  return last
}

/** Where a batch ends: values can be large, so their sizes are asked for first. */
async function lastOfBatch(
  session: Session,
  { number, table }: Copy,
  { after, columns }: { after: string; columns: readonly Column[] },
): Promise<string | undefined> {
  const sizes = ['0', ...columns.map(({ sql }) => `coalesce(pg_column_size(${quoted(sql)}), 0)`)].join(' + ')
  const { rows } = await session.query<Row>({
    text: `select pk, ${sizes} as size from ${quoted(table.name)} where connector_id = $1 and pk > $2 order by connector_id, pk limit ${mostRows}`,
    values: [number, after],
  })
  let bytes = 0
  let last: string | undefined
  for (const row of rows) {
    bytes += Number(row['size'])
    if (last !== undefined && bytes > mostBytes) break
    last = String(row['pk'])
  }
  return last
}

const storedValue = ({ type }: Column, text: unknown): unknown =>
  typeof text !== 'string' ? null : type === 'json' ? parseJson(text) : text

async function writeWords(
  session: Session,
  { number, table }: Copy,
  { columns, rows }: { columns: readonly Column[]; rows: readonly Row[] },
): Promise<void> {
  const part = { ...table, columns }
  const physical = physicalColumns(part)
  const made = rows.map((row) =>
    cellsOf(part, Object.fromEntries(columns.map((column, index) => [column.name, storedValue(column, row[`v${index}`])]))),
  )
  const companions = new Set(columns.flatMap(({ terms, folded, lowered }) => [terms, folded, lowered]))
  const places = physical.flatMap(({ name, type }, cell) => (companions.has(name) ? [{ name, type, cell }] : []))
  const json = rows.map((row, index) => ({
    p: row['pk'],
    ...Object.fromEntries(places.map(({ cell }) => [`c${cell}`, made[index]?.[cell] ?? null])),
  }))
  const sets = places.map(({ name, type, cell }) => `${quoted(name)} = ${type === 'jsonb' ? `new.c${cell}::jsonb` : `new.c${cell}`}`)
  const shape = places.map(({ type, cell }) => `c${cell} ${type === 'jsonb' ? 'text' : type}`)
  await session.query({
    text: `update ${quoted(table.name)} t set ${sets.join(', ')} from json_to_recordset($2::json) as new(${['p text', ...shape].join(', ')})
      where t.connector_id = $1 and t.pk = new.p`,
    values: [number, JSON.stringify(json)],
  })
  await list(session, number, termReader(part, physical)(made))
}

/** Removes listed words that only the old rules had. @returns whether none is left */
async function clearTerms(session: Session, { number, table, first }: Copy): Promise<boolean> {
  const kept = new Set(table.columns.map(({ field }) => field))
  const fields = first.columns.flatMap(({ field }) => (kept.has(field) ? [] : [field]))
  const { count } = await session.query({
    text: `delete from cs_terms where connector_id = $1 and ctid = any(array(
      select ctid from cs_terms where connector_id = $1 and field = any($2::int4[]) limit ${mostTerms}))`,
    values: [number, fields],
  })
  return count < mostTerms
}
