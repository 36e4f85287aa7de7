/** The kinds that the service runs, as documents. Everything comes from their definitions. */
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import { plainSchema } from '../definition/document.ts'
import { liveActions } from '../definition/entity.ts'
import type { Fields } from '../definition/fields.ts'
import { objectOf } from '../engine/schema.ts'
import { fail } from '../errors.ts'
import type { ActionDocument, DefinitionRecord, DefinitionSummary, EntityDocument } from './records.ts'
import type { Catalogue } from './types.ts'

const schemaOf = (fields: Fields | undefined): unknown => (fields === undefined ? null : plainSchema(objectOf(fields)))

/** What connectors of a kind are configured with, credentials apart: JSON Schema. */
export const configurationSchema = (definition: ConnectorDefinition): unknown => schemaOf(definition.configuration)

const summaryOf = ({ definition }: Kind): DefinitionSummary => ({
  sourceDefinitionId: definition.id,
  name: definition.title,
  connector_type: definition.kind,
  description: definition.about,
  iconUrl: null,
  custom: false,
  supportLevel: 'certified',
})

const entityOf = (entity: string, definition: ConnectorDefinition['entities'][string]): EntityDocument => ({
  entity,
  description: definition.about,
  key: definition.key,
  actions: liveActions.flatMap((action): ActionDocument[] => {
    const operation = definition[action]
    return operation === undefined ? [] : [{ action, description: operation.about ?? definition.about, params: schemaOf(operation.params) }]
  }),
  record: schemaOf(definition.record),
  searchable: schemaOf(definition.context_store_search),
})

const recordOf = (kind: Kind): DefinitionRecord => {
  const { definition } = kind
  const { entity, action } = definition.check
  return {
    id: definition.id,
    definition: {
      ...summaryOf(kind),
      spec: { documentationUrl: definition.documentation, connectionSpecification: configurationSchema(definition) },
    },
    example_questions: { direct: [], search: [] },
    credentials: Object.entries(definition.credentials).map(([scheme, { title, fields }]) => ({ scheme, title, schema: schemaOf(fields) })),
    configuration: configurationSchema(definition),
    check: { entity, action },
    entities: Object.entries(definition.entities).map(([name, each]) => entityOf(name, each)),
  }
}

/** Case, space, `_` and `-` do not matter in the name of a kind. */
const folded = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '-')

/** Builds the catalogue. Documents are made on the first request and kept. */
export function createCatalogue(kinds: readonly Kind[]): Catalogue {
  const names = new Map(
    kinds.flatMap((kind) => [kind.definition.title, kind.definition.kind, kind.definition.id].map((name) => [folded(name), kind] as const)),
  )
  const records = new Map<Kind, DefinitionRecord>()
  const kindOf = (given: string): Kind => {
    const found = names.get(folded(given))
    if (found === undefined)
      throw fail('connector_type_not_found', {
        given: given.slice(0, 100),
        known: kinds.map(({ definition }) => definition.kind).join(', '),
      })
    return found
  }
  const get = (id: string): DefinitionRecord => {
    const kind = kindOf(id)
    const record = records.get(kind) ?? recordOf(kind)
    records.set(kind, record)
    return record
  }
  return {
    list: (nameContains = '') => {
      const part = nameContains.toLowerCase()
      const matches = ({ definition }: Kind) => [definition.title, definition.kind].some((name) => name.toLowerCase().includes(part))
      return kinds.filter(matches).map(summaryOf)
    },
    get,
    entities: (id) => get(id).entities,
    kindOf,
  }
}
