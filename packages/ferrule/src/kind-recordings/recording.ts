/** What recordings hold: calls of a kind with the requests that they send, the answers of the vendor, and what must come of them. */
import type { Place } from '../kind-file/mistakes.ts'

/** Names with values, in order. A name can come several times. */
export type Pairs = readonly (readonly [name: string, value: string])[]

/** A request, as it must be. `{any}` in a text stands for any characters. */
export interface RecordedRequest {
  readonly method: string
  /** Path from the host on, with the prefix of the kind. */
  readonly path: string
  /** Decoded. */
  readonly query: Pairs
  /** Headers that must be there, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. A body of GraphQL can leave out `query`. */
  readonly body?: unknown
  readonly form?: Pairs
}

/** What the vendor answers. */
export interface RecordedAnswer {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** JSON, with all digits of integers. */
  readonly body?: unknown
  /** A body that is no JSON. */
  readonly text?: string
}

/** A request and its answer. */
export interface Exchange {
  readonly request: RecordedRequest
  readonly answer: RecordedAnswer
}

/** One recorded call. A list is walked to its end. */
export interface Recording {
  readonly entity: string
  readonly action: string
  /** What this recording shows, where there are several of one call. */
  readonly name?: string
  /** `live`: recorded. `document`: written from the vendor's documents. */
  readonly source: 'live' | 'document'
  /** Page of the vendor. Documents have it. */
  readonly from?: string
  readonly params: Readonly<Record<string, unknown>>
  readonly exchanges: readonly Exchange[]
  /** The record, or the records of all pages. Records can leave out fields that need no comparison. */
  readonly data?: unknown
  /** Members of the first page's meta. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Code of the error that the call ends with. */
  readonly error?: string
  /** Why a list has one page here. */
  readonly onePage?: string
  /** The vendor has more pages than the recorded ones. */
  readonly hasMore: boolean
  /** Where it stands in the file. */
  readonly at: Place
}

/** The recordings of a kind. */
export interface Recordings {
  readonly kind: string
  readonly configuration: Readonly<Record<string, unknown>>
  readonly recordings: readonly Recording[]
}

/** Names a recording in messages. */
export const nameRecording = ({ entity, action, name }: Pick<Recording, 'entity' | 'action' | 'name'>): string =>
  name === undefined ? `${entity}.${action}` : `${entity}.${action} (${name})`
