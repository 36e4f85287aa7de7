/** The memory of what was read, and what happens when the session ends. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { FerruleError } from 'ferrule/core'

/** Codes that say that nobody is signed in. */
const signedOut: readonly string[] = ['session_ended', 'missing_token']

let isEnded = false
const listeners = new Set<() => void>()

/** The end of the session, for `useSyncExternalStore`. */
export const sessionEnd = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  read: (): boolean => isEnded,
}

/** Notes an error: of a session that has ended, the whole console must know. */
function note(error: unknown): void {
  if (isEnded || !(error instanceof FerruleError) || !signedOut.includes(error.code)) return
  isEnded = true
  for (const listener of listeners) listener()
}

/** Builds the memory. The hosted client repeats a read itself, within bounds, so nothing is repeated here. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({ onError: note }),
    mutationCache: new MutationCache({ onError: note }),
    defaultOptions: {
      // The mode `always` alone would leave what failed offline as it is.
      queries: { retry: false, staleTime: 5_000, gcTime: 10 * 60_000, networkMode: 'always', refetchOnReconnect: true },
      // A write can carry a secret: it leaves the memory with the page that wrote it.
      mutations: { retry: false, networkMode: 'always', gcTime: 0 },
    },
  })
