/** Cuts the outcome of a vendor to what the caller asked for, wherever its records are. */
import type { Outcome } from '../engine/outcome.ts'
import { RawJson, RawRows, rawParts } from '../engine/raw-rows.ts'
import { type CutJob, type Cutter, cutApart } from './cut-apart.ts'
import { cutRecord, cutRecords, isWhole, type Wish } from './cut-records.ts'
import type { Cut } from './executed.ts'

type Data = Exclude<Outcome, { readonly type: 'file' }>

/** Whether everything of an outcome goes out as it is: single records keep their texts. */
const isUntouched = ({ type }: Data, wish: Wish): boolean => isWhole(wish) && (type === 'record' || wish.skip_truncation !== false)

const inPlace: Cutter = { cut: async (job: CutJob) => cutApart(job) }

/** What is asked beside the wish. */
export interface CutOptions {
  /** Cuts what is still bytes; without it that is done in place. */
  readonly cutter?: Cutter | undefined
  readonly signal?: AbortSignal | undefined
}

/** Cuts an outcome of a vendor; files are left alone. @throws as `Cutter.cut` */
export async function cutOutcome(outcome: Outcome, wish: Wish, { cutter = inPlace, signal }: CutOptions = {}): Promise<Outcome & Cut> {
  if (outcome.type === 'file' || isUntouched(outcome, wish)) return outcome
  const found = rawParts(outcome.data)
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
