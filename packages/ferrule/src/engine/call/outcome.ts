/** The input and the result of one execution. */
import type { Readable } from 'node:stream'
import type { MemoryLease } from '../http/memory.ts'
import type { RawRows } from '../json/raw-rows.ts'

/** One execution: an action on an entity with parameters. */
export interface Call {
  readonly entity: string
  readonly action: string
  /** Parameters as the documents name them; absent and null count as `{}`. */
  readonly params?: unknown | undefined
  /** Aborts the call and its vendor requests. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of the call in milliseconds; 60,000 by default. For a download: until the first byte. */
  readonly deadlineMs?: number | undefined
  /**
   * Keeps the rows of a large result in parts raw (`RawRows`), so that few rows are in memory at a time. `checked` verifies that the rows
   * are JSON; `unread` does not.
   */
  readonly rawRows?: 'checked' | 'unread' | undefined
  /** Returns the text of a list's records beside them where the vendor's own text will do. */
  readonly keepsText?: boolean | undefined
  /** Digests the body of a list or a get, for `Outcome.digest`. */
  readonly digest?: ((body: Buffer) => string) | undefined
  /** The memory account of its answers. Whoever opened it closes it. */
  readonly memory?: MemoryLease | undefined
  /** True: a list returns what `where` leaves out too, for the copy, which deletes it. */
  readonly unfiltered?: boolean | undefined
  /** True for a call that nobody waits for: all other calls go first in the vendor's budget. */
  readonly background?: boolean | undefined
  /**
   * Stands for a write that must happen once. The platform sends the same key with every attempt of one client request. The vendor's request
   * id is derived from the key (UUID v5), so a call that a node did not finish is repeated as the same write. Such a call must end in
   * `outcome_unknown` if anything may have been sent, even if a later attempt was refused: other errors let the key run again.
   */
  readonly idempotencyKey?: string | undefined
}

/** A file in transfer. Readers pull the body, so only the transport's own window is buffered. */
export interface FileAnswer {
  /** 200 for the whole file, 206 for a range. */
  readonly status: 200 | 206
  readonly contentType: string
  /** Number of bytes of this answer; null if the vendor omits it. */
  readonly contentLength: number | null
  /** `bytes a-b/total` of a range. */
  readonly contentRange: string | null
  readonly acceptRanges: string | null
  /** Entity tag of the file: two answers with the same strong tag are of the same bytes. */
  readonly etag: string | null
  /** File name for `Content-Disposition`. */
  readonly name: string
  /** The bytes. Fails if the vendor cuts the transfer. Destroying it aborts the vendor call. */
  readonly body: Readable
}

/** A record by its key, which has one field. */
export interface RecordKey {
  readonly entity: string
  readonly value: unknown
}

/**
 * The digest of the vendor's body: the same parameters and configuration make the same records of the same body. Absent where the call asked
 * for none, for a body that a worker thread parsed, and for records that a join completed.
 */
interface Digested {
  readonly digest?: string
}

/** The result of one execution. A worker thread returns records as `RawRows`, and a single record as `RawJson`. */
export type Outcome =
  | ({
      readonly type: 'list'
      readonly data: readonly unknown[] | RawRows
      /** The records of `data` as the vendor wrote them. Whoever asked with `keepsText` releases the text. */
      readonly text?: RawRows | undefined
      readonly meta: Readonly<Record<string, unknown>>
      /** Omitted records that the vendor flags as hidden: for the copy, never for an answer. */
      readonly hidden?: readonly RecordKey[]
      /** The token of changes that the page names, for the next run of a sync. */
      readonly token?: string | number | bigint | undefined
      /** Why the list may be incomplete, so that a sync deletes nothing on account of it. The meta has it as a warning. */
      readonly doubt?: string | undefined
    } & Digested)
  | ({ readonly type: 'record'; readonly data: unknown; readonly meta: Readonly<Record<string, unknown>> } & Digested)
  | { readonly type: 'file'; readonly file: FileAnswer }
