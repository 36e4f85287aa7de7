/** The whole reference of a kind in one answer, for pages that people read. */
import type { Kind } from 'ferrule/definition'
import type { DefinitionReference } from 'ferrule/wire'
import { describeSearchFields } from '../../copies/search/describe-fields.ts'
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
