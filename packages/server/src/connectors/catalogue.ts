/** Builds documents of the kinds from their definitions. */
import type { ConnectorDefinition } from 'ferrule/definition'
import { buildEntityDocument, fail, foldKindName, readSlug, sandboxValues, toSchema } from 'ferrule/internal'
import type { DefinitionRecord, DefinitionSummary } from 'ferrule/wire'
import type { Catalogue } from './connector-types.ts'
import { hasRecordings, isOfLibrary, type ServedKind, summarize } from './served-kind.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Builds the JSON Schema of a kind's configuration, without credentials. */
export const buildConfigurationSchema = (definition: ConnectorDefinition): JsonSchema => toSchema(definition.configuration)

/** Says that a kind has no stand-in, and what to do. */
export const sayNoStandIn = (kind: ServedKind): string =>
  `cannot be true: the sandbox plays no ${summarize(kind).title}; put recordings beside its file, or use an account of the vendor that is made for tests`

function toSummary(served: ServedKind): DefinitionSummary {
  const { id, kind, title, about } = summarize(served)
  return {
    sourceDefinitionId: id,
    name: title,
    connector_type: readSlug(kind),
    description: about,
    iconUrl: null,
    custom: !isOfLibrary(served) && served.ships !== true,
    supportLevel: isOfLibrary(served) ? 'certified' : 'community',
  }
}

/** Documents by their kinds. */
const records = new WeakMap<ServedKind, DefinitionRecord>()

/** Describes a kind. The document is built at its first request, and kept with the kind. */
export function describeServedKind(kind: ServedKind): DefinitionRecord {
  const record = records.get(kind) ?? toDefinitionRecord(kind)
  records.set(kind, record)
  return record
}

const toDefinitionRecord = (kind: ServedKind): DefinitionRecord => {
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

/**
 * Builds the catalogue. Lists and names read no definition.
 * @param standIns slugs of the kinds that the sandbox plays without recordings
 */
export function createCatalogue(kinds: readonly ServedKind[], standIns: readonly string[] = Object.keys(sandboxValues)): Catalogue {
  // Of two kinds with one name the first one has it.
  const names = new Map(
    kinds.toReversed().flatMap((each) => {
      const { title, kind, id } = summarize(each)
      return [title, kind, readSlug(kind), id].map((name) => [foldKindName(name), each] as const)
    }),
  )
  const findKind = (given: string): ServedKind | undefined => names.get(foldKindName(given))
  const getKind = (given: string): ServedKind => {
    const found = findKind(given)
    if (found === undefined)
      throw fail('connector_type_not_found', {
        given: given.slice(0, 100),
        known: kinds.map((each) => readSlug(summarize(each).kind)).join(', '),
      })
    return found
  }
  const get = (id: string): DefinitionRecord => describeServedKind(getKind(id))
  return {
    kinds,
    list: (nameContains = '') => {
      const part = nameContains.toLowerCase()
      const matches = ({ name, connector_type }: DefinitionSummary) =>
        [name, connector_type].some((each) => each.toLowerCase().includes(part))
      return kinds.map(toSummary).filter(matches)
    },
    listCopied: () => kinds.map(summarize).flatMap(({ kind, copied }) => (copied ? [kind] : [])),
    get,
    entities: (id) => get(id).entities,
    getKind,
    findKind,
    hasStandIn: (kind) => hasRecordings(kind) || standIns.includes(summarize(kind).kind),
  }
}
