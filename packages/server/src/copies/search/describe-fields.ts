/** Describes how the fields of an entity are searched, for those who build filters. */

import type { EntityDefinition } from 'ferrule/definition'
import { fieldOperators, findUnsuited } from 'ferrule/internal'
import { buildSearchTable, type Comparison } from './columns.ts'
import { parseFieldPath } from './field-paths.ts'
import type { PathType } from './tree.ts'

/** How a field is searched. */
export interface DescribedField {
  readonly field: string
  readonly type: PathType
  readonly compares: Comparison
  /** Operators that the parser accepts for the field. */
  readonly operators: readonly string[]
}

const pointer = { at: '' }

/** Describes the searchable fields of an entity, in the order of its definition; none for an entity without a search. */
export function describeSearchFields(kind: string, entity: string, definition: EntityDefinition): readonly DescribedField[] {
  if (definition.context_store_search === undefined) return []
  const table = buildSearchTable(kind, entity, definition)
  return table.columns.map(({ name }) => {
    const { path } = parseFieldPath({ table }, name, pointer)
    const operators = fieldOperators.filter((operator) => findUnsuited(operator, path.type) === undefined)
    return { field: name, type: path.type, compares: path.compare, operators }
  })
}
