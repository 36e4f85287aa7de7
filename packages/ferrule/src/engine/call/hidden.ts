/** Hides rows that the vendor asks integrations not to show, and completes rows by joins. */
import { type FerruleError, failAs } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { getAt, type Path, parsePath, setAt } from '../json/paths.ts'
import { type CompiledOperation, findLookup } from './operation.ts'
import type { RecordKey } from './outcome.ts'

/** Returns whether the connector's configuration asks for hidden rows. */
export function showsHidden({ configuration }: Pick<Connection, 'configuration'>, { kind }: Pick<CompiledOperation, 'kind'>): boolean {
  const { hidden } = kind.definition
  return hidden === undefined || configuration[hidden.unless.field] === hidden.unless.is
}

/** Finds the configuration by which a list leaves out records; undefined for a list that leaves out none. */
export const findFilter = (
  { configuration }: Pick<Connection, 'configuration'>,
  { operation }: Pick<CompiledOperation, 'operation'>,
  unfiltered = false,
): Showing['filter'] => (operation.where === undefined || unfiltered ? undefined : configuration)

/** Makes the error of a `get` or `download` of a hidden row. The caller throws it. */
export const failHidden = ({ kind }: CompiledOperation): FerruleError =>
  failAs(kind.definition.hidden?.error ?? 'record_not_found', { reason: 'it is hidden' })

/** What became of rows that can be hidden. */
export interface HiddenCounts {
  /** Number of rows that were left out because the vendor flags them. */
  readonly excluded: number
  /** Number of rows that were left out because nothing says whether they are to be hidden. */
  readonly unclear: number
  /** Keys of the flagged rows. */
  readonly hidden: readonly RecordKey[]
}

/** Visible rows, and what became of the others. */
interface Shown extends HiddenCounts {
  readonly rows: readonly unknown[]
}

const showAll = (rows: readonly unknown[]): Shown => ({ rows, excluded: 0, unclear: 0, hidden: [] })

/** Reads the keys of rows. Rows without a key, or of an entity with a key of several fields, have none. */
const readKeys = (entity: string, key: Path | undefined, rows: readonly unknown[]): RecordKey[] =>
  rows.flatMap((row) => {
    const value = key === undefined ? undefined : getAt(row, key)
    return value === undefined || value === null ? [] : [{ entity, value }]
  })

/** Records that a join looked up, by id. */
export type LookedUp = ReadonlyMap<string, unknown>

/** What decides on the rows of one call beside the vendor's answer. */
export interface Showing {
  readonly operation: CompiledOperation
  /** True if the connector's configuration asks for hidden rows. */
  readonly showsHidden: boolean
  /** Configuration whose values the conditions of `where` can name; undefined: `where` leaves out nothing. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined
}

const readIds = (on: Path, row: unknown): string[] => {
  const id = getAt(row, on) ?? ''
  return id === '' ? [] : [String(id)] // no lookup without an id: the row counts as unknown
}

/** Lists the ids to look up before rows are shown; empty if no lookup is needed. */
export function listIdsToLookUp({ operation, showsHidden }: Showing, rows: readonly unknown[]): readonly string[] {
  const { join } = operation.operation
  if (join === undefined || (showsHidden && join.take === undefined)) return []
  const on = parsePath(join.on)
  return [...new Set(rows.flatMap((row) => readIds(on, row)))]
}

/** Completes rows with the looked-up records. Leaves out rows that are flagged or unknown there, because only public rows are shown. */
function joinRows({ operation, showsHidden }: Showing, rows: readonly unknown[], found: LookedUp): Shown {
  const { join } = operation.operation
  const { hidden } = operation.kind.definition
  if (join === undefined || (showsHidden && join.take === undefined)) return showAll(rows)
  const on = parsePath(join.on)
  const findRecord = (row: unknown): unknown => found.get(String(getAt(row, on)))
  const take = Object.entries(join.take ?? {}).map(([field, path]) => [parsePath(field), parsePath(path)] as const)
  for (const row of rows) completeRow(row, findRecord(row), take)
  if (showsHidden || hidden === undefined) return showAll(rows)
  const flag = parsePath(hidden.flag)
  const readFlag = (row: unknown): unknown => getAt(findRecord(row), flag)
  const flagged = rows.filter((row) => readFlag(row) === true)
  const { entity } = findLookup(operation.kind, join.lookup).lookup
  const shown = rows.filter((row) => readFlag(row) === false)
  const unclear = rows.length - shown.length - flagged.length
  return { rows: shown, excluded: flagged.length, unclear, hidden: readKeys(entity, on, flagged) }
}

const completeRow = (row: unknown, record: unknown, take: readonly (readonly [Path, Path])[]): void => {
  if (typeof row !== 'object' || row === null) return
  for (const [field, path] of take)
    if (getAt(row, field) === undefined) setAt(row as Record<string, unknown>, field, getAt(record, path) ?? null)
}

/** Hides flagged rows of a page and completes the others. @param found the records of `listIdsToLookUp` */
export function showRows(showing: Showing, rows: readonly unknown[], found: LookedUp): Shown {
  const { operation } = showing
  if (operation.operation.join !== undefined) return joinRows(showing, rows, found)
  if (operation.hidden === undefined || showing.showsHidden) return showAll(rows)
  const isFlagged = (row: unknown): boolean => isHidden(showing, row)
  const [key, ...more] = operation.entity.key
  const path = key === undefined || more.length > 0 ? undefined : parsePath(key)
  const flagged = rows.filter(isFlagged)
  const shown = flagged.length === 0 ? rows : rows.filter((row) => !isFlagged(row))
  return { rows: shown, excluded: flagged.length, unclear: 0, hidden: readKeys(operation.entityName, path, flagged) }
}

/** Returns whether a row's own flag hides it. */
export const isHidden = ({ operation: { hidden: flag }, showsHidden }: Showing, row: unknown): boolean =>
  flag !== undefined && !showsHidden && getAt(row, flag) === true

/** Describes why a list may be incomplete: nothing says whether some rows are to be hidden. Undefined without such rows. */
export const describeUnclear = ({ kind }: Pick<CompiledOperation, 'kind'>, count: number): string | undefined => {
  const what = count === 1 ? '1 record is' : `${count} records are`
  const whether = count === 1 ? 'it is' : 'they are'
  return count === 0 ? undefined : `${what} left out: ${kind.definition.title} does not say yet whether ${whether} private`
}

/** Builds the meta field that counts hidden rows, for operations that can meet hidden rows. */
export const buildHiddenCount = ({ operation }: Pick<Showing, 'operation'>, excluded: number): Readonly<Record<string, number>> => {
  const { hidden } = operation.kind.definition
  const canMeet = hidden !== undefined && (operation.hidden !== undefined || operation.operation.join !== undefined)
  return canMeet ? { [hidden.count]: excluded } : {}
}
