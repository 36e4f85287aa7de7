/**
 * Renews the words of every copy after an upgrade with new token rules. It runs in the background and reads stored rows, not the vendor.
 *
 * Each batch of rows, in the order of keys, is one transaction that locks the entity as a write does. So rows do not change meanwhile, a
 * killed walk resumes, and two nodes take turns. Until the last row is renewed, searches use the old words, and writers write both
 * (`batch.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseJson } from 'ferrule/engine'
import type { ContextDatabase, Row, Session } from '../database/database.ts'
import { type Column, listPhysicalColumns, quoteName, type SearchTable } from '../query/columns.ts'
import { buildCells, createTermReader, listInitialTerms } from '../query/values.ts'
import { insertTerms } from './batch.ts'
import type { KnownTable } from './registry.ts'

/** Limits of a batch: rows, and bytes of their stored values, about a third of their text. */
const mostRows = 500
const mostBytes = 1_000_000
/** Old words deleted per transaction. */
const mostTerms = 5_000
/** Milliseconds before a failed walk is retried. */
const retryMs = 60_000

/** Options of a renewal. */
export interface RenewalOptions {
  database(): Promise<ContextDatabase>
  /** Lists tables with copies that may have words of old rules. */
  tables(): readonly KnownTable[]
  onError?: ((error: unknown) => void) | undefined
  /** Waits before a batch, as long as the previous batch took, which leaves the database to others. */
  rest: Rest
}

/** Waits some milliseconds, at most until the signal. */
export type Rest = (ms: number, signal: AbortSignal) => Promise<void>

/** Waits some milliseconds of the clock. */
export const pauseAsLong: Rest = (ms, signal) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined) // the store closes

/** A copy to renew. */
interface Copy {
  readonly connector: string
  readonly number: number
  readonly table: SearchTable
  readonly first: SearchTable
}

/** Renews the words of all copies, one after the other. */
export class Renewal {
  readonly #parts: RenewalOptions
  readonly #stop = new AbortController()
  #walk: Promise<void> | undefined
  /** Copies still to renew. */
  #left: readonly Copy[] = []

  constructor(parts: RenewalOptions) {
    this.#parts = parts
  }

  /** Starts the renewal after the database was opened. */
  start(): void {
    if (this.#parts.tables().length > 0 && !this.#stop.signal.aborted) this.#walk ??= this.#run()
  }

  /** Lists the entities of a connector still to renew, as far as this process knows. */
  listEntities(connector: string): ReadonlySet<string> {
    return new Set(this.#left.flatMap((copy) => (copy.connector === connector ? [copy.table.entity] : [])))
  }

  /** Stops after the running batch. */
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
      await pauseAsLong(wait, signal)
    }
    this.#walk = undefined
  }

  async #walkAll(): Promise<void> {
    const database = await this.#parts.database()
    const copies: Copy[] = []
    for (const known of this.#parts.tables()) copies.push(...(await findOldCopies(database, known)))
    this.#left = copies
    for (const copy of copies) await this.#renew(database, copy)
  }

