/**
 * Finds kinds: those that this process serves, and those of organizations. A version of an organization's kind never changes, so a process
 * keeps the ones that it used.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ConnectorDefinition } from 'ferrule/definition'
import { BoundedMap, fail } from 'ferrule/internal'
import type { Db } from '../db/database.ts'
import { createCatalogue } from './catalogue.ts'
import type { Catalogue, KindOfRow, Kinds } from './connector-types.ts'
import { type ServedKind, summarize } from './served-kind.ts'
import { findUsedVersion, listNewestVersions, readVersionRecordings, type UsedVersionRow } from './sql/own-kinds.ts'

/** Most versions that a process keeps. A definition takes some hundred kilobytes at most. */
const mostKept = 100

/** Compresses a definition to be stored. */
export const packDefinition = (definition: ConnectorDefinition): Uint8Array => deflateRawSync(JSON.stringify(definition))

// It was checked when it was published.
const unpackDefinition = (packed: Uint8Array): ConnectorDefinition => JSON.parse(inflateRawSync(packed).toString('utf8'))

/** Names a kind of an organization: its slug for people, its id so that it shares nothing with a kind of the same slug. */
export const nameOwnKind = ({ slug, id }: { readonly slug: string; readonly id: string }): string => `${slug}~${id}`

/** Returns the name under which a connector keeps its kind: with the version, which stays until the connector moves. */
export const nameKindOfRow = (kind: ServedKind): string => {
  const { kind: name } = summarize(kind)
  return kind.own === undefined ? name : `${name}~${kind.own.version}`
}

/** Reads the id and the version of an organization's kind from its name; undefined for a kind that this process serves. */
export function readOwnName(name: string): { readonly id: string; readonly version: number | undefined } | undefined {
  const [, id, version] = name.split('~')
  return id === undefined ? undefined : { id, version: version === undefined ? undefined : Number(version) }
}

/** What lists show of a version. JSON that this service wrote. */
export interface VersionSummary {
  readonly title: string
  readonly about: string
  readonly copied: boolean
  readonly entities: number
  readonly hosts: readonly string[]
  /** Whether the version has recordings. */
  readonly sandbox: boolean
}

const parseSummary = (text: string): VersionSummary => JSON.parse(text)

/**
 * Builds a kind from a stored version. Its definition is read when it is first used.
 * @param readRecordings reads the text of its recordings, if it has any
 */
export function buildOwnKind(row: UsedVersionRow, readRecordings?: () => Promise<string>): ServedKind {
  const { kind_id: id, organization_id: organizationId, version, slug } = row
  const { title, about, copied, hosts, sandbox } = parseSummary(row.summary)
  const name = nameOwnKind({ slug, id })
  let definition: ConnectorDefinition | undefined
  const read = (): ConnectorDefinition => {
    definition ??= { ...unpackDefinition(row.definition), kind: name, id, foreign: true }
    return definition
  }
  return {
    own: {
      organizationId,
      id,
      version,
      hosts,
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
  const read = async (organizationId: string, own: NonNullable<ReturnType<typeof readOwnName>>, used: Db) => {
    const row = await findUsedVersion(used, organizationId, own)
    return row === undefined ? undefined : keep(row)
  }
  const find: Kinds['find'] = ({ organization_id, kind }: KindOfRow, used = db) => {
    const own = readOwnName(kind)
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
      const wanted = newest.own === undefined ? undefined : `${summarize(newest).kind}~${version}`
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
