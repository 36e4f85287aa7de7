/**
 * Finds and describes kinds: those that this process serves, and those of organizations. A version of an organization's kind never changes,
 * so a process keeps the ones that it used.
 */
import type { ConnectorDefinition } from 'ferrule/definition'
import { takesVendorRequests } from 'ferrule/engine'
import { BoundedMap, buildEntityDocument, fail, foldKindName, readSlug, sandboxValues, toSchema } from 'ferrule/internal'
import type { DefinitionRecord, DefinitionSummary, EntityDocument } from 'ferrule/wire'
import type { Db } from '../db/database.ts'
import { nameOwnKind, nameOwnVersion, type OwnKindName, parseOwnKindName } from '../values/ids.ts'
import { onceInSlices, type Steps } from '../values/slices.ts'
import {
  type Catalogue,
  isOfLibrary,
  type KindOfRow,
  type Kinds,
  parseVersionSummary,
  type ServedKind,
  summarize,
  unpackDefinition,
} from './connector-types.ts'
import { findUsedVersion, keepVersion, listNewestVersions, readVersionRecordings, type UsedVersionRow } from './sql/own-kinds.ts'

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

/** Describes a kind. The first step reads the definition, each other one describes an entity. */
export function* describeInSteps(kind: ServedKind): Steps<DefinitionRecord> {
  const { definition } = kind
  const { entity, action } = definition.check
  yield
  const entities: EntityDocument[] = []
  for (const each of Object.entries(definition.entities)) {
    entities.push(buildEntityDocument(each))
    yield
  }
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
      application_fields: consent?.oauthClient ?? [],
      revokes_consent: consent?.revoke !== undefined,
    })),
    configuration: buildConfigurationSchema(definition),
    check: { entity, action },
    takes_requests: takesVendorRequests(definition),
    entities,
  }
}

/** Describes a kind. The document is built at its first request, and kept with the kind. */
export const describeServedKind = onceInSlices(describeInSteps)

/** Returns whether the sandbox can play a kind from recordings. */
export const hasRecordings = ({ recordings, own }: ServedKind): boolean => recordings !== undefined || own?.readRecordings !== undefined

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
  const findKind = (given: string): ServedKind | undefined => names.get(given) ?? names.get(foldKindName(given))
  const getKind = (given: string): ServedKind => {
    const found = findKind(given)
    if (found === undefined)
      throw fail('connector_type_not_found', {
        given: given.slice(0, 100),
        known: kinds.map((each) => readSlug(summarize(each).kind)).join(', '),
      })
    return found
  }
  return {
    kinds,
    list: (nameContains = '') => {
      const part = nameContains.toLowerCase()
      const matches = ({ name, connector_type }: DefinitionSummary) =>
        [name, connector_type].some((each) => each.toLowerCase().includes(part))
      return kinds.map(toSummary).filter(matches)
    },
    listCopied: () => kinds.map(summarize).flatMap(({ kind, copied }) => (copied ? [kind] : [])),
    getKind,
    findKind,
    hasStandIn: (kind) => hasRecordings(kind) || standIns.includes(summarize(kind).kind),
  }
}

/** Most versions that a process keeps. A definition takes some hundred kilobytes at most. */
const mostKept = 100

/** Returns the name under which a connector keeps its kind: with the version, which stays until the connector moves. */
export const nameKindOfRow = (kind: ServedKind): string => {
  const { kind: name } = summarize(kind)
  return kind.own === undefined ? name : nameOwnVersion(name, kind.own.version)
}

// It was checked when it was published.
const parseDefinition = ({ definition }: UsedVersionRow): ConnectorDefinition => JSON.parse(unpackDefinition(definition))

/**
 * Builds a kind from a stored version. Its definition is read when it is first used.
 * @param readRecordings reads the text of its recordings
 */
