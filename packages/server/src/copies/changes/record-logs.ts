/** The logs of copies for those who tell endpoints of changes (docs/decisions/webhooks.md). */
import type { EntityRef } from '../entity-ref.ts'
import { hasCode } from '../store/database/problems.ts'
import type { ContextStore } from '../store/store.ts'
import type { ChangeCounts, LogState } from '../store/types.ts'
import { type CursorParts, signPosition } from './positions.ts'

/** A log that is written. */
export type FollowedLog = LogState & { readonly generation: string }

/** The logs of changes of copies. */
export interface RecordLogs {
  /**
   * Finds where logs of an organization are, and begins those that nobody reads.
   * @returns `isFull` is true when some did not begin, because the organization keeps as many as it may
   */
  follow(
    organizationId: string,
    refs: readonly EntityRef[],
  ): Promise<{ readonly logs: readonly (FollowedLog | undefined)[]; readonly isFull: boolean }>
  /** Counts the records that changed between two positions. */
  count(ref: EntityRef, after: bigint, upTo: bigint): Promise<ChangeCounts>
  writeCursor(ref: EntityRef, generation: string, position: bigint): string
}

/** What the logs are read with. */
export interface RecordLogsOptions extends CursorParts {
  readonly store: Pick<ContextStore, 'followChanges' | 'readLogStates' | 'countChanges'>
}

/** Logs of one statement. Those of connectors that this node does not know yet take one each, and wait for slots of searches. */
const atOnce = 100

const isFollowed = (log: LogState | undefined): log is FollowedLog => typeof log?.generation === 'string'

async function followSome({ store }: RecordLogsOptions, refs: readonly EntityRef[], begin: (ref: EntityRef) => Promise<void>) {
  const found = await store.readLogStates(refs)
  const ended = refs.filter((_, index) => !isFollowed(found[index]))
  for (const ref of ended) await begin(ref)
  const begun = ended.length === 0 ? [] : await store.readLogStates(ended)
  return refs.map((ref, index) => {
    const log = ended.includes(ref) ? begun[ended.indexOf(ref)] : found[index]
    return isFollowed(log) ? log : undefined
  })
}

/** Builds what `records.changed` reads of the logs. */
export const createRecordLogs = (parts: RecordLogsOptions): RecordLogs => ({
  follow: async (organizationId, refs) => {
    const logs: (FollowedLog | undefined)[] = []
    let isFull = false
    const begin = async (ref: EntityRef): Promise<void> => {
      if (isFull) return
      try {
        await parts.store.followChanges(ref, organizationId)
      } catch (thrown) {
        if (!hasCode(thrown, 'validation_failed')) throw thrown
        isFull = true
      }
    }
    for (let index = 0; index < refs.length; index += atOnce)
      logs.push(...(await followSome(parts, refs.slice(index, index + atOnce), begin)))
    return { logs, isFull }
  },
  count: (ref, after, upTo) => parts.store.countChanges(ref, { after, upTo }),
  writeCursor: (ref, generation, position) => signPosition(parts, ref, { generation, position }),
})
