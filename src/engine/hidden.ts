/** Rows that the vendor asks integrations not to show, and rows that a second call completes. */
import { type FerruleError, failAs } from '../errors.ts'
import type { Connection } from './connection.ts'
import { type CompiledOperation, lookupOf } from './operation.ts'
import type { RecordKey } from './outcome.ts'
import { getAt, type Path, parsePath, setAt } from './paths.ts'

/** Whether the connector's configuration asks for hidden rows too. */
export function showsHidden({ configuration }: Pick<Connection, 'configuration'>, { kind }: Pick<CompiledOperation, 'kind'>): boolean {
  const { hidden } = kind.definition
  return hidden === undefined || configuration[hidden.unless.field] === hidden.unless.is
}

/** The error of a get or download of a hidden row. */
export const hiddenError = ({ kind }: CompiledOperation): FerruleError =>
  failAs(kind.definition.hidden?.error ?? 'record_not_found', { reason: 'it is hidden' })

/** Rows that may be shown, how many were not, and which of these are known to be hidden. */
interface Shown {
  readonly rows: readonly unknown[]
  readonly excluded: number
  readonly hidden: readonly RecordKey[]
}

const allOf = (rows: readonly unknown[]): Shown => ({ rows, excluded: 0, hidden: [] })

const without = (rows: readonly unknown[], isHidden: (row: unknown) => boolean): Omit<Shown, 'hidden'> => {
  const shown = rows.filter((row) => !isHidden(row))
  return { rows: shown, excluded: rows.length - shown.length }
}

/** The keys of rows, where they have one; not of an entity whose key has several parts. */
const keysOf = (entity: string, key: Path | undefined, rows: readonly unknown[]): RecordKey[] =>
  rows.flatMap((row) => {
    const value = key === undefined ? undefined : getAt(row, key)
    return value === undefined || value === null ? [] : [{ entity, value }]
  })

/** What was looked up, by id. */
export type Found = ReadonlyMap<string, unknown>

/** What decides on the rows of one call beside the vendor's answer. */
export interface Showing {
  readonly operation: CompiledOperation
  /** The connector's configuration asks for hidden rows too. */
  readonly showsHidden: boolean
}

const idsOf = (on: Path, row: unknown): string[] => {
  const id = getAt(row, on) ?? ''
  return id === '' ? [] : [String(id)] // a row without an id is looked up nowhere: it counts as one that is not known
}

/** The ids that have to be looked up before rows are shown; none where nothing has to. */
export function idsToLookUp({ operation, showsHidden }: Showing, rows: readonly unknown[]): readonly string[] {
  const { join } = operation.operation
  if (join === undefined || (showsHidden && join.take === undefined)) return []
  const on = parsePath(join.on)
  return [...new Set(rows.flatMap((row) => idsOf(on, row)))]
}

/** Completes rows with what was looked up, and hides those that are flagged there, or are not known there: what is not known to be public is not shown. */
function joined({ operation, showsHidden }: Showing, rows: readonly unknown[], found: Found): Shown {
  const { join } = operation.operation
  const { hidden } = operation.kind.definition
  if (join === undefined || (showsHidden && join.take === undefined)) return allOf(rows)
  const on = parsePath(join.on)
  const recordOf = (row: unknown): unknown => found.get(String(getAt(row, on)))
  const take = Object.entries(join.take ?? {}).map(([field, path]) => [parsePath(field), parsePath(path)] as const)
  for (const row of rows) complete(row, recordOf(row), take)
  if (showsHidden || hidden === undefined) return allOf(rows)
  const flag = parsePath(hidden.flag)
  const flagOf = (row: unknown): unknown => getAt(recordOf(row), flag)
  const flagged = rows.filter((row) => flagOf(row) === true)
  const { entity } = lookupOf(operation.kind, join.lookup).lookup
  return { ...without(rows, (row) => flagOf(row) !== false), hidden: keysOf(entity, on, flagged) }
}

const complete = (row: unknown, record: unknown, take: readonly (readonly [Path, Path])[]): void => {
  if (typeof row !== 'object' || row === null) return
  for (const [field, path] of take)
    if (getAt(row, field) === undefined) setAt(row as Record<string, unknown>, field, getAt(record, path) ?? null)
}

/**
 * The rows of a page that may be shown: flagged ones left out, joins done.
 * @param found the records of `idsToLookUp`
 */
export function shownRows(showing: Showing, rows: readonly unknown[], found: Found): Shown {
  const { operation } = showing
  if (operation.operation.join !== undefined) return joined(showing, rows, found)
  if (operation.hidden === undefined || showing.showsHidden) return allOf(rows)
  const isFlagged = (row: unknown): boolean => isHidden(showing, row)
  const [key, ...more] = operation.entity.key
  const path = key === undefined || more.length > 0 ? undefined : parsePath(key)
  return { ...without(rows, isFlagged), hidden: keysOf(operation.entityName, path, rows.filter(isFlagged)) }
}

/** Whether a row is to be hidden by its own flag. */
export const isHidden = ({ operation: { hidden: flag }, showsHidden }: Showing, row: unknown): boolean =>
  flag !== undefined && !showsHidden && getAt(row, flag) === true

/** The meta field that counts hidden rows, for operations that can meet them. */
export const hiddenCount = ({ operation }: Pick<Showing, 'operation'>, excluded: number): Readonly<Record<string, number>> => {
  const { hidden } = operation.kind.definition
  const canMeet = hidden !== undefined && (operation.hidden !== undefined || operation.operation.join !== undefined)
  return canMeet ? { [hidden.count]: excluded } : {}
}
