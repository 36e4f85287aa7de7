/** Runs a sync of a connector: every wanted entity, parents first. */
import { listStored, planWalks } from './plan.ts'
import type { EntityResult, SyncResult, SyncTask } from './types.ts'
import { walkTree } from './walk.ts'

/**
 * Updates the copy of a connector. Resumes a run that was interrupted by an error, the signal or a kill.
 * @throws FerruleError of the vendor or the store; the signal's reason
 */
export async function syncConnector(task: SyncTask): Promise<SyncResult> {
  const entities: EntityResult[] = []
  let again = false
  for (const tree of planWalks(task.kind.definition, task.wanted)) {
    const walked = await walkTree(task, tree, listStored(tree))
    entities.push(...walked.results)
    again ||= walked.again
  }
  return { entities, again }
}
