/** The messages for parsing large bodies in a worker thread: the job and its result. */
import type { PageInfo } from '../../definition/page.ts'
import type { ErrorCode } from '../../errors.ts'
import type { LineFormat } from '../json/raw-rows.ts'
import type { HiddenCounts, LookedUp } from './hidden.ts'
import type { Params } from './operation.ts'

/** What returns as bytes: the records of a list, its raw rows, one record, the rows of a result in parts, or nothing. */
export type Taken = 'page' | 'rows' | 'record' | 'part' | 'nothing'

/** A body to parse, with what the parser needs to know. */
export interface ApartJob {
  /** Slug of the kind. */
  readonly kind: string
  readonly entity: string
  readonly action: string
  readonly params: Params
  readonly showsHidden: boolean
  /** As `Showing.filter`. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined
  readonly take: Taken
  /** The body. The worker takes over its memory. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The records that complete the rows, once they are looked up. */
  readonly found?: LookedUp | undefined
  /** Names of the account's own fields. */
  readonly own?: ReadonlySet<string> | undefined
  /** How lines are written; undefined for one JSON value. Who runs the job loads the reader before. */
  readonly format: LineFormat | undefined
}

/** An error in a form that another thread can send. */
export interface ApartFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
}

/** What a worker read from a body. */
export type ApartValue =
  /** Records or rows as a JSON array. */
  | ({
      readonly is: 'rows'
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly count: number
      /** Number of rows in the answer's list; undefined without a list. */
      readonly listed: number | undefined
      readonly made?: { readonly page_info: PageInfo } | undefined
    } & HiddenCounts)
  /** Ids to look up first. The body returns with them. */
  | { readonly is: 'ids'; readonly ids: readonly string[]; readonly bytes: Uint8Array<ArrayBuffer> }
  /** One record as JSON. */
  | { readonly is: 'record'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Rows of a result in parts, as a range of the body. */
  | {
      readonly is: 'part'
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly start: number
      readonly end: number
      /** Number of rows, if known. */
      readonly count: number | undefined
    }
  | { readonly is: 'hidden' | 'nothing' }
  | { readonly is: 'failure'; readonly failure: ApartFailure }

/** The result of a job: why the body cannot be parsed, or the JSON around the records and the records. */
export type ApartResult = { readonly flaw: string } | { readonly around: string; readonly value: ApartValue }

/** A large body after parsing: why it cannot be parsed, or the value around the records and the records. */
export type ReadApart = { readonly flaw: string } | { readonly around: unknown; readonly value: ApartValue }
