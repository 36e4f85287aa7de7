/** What answers searches and takes live records, made once for all surfaces of a process. */
import { createSearcher } from '../context/search.ts'
import type { ContextStore } from '../context/store/types.ts'
import { createFolds, type FoldOptions, type Folds } from '../platform/folds.ts'
import { createRemoving, type Removing } from '../platform/gone.ts'
import { createSearches, type Searches } from '../platform/searches.ts'
import type { Platform, Settings } from '../platform/types.ts'

/** The services over the copy. */
export interface CopyServices {
  readonly searches: Searches
  readonly folds: Folds
  readonly removing: Removing
}

/** What they are made with. */
export interface CopyServiceOptions extends Pick<FoldOptions, 'onFold' | 'onError'> {
  readonly store: ContextStore
  readonly platform: Pick<Platform, 'syncs' | 'cursorKey'>
  readonly settings: Settings
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Makes the services. Close `folds` and `removing` before the store. */
export function createCopyServices({ store, platform, settings, clock, ...told }: CopyServiceOptions): CopyServices {
  const searches = createSearches({
    searcher: createSearcher(store),
    copies: platform.syncs.copies,
    cursorKey: () => platform.cursorKey(),
    clock,
    searchMs: settings.context.searchSeconds * 1_000,
  })
  const { onError } = told
  const { addRecords } = platform.syncs
  const removing = createRemoving({
    ...{ store, clock },
    onLost: ({ place }, lost) => addRecords(place, new Map([...lost].map(([entity, by]) => [entity, -by]))),
    ...(onError === undefined ? {} : { onError }),
  })
  return { searches, removing, folds: createFolds({ store, onCreated: ({ place }, created) => addRecords(place, created), ...told }) }
}
