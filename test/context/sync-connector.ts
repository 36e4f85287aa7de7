/** Syncs a connector as a whole, without a queue. */
import { planRun } from '../../packages/server/src/copies/sync/walk/plan.ts'
import { runInSlices } from '../../packages/server/src/copies/sync/walk/run.ts'
import type { EntityResult, SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'

/** Input of a whole sync. */
export interface WholeSync extends SyncTask {
  /** Returns whether to keep an entity. */
  readonly wanted: (entity: string) => boolean
  /** Maximum age of a complete pass, in milliseconds. */
  readonly fullEvery: number
}

/** Result of a whole sync. */
export interface SyncResult {
  readonly entities: readonly EntityResult[]
}

/**
 * Updates the copy of a connector.
 * @throws FerruleError of the vendor or the store; the signal's reason
 */
export async function syncConnector({ wanted, fullEvery, ...task }: WholeSync): Promise<SyncResult> {
  const entities: EntityResult[] = []
  await runInSlices(task, planRun(task.kind.definition, wanted), {
    prepare: async () => fullEvery,
    isAsked: () => false,
    turned: () => undefined,
    ended: async ({ results }) => {
      entities.push(...results)
    },
    failed: async (_tree, thrown) => {
      throw thrown
    },
  })
  return { entities }
}
