/** Computes what started runs have left. Pure. */
import type { RunRow } from '../sql/sync-runs.ts'
import { readEntities, readResults } from '../status/run-record.ts'

type Rest = Pick<RunRow, 'entities' | 'results'>

/** Returns whether a run was asked for an entity. */
export const isFor = (run: Pick<RunRow, 'entities'>, entity: string): boolean => readEntities(run)?.includes(entity) ?? true

/** Returns whether a run has a result of an entity. */
export const isDone = ({ results }: Pick<RunRow, 'results'>, entity: string): boolean =>
  readResults(results).some((each) => each.entity === entity)

/** Returns whether a run still has to sync an entity. */
export const isLeft = (run: Rest, entity: string): boolean => isFor(run, entity) && !isDone(run, entity)

/** Returns whether a run waits for its next attempt, after a failure. */
export const isDelayed = ({ state, attempts, not_before }: Pick<RunRow, 'state' | 'attempts' | 'not_before'>): boolean =>
  state === 'queued' && attempts > 0 && not_before !== null

/**
 * Finds what a new request takes over from a delayed run.
 * @param asked `entities` of the request, null for all; and the `wanted` ones of the connector, where the caller knows them
 * @returns `all` when nothing stays with the run
 */
export function findTaken(
  run: Rest,
  { entities, wanted }: { readonly entities: readonly string[] | null; readonly wanted?: readonly string[] | undefined },
): 'all' | readonly string[] {
  if (entities === null) return 'all'
  const taken = entities.filter((entity) => isLeft(run, entity))
  const listed = readEntities(run) ?? wanted
  const isAll = listed?.every((entity) => !isLeft(run, entity) || taken.includes(entity)) === true
  return isAll && taken.length > 0 ? 'all' : taken
}
