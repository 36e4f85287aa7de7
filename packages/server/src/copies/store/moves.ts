/**
 * Moves the rows of a connector from one version of an organization's kind to another, and deletes rows of such a kind. Each step is one
 * transaction of few rows, so a killed move continues when it is called again.
 */
import type { OwnKind } from '../../values/access.ts'
import {
  buildOwnTable,
  buildRowCondition,
  type Column,
  findOwnEntity,
  findTableRows,
  ownTablePrefix,
  parseTableName,
  quoteName,
  quoteTable,
  rescuedColumn,
  type SearchTable,
} from '../search/columns.ts'
import { listInitialTerms } from '../search/values.ts'
import type { ContextDatabase, Row, Session } from './database/database.ts'
import { type ConnectorTable, type KnownTable, nameRows } from './registry.ts'
import type { EntityRows } from './replicas/facts.ts'
import { buildClearStatement } from './row-encoder.ts'
import { type CopyState, lockExistingState, lockState, noteChange } from './state.ts'
import { compareTables } from './tables.ts'

/**
 * What another version of a kind means for the copy of an entity.
 * - `same`: stored alike, nothing happens.
 * - `extended`: the rows stay, without the values of new fields; everything is read again.
 * - `remade`: another key, or another type of a field. The rows are deleted and read again.
 * - `created`, `removed`: one version only can be searched.
 */
export type OwnMove = 'same' | 'extended' | 'remade' | 'created' | 'removed'

/** Finds what a move between two versions of a kind means, by entity. */
export function findOwnMoves(from: OwnKind, to: OwnKind): ReadonlyMap<string, OwnMove> {
  const names = new Set([...Object.keys(from.entities), ...Object.keys(to.entities)])
  return new Map(
    [...names].flatMap((entity): [string, OwnMove][] => {
      const [was, is] = [from, to].map((own) => (findOwnEntity(own, entity) === undefined ? undefined : buildOwnTable(own, entity)))
      if (was === undefined) return is === undefined ? [] : [[entity, 'created']]
      return [[entity, is === undefined ? 'removed' : compareTables(was, is)]]
    }),
  )
}

/** Rows that one step moves or deletes. */
const stepRows = 2_000

/** Names of a column's slots in `Column`. */
const roles = ['sql', 'at', 'number', 'wide', 'lowered', 'terms', 'folded'] as const

function listCopiedSlots(from: SearchTable, to: SearchTable): readonly (readonly [slot: string, source: string])[] {
  const before = new Map<string, Column>(from.columns.map((column) => [column.name, column]))
  return to.columns.flatMap((column) =>
    roles.flatMap((role) => {
      const [slot, source] = [column[role], before.get(column.name)?.[role]]
      return slot === undefined || source === undefined ? [] : [[quoteName(slot), quoteName(source)] as const]
    }),
  )
}

/**
 * Builds the statement that copies rows: `$1` connector, `$2` keys. A row that is there already is newer, and stays. The hash of a copied
 * row fits no record, so each is written again when it is read.
 */
function buildCopy(from: SearchTable, to: SearchTable): string {
  const copied = listCopiedSlots(from, to)
  const rescued = quoteName(rescuedColumn.name)
  const slots = ['pk', '"$v"', rescued, ...copied.map(([slot]) => slot)].join(', ')
  const sources = ['pk', '"$v"', rescued, ...copied.map(([, source]) => source)].join(', ')
  return `insert into ${quoteTable(to)} (connector_id, entity, h, ${slots}) select $1::int4, '${to.storage?.mark}'::uuid, 0, found.*
    from unnest($2::text[]) wanted(pk) cross join lateral
      (select ${sources} from ${quoteTable(from)} where ${buildRowCondition(from)} and pk = wanted.pk offset 0) found
    on conflict (connector_id, entity, pk) do nothing returning pk`
}

/** Tables of two versions of an entity. */
interface Move {
  readonly number: number
  readonly from: KnownTable
  readonly to: KnownTable
  readonly clock: () => number
}

/** Locks the states of both tables in the order of their names, as all writers do. */
async function lockBoth(
  session: Session,
  from: ConnectorTable,
  to: ConnectorTable,
): Promise<{ readonly was: CopyState; readonly is: CopyState } | undefined> {
  const lockFrom = () => lockExistingState(session, from.number, from.known.table.name)
  if (from.known.table.name < to.known.table.name) {
    const was = await lockFrom()
    return was === undefined ? undefined : { was, is: await lockState(session, to) }
  }
  const is = await lockState(session, to)
  const was = await lockFrom()
  return was === undefined ? undefined : { was, is }
}

/** Moves some rows. @returns false when nothing is left to move */
async function moveStep(session: Session, { number, clock, ...tables }: Move): Promise<boolean> {
  const [from, to] = [tables.from, tables.to].map((known) => ({ number, known }))
  if (from === undefined || to === undefined) return false
  const states = await lockBoth(session, from, to)
  if (states === undefined) return false
  const { table } = from.known
  const text = `select pk from ${quoteTable(table)} where ${buildRowCondition(table)} order by pk limit $2`
  const keys = (await session.query<Row>({ text, values: [number, stepRows] })).rows.map(({ pk }) => String(pk))
  if (keys.length === 0) {
    await noteChange(session, nameRows(to), states.is, { by: 0, removedAt: states.was.deletedAt, entries: { cause: 'sync', at: clock() } })
    await endMove(session, from, to)
    return false
  }
  const copied = await session.query<Row>({ text: buildCopy(table, to.known.table), values: [number, keys] })
  await session.query({ ...from.known.encoder.remove, values: [number, keys] })
  await noteChange(session, nameRows(from), states.was, { by: -keys.length, entries: 'ends' })
  const entries = { added: copied.rows.map(({ pk }) => String(pk)), cause: 'sync' as const, at: clock() }
  await noteChange(session, nameRows(to), states.is, { by: copied.count, hasUpdated: true, hasListed: true, entries })
  return true
}

