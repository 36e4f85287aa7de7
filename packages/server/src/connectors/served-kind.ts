/** A kind of this service: what lists show of it, and its definition, which is read when it is first used. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import { isCertified } from 'ferrule/internal'
import { listCopiedEntities } from '../copies/sync/walk/plan.ts'
import type { OwnKind } from '../values/access.ts'

/** What is known of a kind without its definition. */
export interface KindSummary extends Pick<ConnectorDefinition, 'kind' | 'id' | 'title' | 'about'> {
  /** Whether connectors of the kind have a copy. */
  readonly copied: boolean
}

/** A version of a kind that an organization brought. */
export interface OwnVersion extends OwnKind {
  readonly version: number
  /** Hosts that it leads to. */
  readonly hosts: readonly string[]
  /** Reads the text of its recordings; undefined without recordings. */
  readonly readRecordings: (() => Promise<string>) | undefined
}

/** A kind of this service. */
export interface ServedKind extends Kind {
  /** Given where the definition is read when it is first used. */
  readonly summary?: KindSummary
  /** Whether the kind came with the service. */
  readonly ships?: boolean
  /** Path of its recordings. The sandbox plays the kind from them. */
  readonly recordings?: string
  /** Given for a version of a kind that an organization brought. */
  readonly own?: OwnVersion
  /** URL of the operator's rules, for threads: functions cannot be sent to them. */
  readonly rulesModule?: string
}

/** Returns what lists show of a definition. */
export const summarizeDefinition = (definition: ConnectorDefinition): KindSummary => {
  const { kind, id, title, about } = definition
  return { kind, id, title, about, copied: listCopiedEntities(definition).length > 0 }
}

/** What is stored of a version of an organization's kind, beside its definition and its files. */
export interface VersionSummary extends Pick<KindSummary, 'title' | 'about' | 'copied'> {
  /** Number of entities. */
  readonly entities: number
  /** Hosts that people and credentials are sent to. */
  readonly hosts: readonly string[]
  /** Whether the version has recordings. */
  readonly sandbox: boolean
  /** True: an operator gave its entities tables of their own. */
  readonly promoted?: true
}

/** Reads a stored summary: JSON that this service wrote. */
export const parseVersionSummary = ({ summary }: { readonly summary: string }): VersionSummary => JSON.parse(summary)

/** Compresses a checked definition: to a twentieth of what it takes as an object. */
export const packDefinition = (definition: ConnectorDefinition): Buffer => deflateRawSync(JSON.stringify(definition))

/** Returns the JSON of a compressed definition. */
export const unpackDefinition = (packed: Uint8Array): string => inflateRawSync(packed).toString('utf8')

/** Returns what lists show of a kind. It reads no definition that is read at its first use. */
export const summarize = (kind: ServedKind): KindSummary => kind.summary ?? summarizeDefinition(kind.definition)

/** Returns whether a kind is one of the library's own, not a file. */
export const isOfLibrary = (kind: ServedKind): boolean => isCertified(summarize(kind))

/** Returns whether the sandbox can play a kind from recordings. */
export const hasRecordings = ({ recordings, own }: ServedKind): boolean => recordings !== undefined || own?.readRecordings !== undefined
