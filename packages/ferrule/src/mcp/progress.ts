/** Reports that a call still runs, to clients that asked for it. */
import type { ServerContext } from '@modelcontextprotocol/server'

/** Milliseconds between two reports. */
export const reportEveryMs = 5_000

/** What a report says. */
export interface ProgressOptions {
  /** What runs, for people. */
  readonly what: string
  /** Milliseconds between two reports. */
  readonly everyMs: number
}

/**
 * Reports progress until it is stopped; without a progress token it reports nothing.
 * @returns stops the reports
 */
export function reportProgress({ mcpReq }: ServerContext, { what, everyMs }: ProgressOptions): () => void {
  const { progressToken } = mcpReq._meta ?? {}
  if (progressToken === undefined) return () => undefined
  let progress = 0
  const timer = setInterval(() => {
    progress += everyMs / 1_000
    const params = { progressToken, progress, message: `${what} has run for ${progress} s` }
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined) // the client has left
  }, everyMs)
  return () => clearInterval(timer)
}
