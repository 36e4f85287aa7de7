/**
 * Cuts batches into transactions of about a second. The embedded database has one session, so a search waits for the write that runs. On a
 * busy machine a batch takes as long as a search may wait.
 */
import type { Batch, BatchResult } from './batch.ts'

/** Time that a part should take, in milliseconds. */
const wantedMs = 1_000
/** Records of a part, at least: a transaction has a price of its own. */
const least = 25

const keysOf = (records: Batch['records']): readonly string[] => records.map(({ key }) => key)

/** Leaves out the number of late records if it is zero, as a whole batch does. */
const sum = ({ late, ...counts }: Required<Omit<BatchResult, 'storedAt'>>): BatchResult => (late === 0 ? counts : { ...counts, late })

/** The parts of batches. Each is as large as the time of those before allows. */
export class BatchParts {
  /** Milliseconds of a record; at first those of a slow machine. */
  #recordMs = 4

  /** Writes some records in their transaction, and notes how long it took. */
  async measure<T>(records: number, write: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    const written = await write()
    // Falls slowly: a part of unchanged records says nothing of one with new ones.
    if (records >= least) this.#recordMs = Math.max((performance.now() - begun) / records, this.#recordMs / 2)
    return written
  }

  /**
   * Writes a batch part by part. Its progress and its deletions are in the last one, so a kill between two repeats the batch.
   * @param writePart writes a part; `written` has the keys of those before the last one
   */
  async write(
    { records, ...rest }: Batch,
    writePart: (part: Batch, written?: readonly string[]) => Promise<BatchResult>,
  ): Promise<BatchResult> {
    const total = { created: 0, updated: 0, unchanged: 0, removed: 0, late: 0 }
    for (let from = 0; ; ) {
      const part = records.slice(from, from + Math.max(least, Math.floor(wantedMs / this.#recordMs)))
      const isLast = from + part.length >= records.length
      const result = isLast
        ? await writePart({ ...rest, records: part }, keysOf(records.slice(0, from)))
        : await writePart({ records: part, asked: rest.asked, pass: rest.pass })
      if (isLast && from === 0) return result
      for (const name of ['created', 'updated', 'unchanged', 'removed', 'late'] as const) total[name] += result[name] ?? 0
      if (isLast) return sum(total)
      from += part.length
    }
  }
}
