/** The whole reference of a kind in one answer, for pages that people read, with how its fields are searched. */
import type { EntityDefinition, Kind } from 'ferrule/definition'
import { fieldOperators, findUnsuited } from 'ferrule/internal'
import type { DefinitionReference } from 'ferrule/wire'
import { buildSearchTable, type Comparison } from '../../copies/search/columns.ts'
import { parseFieldPath } from '../../copies/search/field-paths.ts'
import type { PathType } from '../../copies/search/tree.ts'
import { executeExamples } from '../openapi/execute.ts'
import { standAlone } from './blocks.ts'
import { describeKind } from './kind.ts'

const known = new WeakMap<Kind, DefinitionReference>()

/** Builds the reference of a kind at its first request, and keeps it. */
export function buildReference(kind: Kind): DefinitionReference {
  const reference = known.get(kind) ?? describe(kind)
  known.set(kind, reference)
  return reference
}

function describe(kind: Kind): DefinitionReference {
  const { definition } = kind
  const searches = Object.entries(definition.entities).map(([entity, each]) => ({
    entity,
    fields: describeSearchFields(definition.kind, entity, each),
  }))
  return {
    id: definition.kind,
    title: definition.title,
    sections: describeKind(definition).map(({ blocks, ...section }) => ({ ...section, blocks: blocks.map(standAlone) })),
    examples: Object.values(executeExamples([kind])).map(({ value }) => value),
    searches: searches.filter(({ fields }) => fields.length > 0),
  }
}

/** How a field is searched. */
interface DescribedField {
  readonly field: string
  readonly type: PathType
  readonly compares: Comparison
  /** Operators that the parser accepts for the field. */
  readonly operators: readonly string[]
}

const pointer = { at: '' }

/** Describes the searchable fields of an entity, in the order of its definition; none for an entity without a search. */
function describeSearchFields(kind: string, entity: string, definition: EntityDefinition): readonly DescribedField[] {
  if (definition.context_store_search === undefined) return []
  const table = buildSearchTable(kind, entity, definition)
  return table.columns.map(({ name }) => {
    const { path } = parseFieldPath({ table }, name, pointer)
    const operators = fieldOperators.filter((operator) => findUnsuited(operator, path.type) === undefined)
    return { field: name, type: path.type, compares: path.compare, operators }
  })
}
