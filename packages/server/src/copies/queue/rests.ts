/** Computes what started runs have left. Pure. */
import type { RunRow } from '../sql/sync-runs.ts'
import { readResults } from '../status/run-record.ts'

type Rest = Pick<RunRow, 'entities' | 'results'>

/** Lists the entities that have a result in a run. */
const listDone = ({ results }: Pick<RunRow, 'results'>): readonly string[] => readResults(results).map(({ entity }) => entity)

/** Returns whether a run still has to sync an entity. */
export const isLeft = (run: Rest, entity: string): boolean =>
  (run.entities === null || JSON.parse(run.entities).includes(entity)) && !listDone(run).includes(entity)

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
  const listed: readonly string[] | undefined = run.entities === null ? wanted : JSON.parse(run.entities)
  const isAll = listed?.every((entity) => !isLeft(run, entity) || taken.includes(entity)) === true
  return isAll && taken.length > 0 ? 'all' : taken
}
