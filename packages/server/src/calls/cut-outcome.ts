/** Cuts a vendor's outcome to the fields and lengths of a request, wherever the records are. */
import { type Outcome, RawJson, RawRows } from 'ferrule/engine'
import { splitRawJson } from 'ferrule/internal'
import { type CutJob, type Cutter, cutApart } from './cut-apart.ts'
import { cutRecord, cutRecords, isWhole, type Wish } from './cut-records.ts'
import type { Cut } from './executed.ts'

type Data = Exclude<Outcome, { readonly type: 'file' }>

/** Returns whether an outcome stays unchanged. Single records always keep their long strings. */
export const isUntouched = ({ type }: Pick<Data, 'type'>, wish: Wish): boolean =>
  isWhole(wish) && (type === 'record' || wish.skip_truncation !== false)

const inPlace: Cutter = { cut: async (job: CutJob) => cutApart(job) }

/** Options of `cutOutcome`. */
export interface CutOptions {
  /** Cuts JSON bytes; defaults to this thread. */
  readonly cutter?: Cutter | undefined
  readonly signal?: AbortSignal | undefined
}

/** Cuts a vendor's outcome; files stay unchanged, and so does text, which only untouched lists have. @throws as `Cutter.cut` */
export async function cutOutcome(outcome: Outcome, wish: Wish, { cutter = inPlace, signal }: CutOptions = {}): Promise<Outcome & Cut> {
  if (outcome.type === 'list' && outcome.text !== undefined) return { ...outcome, data: outcome.text }
  if (outcome.type === 'file' || isUntouched(outcome, wish)) return outcome
  const found = splitRawJson(outcome.data)
  const isList = outcome.type === 'list'
  if (found !== undefined) {
    const whole = new Uint8Array(Buffer.concat(found.parts))
    found.raw.release()
    const { bytes, ...cut } = await cutter.cut({ wish, isList, bytes: whole }, signal)
    const json = Buffer.from(bytes.buffer)
    return isList ? { ...outcome, ...cut, data: new RawRows(json) } : { ...outcome, ...cut, data: new RawJson(json) }
  }
  if (outcome.type === 'record') return { ...outcome, data: cutRecord(outcome.data, wish) }
  return outcome.data instanceof RawRows ? outcome : { ...outcome, ...cutRecords(outcome.data, wish) }
}
