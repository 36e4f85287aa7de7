/** Protects the store from a walk that lost its lease, because another node may be writing. */
import type { WalkStore } from '../sync-types.ts'

/**
 * Wraps every method of a store.
 * @param check throws when the walk must stop
 */
export const createFence = (store: WalkStore, check: () => void): WalkStore =>
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