  async #renew(database: ContextDatabase, copy: Copy): Promise<void> {
    const { signal } = this.#stop
    const { rest } = this.#parts
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

async function findOldCopies(database: ContextDatabase, { table, first }: KnownTable): Promise<readonly Copy[]> {
  const text = `select c.id::text as connector, c.number from cs_entities e join cs_connectors c on c.number = e.connector_id
    where e.name = $1 and (e.tokens = 1 or e.renewed is not null) order by c.number`
  const { rows } = await database.query<Row>({ text, values: [table.name] })
  return rows.map(({ connector, number }) => ({ connector: String(connector), number: Number(number), table, first: first.table }))
}

/**
 * Renews one batch.
 * @returns true when the copy is done
 */
async function renewBatch(session: Session, copy: Copy): Promise<boolean> {
  const { rows } = await session.query<Row>({
    text: 'select tokens, renewed from cs_entities where connector_id = $1 and name = $2 for update',
    values: [copy.number, copy.table.name],
  })
  const [state] = rows
  if (state === undefined) return true // the copy was deleted
  if (Number(state['tokens']) === 1) {
    const last = await renewRows(session, copy, typeof state['renewed'] === 'string' ? state['renewed'] : '')
    // Every row was read, and writers note what they write.
    if (last === undefined) await insertTerms(session, copy.number, listInitialTerms(copy.table))
    await recordProgress(session, copy, last === undefined ? { tokens: copy.table.tokens, renewed: '' } : { tokens: 1, renewed: last })
    return false
  }
  if (state['renewed'] === null) return true
  const isClear = await clearTerms(session, copy)
  if (isClear) await recordProgress(session, copy, { tokens: copy.table.tokens, renewed: null })
  return isClear
}

const recordProgress = (session: Session, { number, table }: Copy, { tokens, renewed }: { tokens: number; renewed: string | null }) =>
  session.query({
    text: 'update cs_entities set tokens = $3, renewed = $4, listed = listed + 1 where connector_id = $1 and name = $2',
    values: [number, table.name, tokens, renewed],
  })

/** Finds the columns whose companions depend on the token rules. */
const findRenewedColumns = ({ columns }: SearchTable): readonly Column[] => columns.filter(({ terms }) => terms !== undefined)

/**
 * Renews the words of the next rows.
 * @returns the key of the last row; undefined without rows
 */
async function renewRows(session: Session, copy: Copy, after: string): Promise<string | undefined> {
  const columns = findRenewedColumns(copy.table)
  const last = await findBatchEnd(session, copy, { after, columns })
  if (last === undefined) return undefined
  const names = columns.map(({ sql }, index) => `${quoteName(sql)}::text as v${index}`)
  const { rows } = await session.query<Row>({
    text: `select ${['pk', ...names].join(', ')} from ${quoteName(copy.table.name)} where connector_id = $1 and pk > $2 and pk <= $3`,
    values: [copy.number, after, last],
  })
  await writeWords(session, copy, { columns, rows })
  return last
}

/** Finds the end of a batch. Reads the sizes of values first, because values can be large. */
async function findBatchEnd(
  session: Session,
  { number, table }: Copy,
  { after, columns }: { after: string; columns: readonly Column[] },
): Promise<string | undefined> {
  const sizes = ['0', ...columns.map(({ sql }) => `coalesce(pg_column_size(${quoteName(sql)}), 0)`)].join(' + ')
  const { rows } = await session.query<Row>({
    text: `select pk, ${sizes} as size from ${quoteName(table.name)} where connector_id = $1 and pk > $2 order by connector_id, pk limit ${mostRows}`,
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

const parseStoredValue = ({ type }: Column, text: unknown): unknown =>
  typeof text !== 'string' ? null : type === 'json' ? parseJson(text) : text

async function writeWords(
  session: Session,
  { number, table }: Copy,
  { columns, rows }: { columns: readonly Column[]; rows: readonly Row[] },
): Promise<void> {
  const part = { ...table, columns }
  const physical = listPhysicalColumns(part)
  const made = rows.map((row) =>
    buildCells(part, Object.fromEntries(columns.map((column, index) => [column.name, parseStoredValue(column, row[`v${index}`])]))),
  )
  const companions = new Set(columns.flatMap(({ terms, folded, lowered }) => [terms, folded, lowered]))
  const companionCells = physical.flatMap(({ name, type }, cell) => (companions.has(name) ? [{ name, type, cell }] : []))
  const json = rows.map((row, index) => ({
    p: row['pk'],
    ...Object.fromEntries(companionCells.map(({ cell }) => [`c${cell}`, made[index]?.[cell] ?? null])),
  }))
  const sets = companionCells.map(
    ({ name, type, cell }) => `${quoteName(name)} = ${type === 'jsonb' ? `new.c${cell}::jsonb` : `new.c${cell}`}`,
  )
  const shape = companionCells.map(({ type, cell }) => `c${cell} ${type === 'jsonb' ? 'text' : type}`)
  await session.query({
    text: `update ${quoteName(table.name)} t set ${sets.join(', ')} from json_to_recordset($2::json) as new(${['p text', ...shape].join(', ')})
      where t.connector_id = $1 and t.pk = new.p`,
    values: [number, JSON.stringify(json)],
  })
  await insertTerms(session, number, createTermReader(part, physical)(made))
}

/**
 * Deletes listed words that only the old rules had.
 * @returns true when none is left
 */
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
