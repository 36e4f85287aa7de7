/** Counts calls in memory, and stores them in groups. */
import { buildBins, type UsageCount, usageBins } from '../../db/schema/usage-schema.ts'
import type { Parts } from '../../main/parts.ts'
import type { ConnectorPlace } from '../../values/access.ts'
import type { CallCode } from '../../values/metric-types.ts'
import { binCount, findBin } from './histogram.ts'

/** Length of a stored bucket in seconds, and its life in milliseconds. */
export const keptSteps = [
  { seconds: 300, keptMs: 14 * 86_400_000 },
  { seconds: 3_600, keptMs: 90 * 86_400_000 },
] as const

/** Time from the first call of a group until the group is stored, in milliseconds. A killed process loses the calls of so long. */
const groupMs = 5_000
/** Maximum number of connectors and codes in a group. Calls beyond it are not counted while the group before is being stored. */
const largestGroup = 10_000
/** Length of the shortest bucket, in milliseconds: the calls of a group lie in one bucket. */
const bucketMs = keptSteps[0].seconds * 1_000

type Tallies = Map<string, { readonly place: ConnectorPlace; readonly codes: Map<CallCode, number[]> }>

interface Group {
  /** Begin of the bucket. */
  readonly bucket: number
  readonly tallies: Tallies
  /** Connectors and codes. */
  size: number
}

/** What counting needs. */
export interface CountParts extends Pick<Parts, 'onBackgroundError'> {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Adds counts to the stored ones. */
  readonly add: (rows: readonly UsageCount[]) => Promise<void>
}

/** Calls that this process has not stored yet. */
export class UsageCounts {
  readonly #parts: CountParts
  #group: Group | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(parts: CountParts) {
    this.#parts = parts
  }

  /** Counts a call that has ended. @param durationMs milliseconds */
  count(place: ConnectorPlace, code: CallCode, durationMs: number): void {
    const now = this.#parts.clock()
    const bucket = now - (now % bucketMs)
    // While a group is being written, the next one stays in its bucket: memory holds two groups at most.
    if (this.#group !== undefined && this.#group.bucket !== bucket && this.#writing === undefined) void this.store()
    this.#group ??= { bucket, tallies: new Map(), size: 0 }
    const bins = this.#findBins(this.#group, place, code)
    if (bins === undefined) return
    const bin = findBin(durationMs)
    bins[bin] = (bins[bin] ?? 0) + 1
    this.#timer ??= setTimeout(() => void this.store(), groupMs).unref()
  }

  /** Stores the calls so far, and waits for it. One group is written at a time, while the next one collects. */
  async store(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    const group = this.#group
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#group = undefined
    if (group === undefined) return
    this.#writing = this.#write(group)
    await this.#writing
  }

  /** Reports a failure, and loses the group then: a repetition could count calls twice. */
  async #write(group: Group): Promise<void> {
    try {
      await this.#parts.add(toRows(group))
    } catch (error) {
      this.#parts.onBackgroundError(error)
    } finally {
      this.#writing = undefined
    }
  }

  /** Returns the bins to count in; undefined when there is no more room. */
  #findBins(group: Group, place: ConnectorPlace, code: CallCode): number[] | undefined {
    let tally = group.tallies.get(place.connectorId)
    const known = tally?.codes.get(code)
    if (known !== undefined) return known
    if (group.size >= largestGroup) return undefined
    if (tally === undefined) {
      tally = { place, codes: new Map() }
      group.tallies.set(place.connectorId, tally)
    }
    const bins: number[] = new Array(binCount).fill(0)
    tally.codes.set(code, bins)
    group.size += 1
    return bins
  }
}

/** Builds the rows of a group: for each stored length, the counts of connectors and the sums of workspaces and organizations. */
function toRows({ bucket, tallies }: Group): UsageCount[] {
  const rows = new Map<string, UsageCount>()
  for (const { place, codes } of tallies.values())
    for (const [code, bins] of codes)
      for (const row of listRows(place, { bucket, code })) {
        const key = `${row.organization_id} ${row.scope_id} ${row.step} ${row.code}`
        const sum = rows.get(key) ?? row
        for (const [index, bin] of usageBins.entries()) sum[bin] += bins[index] ?? 0
        rows.set(key, sum)
      }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** Lists the empty rows that a call is counted in. */
const listRows = (
  { organizationId, workspaceId, connectorId }: ConnectorPlace,
  { bucket, code }: { readonly bucket: number; readonly code: CallCode },
): UsageCount[] =>
  [organizationId, workspaceId, connectorId].flatMap((scopeId) =>
    keptSteps.map(({ seconds }) => ({
      organization_id: organizationId,
      scope_id: scopeId,
      step: seconds,
      time: bucket - (bucket % (seconds * 1_000)),
      code,
      ...buildBins(() => 0),
    })),
  )
