/** References between entities: which fields have one, and how names of a query lead through one. Definitions say them (`refers`). */

import type { SearchTable } from '../columns.ts'
import { checkSteps, type FoundPath, findPath, type NameScope, resolvePath, splitPath } from '../field-paths.ts'
import { findMemberPath } from '../known-values.ts'
import type { RequestPointer } from '../refusals.ts'
import type { Condition, FieldPath, Included, MemberPath, Reference, SearchQuery, Step } from '../tree.ts'

/** Lists the references of an entity, in the order of its definition. */
export const listReferences = (table: SearchTable): readonly Reference[] =>
  Object.entries(table.refers ?? {}).flatMap(([name, entity]) => {
    const { column, steps = [] } = findPath({ table }, splitPath(name))?.path ?? {}
    return column === undefined ? [] : [{ name, column, steps, isMany: steps.includes(null), entity }]
  })

const listNames = (steps: readonly Step[]): readonly string[] => steps.filter((step) => step !== null)

const leadsTo = ({ column, steps }: Reference, to: MemberPath): boolean =>
  column === to.column && JSON.stringify(listNames(steps)) === JSON.stringify(to.names)

const findAt = (table: SearchTable, member: MemberPath): Reference | undefined =>
  listReferences(table).find((reference) => leadsTo(reference, member))

/** Returns whether the values at a path are those of a reference. */
export function isReferring(path: FieldPath, reference: Reference): boolean {
  const member = findMemberPath(path, undefined)
  return member !== undefined && leadsTo(reference, member)
}

/**
 * Finds the reference that a key of `include` names.
 * @throws FerruleError `query_too_complex`, `invalid_parameter`
 */
export function findNamedReference(table: SearchTable, name: string, pointer: RequestPointer): Reference | undefined {
  const steps = splitPath(name)
  checkSteps(steps, pointer)
  const found = findPath({ table }, steps)
  const member = found && findMemberPath(found.path, undefined)
  return member && findAt(table, member)
}

/** A field of a filter: of the record itself, or of what it refers to. */
export interface ResolvedField extends FoundPath {
  /** Where names below the field are resolved. */
  readonly scope: NameScope
  /** What leads to the field; undefined: the record itself has it. */
  readonly by?: { readonly path: FieldPath; readonly isMany: boolean; readonly table: SearchTable }
}

/** Where the steps of a field lead through a reference. A documented field of the record itself comes first. */
function findThrough(scope: NameScope, steps: readonly Step[], within: MemberPath | undefined) {
  const { table, findTable } = scope
  if (findTable === undefined || table.refers === undefined) return undefined
  for (let taken = steps.length - 1; taken > 0; taken -= 1) {
    const { path } = findPath(scope, steps.slice(0, taken)) ?? {}
    const member = path && findMemberPath(path, within)
    const reference = member && findAt(table, member)
    if (path !== undefined && reference !== undefined)
      return { by: { path, isMany: reference.isMany, table: findTable(reference.entity) }, rest: steps.slice(taken) }
  }
  return undefined
}

/**
 * Resolves a field of a filter.
 * @param within the array that the conditions around it apply to
 * @throws FerruleError as `resolvePath`
 */
export function resolveField(
  scope: NameScope,
  asked: string,
  { pointer, within }: { readonly pointer: RequestPointer; readonly within: MemberPath | undefined },
): ResolvedField {
  const steps = splitPath(asked)
  checkSteps(steps, pointer)
  const own = findPath(scope, steps)
  const through = own?.schema === undefined ? findThrough(scope, steps, within) : undefined
  if (through === undefined) return { ...resolvePath(scope, steps, { ...pointer, asked }), scope }
  const inner = { table: through.by.table }
  return { ...resolvePath(inner, through.rest, { ...pointer, asked: listNames(through.rest).join('.') }), scope: inner, by: through.by }
}

const listOfInclude = (include: readonly Included[]): readonly string[] =>
  include.flatMap(({ reference, include: below }) => [reference.entity, ...listOfInclude(below)])

const listOfFilter = (condition: Condition | undefined): readonly SearchTable[] => {
  if (condition === undefined) return []
  if (condition.op === 'and' || condition.op === 'or') return condition.of.flatMap(listOfFilter)
  if (condition.op === 'related') return [condition.table, ...listOfFilter(condition.of)]
  return condition.op === 'not' || condition.op === 'any' ? listOfFilter(condition.of) : []
}

/** Lists the tables that the filter of a search looks into besides its own, each once. */
export const listFilteredTables = ({ filter }: Pick<SearchQuery, 'filter'>): readonly SearchTable[] => [...new Set(listOfFilter(filter))]

/** Lists the other entities that a search reads, each once: those that it filters by, and those that it includes. */
export function listRelatedEntities(query: Pick<SearchQuery, 'filter' | 'include'>) {
  const filtered = new Set(listFilteredTables(query).map(({ entity }) => entity))
  return { filtered: [...filtered], all: [...new Set([...filtered, ...listOfInclude(query.include)])] }
}

const never: Condition = { op: 'or', of: [] }

function dropFromFilter(condition: Condition, isStored: (entity: string) => boolean): Condition {
  const drop = (each: Condition): Condition => dropFromFilter(each, isStored)
  if (condition.op === 'and' || condition.op === 'or') return { ...condition, of: condition.of.map(drop) }
  if (condition.op === 'related' && !isStored(condition.table.entity)) return never
  return condition.op === 'not' || condition.op === 'any' || condition.op === 'related'
    ? { ...condition, of: drop(condition.of) }
    : condition
}

const dropFromInclude = (include: readonly Included[], isStored: (entity: string) => boolean): readonly Included[] =>
  include.map((each) => ({
    ...each,
    table: isStored(each.reference.entity) ? each.table : undefined,
    include: dropFromInclude(each.include, isStored),
  }))

/** Takes from a search what has no table yet: no record is referred to there. */
export const dropUnstored = (query: SearchQuery, isStored: (entity: string) => boolean): SearchQuery => ({
  ...query,
  filter: query.filter && dropFromFilter(query.filter, isStored),
  include: dropFromInclude(query.include, isStored),
})
