/** Cutting records that are still JSON text: a job over bytes, so that a thread can do it. */
import { readJson, writeJson } from '../engine/json.ts'
import { cutRecord, cutRecords, type Wish } from './cut-records.ts'
import type { Cut } from './executed.ts'

/** What is to be cut. */
export interface CutJob {
  readonly wish: Wish
  /** Whether it is the records of a list, or one record. */
  readonly isList: boolean
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What is left of it. */
export interface CutResult extends Cut {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Cuts large answers apart from the loop. */
export interface Cutter {
  /** @throws the signal's reason */
  cut(job: CutJob, signal?: AbortSignal): Promise<CutResult>
}

/** Does a job. */
export function cutApart({ wish, isList, bytes }: CutJob): CutResult {
  const value = readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  const { data, ...cut } = isList && Array.isArray(value) ? cutRecords(value, wish) : { data: cutRecord(value, wish) }
  return { ...cut, bytes: new TextEncoder().encode(writeJson(data)) }
}
