/** Builds documents of the kinds from their definitions. */
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import { buildEntityDocument, fail, sandboxValues, kinds as shipped, toSchema } from 'ferrule/internal'
import type { DefinitionRecord, DefinitionSummary } from 'ferrule/wire'
import type { Catalogue } from './connector-types.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Builds the JSON Schema of a kind's configuration, without credentials. */
export const buildConfigurationSchema = (definition: ConnectorDefinition): JsonSchema => toSchema(definition.configuration)

/** Returns whether a kind ships with the service. No other kind has the slug of one that does. */
export const isShipped = ({ definition }: Kind): boolean => Object.hasOwn(shipped, definition.kind)

/** Says that a kind has no stand-in, and what to do. */
export const sayNoStandIn = ({ definition }: Kind): string =>
  `cannot be true: the sandbox plays no ${definition.title}; use an account of the vendor that is made for tests`

const toSummary = (kind: Kind): DefinitionSummary => ({
  sourceDefinitionId: kind.definition.id,
  name: kind.definition.title,
  connector_type: kind.definition.kind,
  description: kind.definition.about,
  iconUrl: null,
  custom: !isShipped(kind),
  supportLevel: isShipped(kind) ? 'certified' : 'community',
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
export const foldKindName = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '-')

/**
 * Builds the catalogue. Builds each document at its first request and keeps it.
 * @param standIns slugs of the kinds that the sandbox plays
 */
export function createCatalogue(kinds: readonly Kind[], standIns: readonly string[] = Object.keys(sandboxValues)): Catalogue {
  const names = new Map(
    kinds.flatMap((kind) =>
      [kind.definition.title, kind.definition.kind, kind.definition.id].map((name) => [foldKindName(name), kind] as const),
    ),
  )
  const records = new Map<Kind, DefinitionRecord>()
  const findKind = (given: string): Kind | undefined => names.get(foldKindName(given))
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
    hasStandIn: ({ definition }) => standIns.includes(definition.kind),
  }
}