/** Ends a move: everything is read again, and nothing is known of what fields had before they were searchable. */
async function endMove(session: Session, from: ConnectorTable, to: ConnectorTable): Promise<void> {
  const { number } = from
  const [old, name] = [from.known.table.name, to.known.table.name]
  const noted = new Set(listInitialTerms(from.known.table).map(({ field }) => field))
  const fresh = listInitialTerms(to.known.table).filter(({ field }) => !noted.has(field))
  await session.query({
    text: `insert into cs_gone (connector_id, name, field, value, at) select $1::int4, $3::text, field, value, at from cs_gone
      where connector_id = $1 and name = $2 on conflict (connector_id, name, field, value) do update set at = greatest(cs_gone.at, excluded.at)`,
    values: [number, old, name],
  })
  for (const own of ['cs_checkpoints', 'cs_seen'])
    await session.query({ text: `delete from ${own} where connector_id = $1 and name = $2`, values: [number, name] })
  await endPass(session, { number, name })
  await session.query({
    text: "delete from cs_terms where connector_id = $1 and field = any($2::int4[]) and term = ''",
    values: [number, fresh.map(({ field }) => field)],
  })
  await deleteState(session, number, old)
}

const endPass = (session: Session, { number, name }: EntityRows) =>
  session.query({ text: 'update cs_entities set pass = null where connector_id = $1 and name = $2', values: [number, name] })

async function deleteState(session: Session, number: number, name: string): Promise<void> {
  for (const own of ['cs_checkpoints', 'cs_seen', 'cs_gone', 'cs_indexes', 'cs_changes', 'cs_entities'])
    await session.query({ text: `delete from ${own} where connector_id = $1 and name = $2`, values: [number, name] })
}

/** Deletes some rows of a table by its name, and its state after the last ones. @returns false when nothing is left */
async function removeStep(session: Session, number: number, name: string): Promise<boolean> {
  const rows = findTableRows(name)
  const state = await lockExistingState(session, number, name)
  if (state === undefined) return false
  const { count } = await session.query({
    text: buildClearStatement(quoteTable(rows), buildRowCondition(rows)),
    values: [number, stepRows],
  })
  if (count === 0) await deleteState(session, number, name)
  else {
    await endPass(session, { number, name })
    await noteChange(session, { number, name }, state, { by: -count, entries: 'ends' })
  }
  return count > 0
}

type Database = Pick<ContextDatabase, 'transaction'>

async function listNames(database: Database, number: number): Promise<readonly string[]> {
  const text = 'select name from cs_entities where connector_id = $1 and starts_with(name, $2) order by name'
  const { rows } = await database.transaction((session) => session.query<Row>({ text, values: [number, ownTablePrefix] }))
  return rows.map(({ name }) => String(name))
}

async function removeRows(database: Database, number: number, names: readonly string[]): Promise<void> {
  for (const name of names) for (let more = true; more; ) more = await database.transaction((session) => removeStep(session, number, name))
}

/**
 * Deletes the rows of an entity of a connector, whatever version of its own kind they are of.
 * @returns whether there were any
 */
export async function removeOwnEntity(database: Database, number: number, entity: string): Promise<boolean> {
  const names = (await listNames(database, number)).filter((name) => parseTableName(name)?.entity === entity)
  await removeRows(database, number, names)
  return names.length > 0
}

interface VersionMove extends Pick<Move, 'number' | 'clock'> {
  readonly from: OwnKind
  readonly to: OwnKind
  find(own: OwnKind, entity: string): KnownTable | undefined
  /** Creates the table of an entity of the new version, unless it is there. */
  create(entity: string): Promise<unknown>
}

/** Moves the rows of a connector between two versions of its kind. Rows of any third version are deleted: an earlier move was left there. */
export async function moveOwnRows(database: Database, { number, from, to, find, create, clock }: VersionMove): Promise<void> {
  const stored = (await listNames(database, number)).filter((name) => [from.id, to.id].some((id) => parseTableName(name)?.kind === id))
  if (stored.length === 0) return
  for (const [entity, change] of findOwnMoves(from, to)) {
    const [was, is] = [find(from, entity), find(to, entity)]
    if (change !== 'extended' || was === undefined || is === undefined || !stored.includes(was.table.name)) continue
    await create(entity)
    const move = { number, from: was, to: is, clock }
    for (let more = true; more; ) more = await database.transaction((session) => moveStep(session, move))
  }
  const kept = new Set(Object.keys(to.entities).flatMap((entity) => find(to, entity)?.table.name ?? []))
  await removeRows(
    database,
    number,
    stored.filter((name) => !kept.has(name)),
  )
}