function buildOwnKind(row: UsedVersionRow, readRecordings: () => Promise<string>): ServedKind {
  const { kind_id: id, organization_id: organizationId, version, slug } = row
  const { title, about, copied, hosts, sandbox, promoted: isPromoted } = parseVersionSummary(row)
  const name = nameOwnKind({ slug, id })
  let definition: ConnectorDefinition | undefined
  const read = (): ConnectorDefinition => {
    definition ??= { ...parseDefinition(row), kind: name, id, foreign: true }
    return definition
  }
  return {
    own: {
      organizationId,
      id,
      version,
      hosts,
      isPromoted,
      readRecordings: sandbox ? readRecordings : undefined,
      get entities() {
        return read().entities
      },
    },
    summary: { kind: name, id, title, about, copied },
    rules: {},
    get definition() {
      return read()
    },
  }
}

/**
 * Keeps the kind of a connector that is to be stored from being deleted until the transaction ends.
 * @throws FerruleError `kind_not_found` when its version was deleted meanwhile
 */
export async function keepKind(db: Db, { own }: ServedKind): Promise<void> {
  if (own !== undefined && !(await keepVersion(db, own))) throw fail('kind_not_found', {})
}

/**
 * Builds the lookups.
 * @param kinds those that this process serves
 * @param standIns slugs of the kinds that the sandbox plays without recordings
 */
export function createKinds(db: Db, kinds: readonly ServedKind[], standIns?: readonly string[]): Kinds {
  const served = createCatalogue(kinds, standIns)
  const kept = new BoundedMap<string, ServedKind>(mostKept)
  const keep = (row: UsedVersionRow): ServedKind => {
    const name = `${row.kind_id} ${row.version}`
    const kind = kept.get(name) ?? buildOwnKind(row, () => readVersionRecordings(db, row))
    kept.set(name, kind)
    return kind
  }
  const read = async (organizationId: string, own: OwnKindName, used: Db) => {
    const row = await findUsedVersion(used, organizationId, own)
    return row === undefined ? undefined : keep(row)
  }
  const find: Kinds['find'] = ({ organization_id, kind }: KindOfRow, used = db) => {
    const own = parseOwnKindName(kind)
    if (own === undefined) return served.findKind(kind)
    const known = own.version === undefined ? undefined : kept.get(`${own.id} ${own.version}`)
    return known?.own?.organizationId === organization_id ? known : read(organization_id, own, used)
  }
  const of = async (organizationId: string, names?: readonly unknown[]): Promise<Catalogue> => {
    const isServed = (name: unknown): boolean => name === undefined || (typeof name === 'string' && served.findKind(name) !== undefined)
    if (names?.every(isServed)) return served
    const rows = await listNewestVersions(db, organizationId)
    return rows.length === 0 ? served : createCatalogue([...kinds, ...rows.map(keep)], standIns)
  }
  return {
    served,
    of,
    find,
    getVersion: async (organizationId, name, version) => {
      const newest = (await of(organizationId, version === undefined ? [name] : undefined)).getKind(name)
      if (version === undefined || version === newest.own?.version) return newest
      const wanted = newest.own === undefined ? undefined : nameOwnVersion(summarize(newest).kind, version)
      const kind = wanted === undefined ? undefined : await find({ organization_id: organizationId, kind: wanted })
      if (kind === undefined) throw fail('kind_not_found', {})
      return kind
    },
    get: async (row, used) => {
      const kind = await find(row, used)
      if (kind === undefined) throw fail('connector_type_not_found', { given: row.kind.slice(0, 100), known: 'those of this service' })
      return kind
    },
    findAll: async (rows, used) => {
      const found = new Map<string, ServedKind | undefined>()
      const nameRow = ({ organization_id, kind }: KindOfRow) => `${organization_id} ${kind}`
      for (const row of rows) if (!found.has(nameRow(row))) found.set(nameRow(row), await find(row, used))
      return (row) => found.get(nameRow(row))
    },
  }
}
