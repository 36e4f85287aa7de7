/** Parses `include` of a search: which fields of related records its records come with. */
import { isObject } from 'ferrule/internal'
import type { SearchTable } from '../columns.ts'
import type { FindTable } from '../field-paths.ts'
import { appendPointer, invalid, type RequestPointer, tooComplex } from '../refusals.ts'
import { parseSelection } from '../selection.ts'
import type { Included } from '../tree.ts'
import { findNamedReference, listReferences } from './references.ts'

/** Limits: references of a search, and how many of them one leads through. */
const mostIncluded = 20
const deepest = 2

/** State of parsing. */
interface Reading {
  readonly findTable: FindTable
  readonly depth: number
  /** Number of references so far; shared by the whole search. */
  readonly count: { included: number }
}

const refuseName = (table: SearchTable, pointer: RequestPointer): Error => {
  const known = listReferences(table).map(({ name }) => name)
  const says = known.length === 0 ? `${table.entity} has none` : `known: ${known.join(', ')}`
  return invalid(pointer, `is no reference of ${table.entity}; ${says}`, 'unknown')
}

function parseOne(
  reading: Reading,
  table: SearchTable,
  { name, value, pointer }: { name: string; value: unknown; pointer: RequestPointer },
) {
  const reference = findNamedReference(table, name, pointer)
  if (reference === undefined) throw refuseName(table, pointer)
  reading.count.included += 1
  if (reading.count.included > mostIncluded) throw tooComplex(pointer, `brings the search to more than ${mostIncluded} references`)
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array of fields, such as ["name"]')
  const related = reading.findTable(reference.entity)
  const deeper = { ...reading, depth: reading.depth + 1 }
  const include = value.flatMap((each, index) => (isObject(each) ? parseAll(deeper, related, each, appendPointer(pointer, index)) : []))
  assertDistinct(include, pointer)
  const onlyDeeper = value.length > 0 && value.every(isObject)
  const selection = onlyDeeper ? new Map() : parseSelection(related, value, pointer, isObject)
  return { reference, table: related, selection, include }
}

function assertDistinct(include: readonly Included[], pointer: RequestPointer): void {
  const names = include.map(({ reference }) => reference.name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw invalid(pointer, `names ${twice} twice`)
}

function parseAll(reading: Reading, table: SearchTable, value: object, pointer: RequestPointer): readonly Included[] {
  if (reading.depth > deepest) throw tooComplex(pointer, `leads through more than ${deepest} references`)
  return Object.entries(value).map(([name, each]) => parseOne(reading, table, { name, value: each, pointer: appendPointer(pointer, name) }))
}

/**
 * Parses `include`: references, each with the fields of the related record. A reference among these fields leads one step further:
 * `{ adgroup_id: ["name", { campaign_id: ["campaign_name"] }] }`.
 * @throws FerruleError `invalid_parameter`, `query_too_complex`, `field_not_searchable`
 */
export function parseInclude(
  table: SearchTable,
  value: unknown,
  { pointer, findTable }: { readonly pointer: RequestPointer; readonly findTable: FindTable },
): readonly Included[] {
  if (value === undefined || value === null) return []
  if (!isObject(value)) throw invalid(pointer, 'must be an object of references and fields, such as {"primaryUserId": ["firstName"]}')
  const include = parseAll({ findTable, depth: 1, count: { included: 0 } }, table, value, pointer)
  assertDistinct(include, pointer)
  return include
}
