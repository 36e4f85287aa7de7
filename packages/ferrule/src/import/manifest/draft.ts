/** What was read of streams. */
import type { Incremental } from './incremental.ts'
import type { Notes } from './outcome.ts'
import type { ReadWay, RequestOption } from './paging.ts'
import type { Partition } from './partitions.ts'
import type { RowsDraft, Shaped } from './records.ts'
import type { RequestDraft } from './request.ts'
import type { Scheme } from './scheme.ts'

/** A stream for whose records another one is called. */
export interface Parent {
  readonly draft: Draft
  readonly path: string
  readonly extra: Readonly<Record<string, string>>
}
/** What was read of a stream. */
export interface Draft {
  readonly name: string
  readonly entity: string
  readonly notes: Notes
  readonly request: RequestDraft | undefined
  readonly schemes: readonly Scheme[]
  readonly way: ReadWay | undefined
  readonly rows: RowsDraft
  readonly shaped: Shaped
  readonly schema: unknown
  readonly key: readonly string[] | undefined
  readonly incremental: Incremental | undefined
  readonly partition: Nested | undefined
  /** Lists of values: the list is called for each. */
  readonly lists: readonly Partition[]
}

/** A value of a further stream, which the records of the parent know. */
export interface Folded {
  /** The name that expressions have for the value. */
  readonly field: string
  readonly option?: RequestOption
  /** The further stream, and the path of the value in its records. */
  readonly parent: Parent
  /** The name by which the parent was called with the value; undefined for a value of the parent's own records. */
  readonly passed: string | undefined
}
/** What a list is called for, with the streams that were read. */
export interface Nested {
  readonly field: string
  readonly option?: RequestOption
  readonly parents: readonly Parent[]
  readonly folded?: readonly Folded[]
}

/** Lists the streams without parents that a stream hangs on. */
export const listRoots = (draft: Draft): readonly Draft[] => {
  const parents = draft.partition?.parents ?? []
  return parents.length === 0 ? [draft] : parents.flatMap(({ draft: parent }) => listRoots(parent))
}
