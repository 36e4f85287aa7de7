/** Works on the events of one connector that a node has leased: each record is read once, however many events name it. */
import { writeJson } from 'ferrule/engine'
import { asFerruleError, errorConsequences, type WebhookEvent } from 'ferrule/internal'
import type { ConnectorAccess } from '../../values/access.ts'
import type { LeasedEvent } from '../sql/vendor-events.ts'
import { type Applied, type ApplyServices, applyVendorEvent } from './apply-event.ts'
import { chooseNewest } from './versions.ts'

/** An event with its row. */
export interface OpenedEvent {
  readonly row: LeasedEvent
  readonly event: WebhookEvent
}

/** What became of events. `not tried`: others failed before, or the time was over. */
export interface WorkedGroup {
  readonly rows: readonly LeasedEvent[]
  /** Undefined for all entities. */
  readonly entity: string | undefined
  readonly end: Applied | 'failed' | 'not tried'
  readonly thrown?: unknown
}

/** Records that are read at a time. */
const atOnce = 4
/** Time after which the rest of the events is left to the next lease, in milliseconds. */
const longestMs = 60_000

/** Events that one call serves share a name. */
function nameEvent({ does, entity, key, read }: WebhookEvent): string {
  return writeJson(does === 'changed' && read !== undefined ? [does, entity, read] : [does, entity, key ?? null])
}

/** Returns whether an error would meet all other events too. */
function meetsAll(thrown: unknown): boolean {
  const { syncRun } = errorConsequences[asFerruleError(thrown).code]
  return syncRun !== 'continue'
}

/** Works on some events, each on its own: an event that fails stops no other one, unless the vendor refuses all. */
export async function workOnEvents(
  services: ApplyServices,
  { access, events, signal }: { readonly access: ConnectorAccess; readonly events: readonly OpenedEvent[]; readonly signal: AbortSignal },
): Promise<readonly WorkedGroup[]> {
  const groups = [...Map.groupBy(events, ({ event }) => nameEvent(event)).values()]
  const ends: WorkedGroup[] = []
  const until = services.clock() + longestMs
  let isOver = false
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const first = chooseNewest(group)
      if (first === undefined) continue
      const about = { rows: group.map(({ row }) => row), entity: first.event.entity }
      isOver ||= signal.aborted || services.clock() > until
      if (isOver) {
        ends.push({ ...about, end: 'not tried' })
        continue
      }
      try {
        ends.push({ ...about, end: await applyVendorEvent({ services, access, event: first.event, signal }) })
      } catch (thrown) {
        isOver ||= meetsAll(thrown)
        ends.push({ ...about, end: signal.aborted ? 'not tried' : 'failed', thrown })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return ends
}
