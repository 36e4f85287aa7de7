/** Reads the pages of a list that is requested for a record. */
import { FerruleError } from 'ferrule'
import { walkPages } from 'ferrule/engine'
import { asFerruleError, errorConsequences, errorTable } from 'ferrule/internal'
import type { Params } from './page-params.ts'
import { noteDoubt, type Walking } from './walking.ts'

/** Maximum number of restarts because the vendor's positions expired. */
export const mostRestarts = 3

/** A list that the vendor did not answer. Errors of the store are thrown as they are. */
export class Unreadable extends Error {
  readonly error: FerruleError

  constructor(error: FerruleError) {
    super(error.message, { cause: error })
    this.error = error
  }
}

/** A page of a list. */
export interface ListPage {
  readonly rows: readonly unknown[]
  /** When it was requested, in milliseconds since 1970. */
  readonly asked: number
}

/** Returns whether every other call would fail too, or the service itself is at fault. */
function concernsRun({ code }: FerruleError): boolean {
  const { syncRun, leavesOut } = errorConsequences[code]
  if (syncRun === 'wait') return errorTable[code].fault === 'service'
  return syncRun === 'cancel' || (syncRun === 'end' && leavesOut === 'nothing')
}

/** Converts what a call threw to what its walk does about it. */
function toThrown({ task }: Walking, thrown: unknown): unknown {
  if (task.signal.aborted) return thrown
  if (!(thrown instanceof FerruleError)) task.onFault?.(thrown)
  const error = asFerruleError(thrown)
  return concernsRun(error) ? thrown : new Unreadable(error)
}

/**
 * Yields the pages of a list. A refused position begins the list again, as it does for the list of a root.
 * @param called called before every call
 * @throws Unreadable for an error of this list; any other error concerns the run
 */
export async function* readList(
  walking: Walking,
  { entity, params, called }: { readonly entity: string; readonly params: Params; called(): void },
): AsyncGenerator<ListPage, void, undefined> {
  const { task } = walking
  for (let restarts = 0; ; restarts += 1) {
    let pages = 0
    const load = async (current: Params) => {
      task.signal.throwIfAborted()
      const asked = task.clock()
      called()
      const { rows, next, doubt } = await task.ask({ entity, action: 'list', params: current })
      noteDoubt(walking, [entity], doubt)
      pages += 1
      return { data: [...rows], meta: { next_params: next }, asked }
    }
    try {
      for await (const { data, asked } of walkPages(load, params, { vendor: task.kind.definition.title })) yield { rows: data, asked }
      return
    } catch (thrown) {
      const hasExpired = thrown instanceof FerruleError && thrown.code === 'invalid_cursor' && pages > 0
      if (!hasExpired || restarts >= mostRestarts) throw toThrown(walking, thrown)
    }
  }
}
