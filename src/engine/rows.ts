/** Rows as the vendor sends them → records as the documents name them; what is hidden or filtered is left out and counted. */
import type { LocalFilter, Origin } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { instantOf } from './instant.ts'
import { integerOf } from './integer.ts'
import type { CompiledOperation, DocumentedFields, Shaping } from './operation.ts'
import type { Params } from './params.ts'
import { getAt, parsePath, setAt, takeAt, visitHolders } from './paths.ts'

const conversions: Readonly<Record<NonNullable<Origin['as']>, (value: unknown) => unknown>> = {
  text: (value) => (typeof value === 'number' || typeof value === 'bigint' ? value.toString() : value),
  lower: (value) => (typeof value === 'string' ? value.toLowerCase() : value),
  integer: (value) => (typeof value === 'string' ? integerOf(value) : value),
  number: (value) => (typeof value === 'string' ? (integerOf(value) ?? decimalOf(value)) : value),
}

/** A decimal text as a double; null for any other text, and for one that no double holds. */
const decimalOf = (text: string): number | null => {
  const value = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/** Whether a row has all fields, in their order, as most rows do: walking its own keys takes a quarter of asking for each field. */
function holdsInOrder(row: Record<string, unknown>, fields: readonly string[]): boolean {
  let met = 0
  for (const key in row) if (key === fields[met] && row[key] !== undefined) met += 1
  return met === fields.length
}

/** Sets a field from where it comes from, unless the row has it by its documented name. */
function derive(row: Record<string, unknown>, { to, origin, source = [] }: Shaping, params: Params): void {
  if (getAt(row, to) !== undefined) return
  const value = origin.rename === undefined ? getAt(origin.param === undefined ? row : params, source) : takeAt(row, source)
  if (value !== undefined) setAt(row, to, origin.as === undefined ? value : conversions[origin.as](value))
}

/** Gives a row the names of the documents, in place: the rows of an answer were parsed for this call only. */
export function nameRow({ shapings }: CompiledOperation, row: unknown, params: Params): unknown {
  if (!isObject(row)) return row
  for (const shaping of shapings) {
    const { to, origin, source } = shaping
    const convert = origin.as === undefined ? undefined : conversions[origin.as]
    if (source !== undefined) derive(row, shaping, params)
    else
      visitHolders(row, to, (holder, key) => {
        if (convert !== undefined && key in holder) holder[key] = convert(holder[key])
      })
  }
  return row
}

/** Documented fields that are left out become null, in place, also in the objects within; an object that is not there is not made. */
export function fillRow(row: unknown, fields: DocumentedFields): unknown {
  if (Array.isArray(row)) for (const element of row) fillRow(element, fields)
  if (!isObject(row)) return row
  const { names, within } = fields
  if (!holdsInOrder(row, names)) for (const name of names) if (row[name] === undefined) row[name] = null
  for (const [name, inner] of within) fillRow(row[name], inner)
  return row
}

/** A row as a record, in place. */
export const shapeRow = (operation: CompiledOperation, row: unknown, params: Params): unknown =>
  fillRow(nameRow(operation, row, params), operation.fields)

type Keep = (value: unknown, wanted: unknown) => boolean
const keeps: Readonly<Record<LocalFilter['keep'], Keep>> = {
  from: (value, wanted) => instantOf(value) >= instantOf(wanted),
  before: (value, wanted) => instantOf(value) < instantOf(wanted),
  equals: (value, wanted) => String(value) === String(wanted),
  in: (value, wanted) => !Array.isArray(wanted) || wanted.length === 0 || wanted.some((one) => String(one) === String(value)),
}

/** A test of records over the filters that the vendor lacks; undefined when the call uses none. */
export function localFilterOf({ operation }: CompiledOperation, params: Params): ((record: unknown) => boolean) | undefined {
  const tests = Object.entries(operation.local ?? {}).flatMap(([path, { field, keep }]) => {
    const wanted = getAt(params, parsePath(path))
    const at = parsePath(field)
    return wanted === undefined ? [] : [(record: unknown) => keeps[keep](getAt(record, at), wanted)]
  })
  return tests.length === 0 ? undefined : (record) => tests.every((test) => test(record))
}
