/** Builds documents of the kinds from their definitions. */
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import { buildEntityDocument, fail, toSchema } from 'ferrule/internal'
import type { DefinitionRecord, DefinitionSummary } from 'ferrule/wire'
import type { Catalogue } from './connector-types.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Builds the JSON Schema of a kind's configuration, without credentials. */
export const buildConfigurationSchema = (definition: ConnectorDefinition): JsonSchema => toSchema(definition.configuration)

const toSummary = ({ definition }: Kind): DefinitionSummary => ({
  sourceDefinitionId: definition.id,
  name: definition.title,
  connector_type: definition.kind,
  description: definition.about,
  iconUrl: null,
  custom: false,
  supportLevel: 'certified',
})

const toDefinitionRecord = (kind: Kind): DefinitionRecord => {
  const { definition } = kind
  const { entity, action } = definition.check
  return {
    id: definition.id,
    definition: {
      ...toSummary(kind),
      spec: { documentationUrl: definition.documentation, connectionSpecification: buildConfigurationSchema(definition) },
    },
    example_questions: { direct: [], search: [] },
    credentials: Object.entries(definition.credentials).map(([scheme, { title, fields, consent }]) => ({
      scheme,
      title,
      schema: toSchema(fields),
      application_fields: consent?.application ?? [],
      revokes_consent: consent?.revoke !== undefined,
    })),
    configuration: buildConfigurationSchema(definition),
    check: { entity, action },
    entities: Object.entries(definition.entities).map(buildEntityDocument),
  }
}

/** Folds the name of a kind: ignores case, space, `_` and `-`. */
const foldName = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '-')

/** Builds the catalogue. Builds each document at its first request and keeps it. */
export function createCatalogue(kinds: readonly Kind[]): Catalogue {
  const names = new Map(
    kinds.flatMap((kind) =>
      [kind.definition.title, kind.definition.kind, kind.definition.id].map((name) => [foldName(name), kind] as const),
    ),
  )
  const records = new Map<Kind, DefinitionRecord>()
  const findKind = (given: string): Kind | undefined => names.get(foldName(given))
  const getKind = (given: string): Kind => {
    const found = findKind(given)
    if (found === undefined)
      throw fail('connector_type_not_found', {
        given: given.slice(0, 100),
        known: kinds.map(({ definition }) => definition.kind).join(', '),
      })
    return found
  }
  const get = (id: string): DefinitionRecord => {
    const kind = getKind(id)
    const record = records.get(kind) ?? toDefinitionRecord(kind)
    records.set(kind, record)
    return record
  }
  return {
    list: (nameContains = '') => {
      const part = nameContains.toLowerCase()
      const matches = ({ definition }: Kind) => [definition.title, definition.kind].some((name) => name.toLowerCase().includes(part))
      return kinds.filter(matches).map(toSummary)
    },
    get,
    entities: (id) => get(id).entities,
    getKind,
    findKind,
  }
}
