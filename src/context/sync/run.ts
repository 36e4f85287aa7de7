/** A run over a connector: every wanted entity, parents first. */
import { planOf, storedOf } from './plan.ts'
import type { EntityResult, SyncResult, SyncTask } from './types.ts'
import { walkTree } from './walk.ts'

/**
 * Brings the copy of a connector up to date. A run that was interrupted, by an error, the signal or a kill, goes on where it stood.
 * @throws FerruleError of the vendor or the store; the signal's reason
 */
export async function syncConnector(task: SyncTask): Promise<SyncResult> {
  const entities: EntityResult[] = []
  let again = false
  for (const tree of planOf(task.kind.definition, task.wanted)) {
    const walked = await walkTree(task, tree, storedOf(tree))
    entities.push(...walked.results)
    again ||= walked.again
  }
  return { entities, again }
}
