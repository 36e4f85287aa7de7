/** What is asked of the engine, and what it gives back. */
import type { Readable } from 'node:stream'
import type { MemoryLease } from './memory.ts'
import type { RawRows } from './raw-rows.ts'

/** One execution: an action on an entity with parameters. */
export interface Call {
  readonly entity: string
  readonly action: string
  /** Parameters as the documents name them; absent and null count as `{}`. */
  readonly params?: unknown
  /** Aborts the call and its vendor requests. */
  readonly signal?: AbortSignal
  /** Milliseconds until the call gives up; 60,000 by default. For a download: until the first byte. */
  readonly deadlineMs?: number
  /**
   * Rows of a large result in parts (`data` of the record) may stay raw, as `RawRows`, so that few of them are in memory at one time: read
   * through once, so that they are known to be JSON, or as nobody has read them.
   */
  readonly rawRows?: 'checked' | 'unread'
  /** The memory that its answers are counted in; whoever opened it closes it. */
  readonly memory?: MemoryLease | undefined
  /** Nobody waits for it: in the vendor's budget every other call goes first. */
  readonly background?: boolean
  /**
   * Stands for a write that must happen once: the platform gives one for each life of a caller's Idempotency-Key, the same one to
   * every attempt. The id that the vendor knows the write by is derived from it (UUID v5), so that a call which a node could not
   * finish is repeated as the same write.
   * A call with a key has to end in `outcome_unknown` when something may have been sent and it is not known what became of it, also
   * when a later attempt was refused: other errors may let the same key run anew.
   */
  readonly idempotencyKey?: string
}

/** A file on its way. The body is pulled: nothing is buffered beyond the transport's own window. */
export interface FileAnswer {
  /** 200 for the whole file, 206 for a part. */
  readonly status: 200 | 206
  readonly contentType: string
  /** Bytes of this answer, when the vendor told. */
  readonly contentLength: number | null
  /** `bytes a-b/total` of a part. */
  readonly contentRange: string | null
  readonly acceptRanges: string | null
  /** File name for `Content-Disposition`. */
  readonly name: string
  /** The bytes. It fails when the vendor cuts the transfer; destroying it aborts the vendor call. */
  readonly body: Readable
}

/** A record by its key, which has one part. */
export interface RecordKey {
  readonly entity: string
  readonly value: unknown
}

/** The result of one execution. Records of a body that was read apart are `RawRows`, a record of one `RawJson`. */
export type Outcome =
  | {
      readonly type: 'list'
      readonly data: readonly unknown[] | RawRows
      readonly meta: Readonly<Record<string, unknown>>
      /** Records that the vendor flags as hidden, and that were therefore left out: for the copy, never for an answer. */
      readonly hidden?: readonly RecordKey[]
      /** Why it is not known whether this is all that there is, for who would take what is not there for gone. The meta warns of it. */
      readonly doubt?: string
    }
  | { readonly type: 'record'; readonly data: unknown; readonly meta: Readonly<Record<string, unknown>> }
  | { readonly type: 'file'; readonly file: FileAnswer }
