/** A store that takes nothing from a walk whose lease is lost: somebody else may be writing. */
import type { RecheckTask } from '../../context/sync/recheck.ts'
import type { SyncTask } from '../../context/sync/types.ts'

/** What a walk writes to. */
export type WalkStore = SyncTask['store'] & RecheckTask['store']

/**
 * Puts a fence before every method.
 * @param check throws when the walk may not go on
 */
export const fenced = (store: WalkStore, check: () => void): WalkStore =>
  new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...given: readonly unknown[]): unknown => {
        check()
        return Reflect.apply(method, target, given)
      }
    },
  })
