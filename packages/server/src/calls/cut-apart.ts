/** Cuts records that are still JSON bytes, so that a worker thread can do the job. */
import { readJson, writeJson } from 'ferrule/engine'
import { cutRecord, cutRecords, type Wish } from './cut-records.ts'
import type { Cut } from './executed.ts'

/** Records to cut. */
export interface CutJob {
  readonly wish: Wish
  /** True for the records of a list, false for a single record. */
  readonly isList: boolean
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The cut records. */
export interface CutResult extends Cut {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Cuts large answers outside the event loop. */
export interface Cutter {
  /** Runs a job. @throws the signal's reason */
  cut(job: CutJob, signal?: AbortSignal): Promise<CutResult>
}

/** Runs a job in this thread. */
export function cutApart({ wish, isList, bytes }: CutJob): CutResult {
  const value = readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  const { data, ...cut } = isList && Array.isArray(value) ? cutRecords(value, wish) : { data: cutRecord(value, wish) }
  return { ...cut, bytes: new TextEncoder().encode(writeJson(data)) }
}
