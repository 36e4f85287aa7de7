/** Rows that the vendor asks integrations not to show, and rows that a second call completes. */
import { FerruleError, fail, failAs } from '../errors.ts'
import { invalidAnswer, rowsOf } from './answer.ts'
import { metaOf } from './meta.ts'
import { type CompiledOperation, lookupOf } from './operation.ts'
import type { RecordKey } from './outcome.ts'
import { getAt, type Path, parsePath, setAt } from './paths.ts'
import { buildRequest } from './request.ts'
import { exchange, type Running } from './transport.ts'

/** Whether the connector's configuration asks for hidden rows too. */
const showsHidden = ({ connection, operation }: Running): boolean => {
  const { hidden } = operation.kind.definition
  return hidden === undefined || connection.configuration[hidden.unless.field] === hidden.unless.is
}

/** The error of a get or download of a hidden row. */
export const hiddenError = ({ kind }: CompiledOperation): FerruleError =>
  failAs(kind.definition.hidden?.error ?? 'record_not_found', { reason: 'it is hidden' })

/** Rows that may be shown, how many were not, and which of these are known to be hidden. */
export interface Shown {
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

/** Pages that a lookup may have: one per batch in practice; a vendor that splits a batch is followed this far. */
const maxLookupPages = 10

/** The records of some ids, by id. Ids that the vendor does not know are not in the map. */
async function lookUp(running: Running, name: string, ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
  const { lookup, operation } = lookupOf(running.operation.kind, name)
  const key = parsePath(lookup.key)
  const found = new Map<string, unknown>()
  for (let start = 0; start < ids.length; start += lookup.batch) {
    const params: Record<string, unknown> = {}
    setAt(params, parsePath(lookup.ids), ids.slice(start, start + lookup.batch))
    for (const row of await lookUpBatch({ ...running, operation, params })) found.set(String(getAt(row, key)), row)
  }
  return found
}

/** The caller of a list sent no cursor to its lookup: one that the vendor refuses is its own. */
function ofLookup({ operation }: Running, thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.code !== 'invalid_cursor') return thrown
  const details = thrown.upstream === undefined ? {} : { upstream: thrown.upstream }
  return invalidAnswer(operation, 'it refused a cursor that it had just given', details)
}

async function lookUpBatch(running: Running): Promise<unknown[]> {
  const rows: unknown[] = []
  let params = running.params
  for (let page = 0; page < maxLookupPages; page++) {
    const request = buildRequest(running.operation, params, running.runtime.clock())
    const reply = await exchange({ ...running, params }, request).catch((thrown: unknown) => {
      throw ofLookup(running, thrown)
    })
    if (reply.is === 'empty') return rows
    rows.push(...rowsOf(running.operation, reply.body))
    const { next_params } = metaOf(running.operation, { ...reply, params })
    if (next_params === null) return rows
    params = { ...params, ...next_params }
  }
  throw fail('upstream_answer_invalid', { vendor: running.operation.kind.definition.title, reason: 'a lookup that does not end' })
}

/** Completes rows with what was looked up, and hides those that are flagged there, or are not known there: what is not known to be public is not shown. */
async function joined(running: Running, rows: readonly unknown[]): Promise<Shown> {
  const { join } = running.operation.operation
  const { hidden } = running.operation.kind.definition
  const showAll = showsHidden(running)
  if (join === undefined || (showAll && join.take === undefined) || rows.length === 0) return allOf(rows)
  const on = parsePath(join.on)
  // A row without an id is looked up nowhere: it counts as one that is not known.
  const ids = [...new Set(rows.flatMap((row) => getAt(row, on) ?? []).map(String))].filter((id) => id !== '')
  const records = await lookUp(running, join.lookup, ids)
  const take = Object.entries(join.take ?? {}).map(([field, path]) => [parsePath(field), parsePath(path)] as const)
  for (const row of rows) complete(row, records.get(String(getAt(row, on))), take)
  if (showAll || hidden === undefined) return allOf(rows)
  const flag = parsePath(hidden.flag)
  const flagOf = (row: unknown): unknown => getAt(records.get(String(getAt(row, on))), flag)
  const flagged = rows.filter((row) => flagOf(row) === true)
  const { entity } = lookupOf(running.operation.kind, join.lookup).lookup
  return { ...without(rows, (row) => flagOf(row) !== false), hidden: keysOf(entity, on, flagged) }
}

const complete = (row: unknown, record: unknown, take: readonly (readonly [Path, Path])[]): void => {
  if (typeof row !== 'object' || row === null) return
  for (const [field, path] of take) setAt(row as Record<string, unknown>, field, getAt(record, path) ?? null)
}

/** The rows of a page that may be shown: flagged ones left out, joins done. @throws what a lookup meets; nothing is shown then */
export async function shownRows(running: Running, rows: readonly unknown[]): Promise<Shown> {
  const { operation } = running
  if (operation.operation.join !== undefined) return joined(running, rows)
  const flag = operation.hidden
  if (flag === undefined || showsHidden(running)) return allOf(rows)
  const isFlagged = (row: unknown): boolean => getAt(row, flag) === true
  const [key, ...more] = operation.entity.key
  const path = key === undefined || more.length > 0 ? undefined : parsePath(key)
  return { ...without(rows, isFlagged), hidden: keysOf(operation.entityName, path, rows.filter(isFlagged)) }
}

/** Whether a single row is to be hidden. */
export const isHidden = (running: Running, row: unknown): boolean => {
  const flag = running.operation.hidden
  return flag !== undefined && !showsHidden(running) && getAt(row, flag) === true
}

/** The meta field that counts hidden rows, for operations that can meet them. */
export const hiddenCount = ({ operation }: Running, excluded: number): Readonly<Record<string, number>> => {
  const { hidden } = operation.kind.definition
  const canMeet = hidden !== undefined && (operation.hidden !== undefined || operation.operation.join !== undefined)
  return canMeet ? { [hidden.count]: excluded } : {}
}
