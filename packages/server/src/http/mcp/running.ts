/** Requests that run, so that a notification of the same session can cancel them. Nothing else is kept between requests. */
import type { MessageId } from 'ferrule/internal'

/** A request of a session. */
export interface RunningKey {
  /** Who holds the token; sessions of others are out of reach. */
  readonly owner: string
  /** Value of `Mcp-Session-Id`. */
  readonly session: string
  readonly id: MessageId
}

const print = ({ owner, session, id }: RunningKey): string => JSON.stringify([owner, session, id])

/** The running requests of one node. */
export class RunningRequests {
  readonly #requests = new Map<string, AbortController>()

  /** Adds a request. @returns removes it */
  add(key: RunningKey, controller: AbortController): () => void {
    const name = print(key)
    this.#requests.set(name, controller)
    return () => {
      if (this.#requests.get(name) === controller) this.#requests.delete(name)
    }
  }

  /** Cancels a request; an unknown one has ended, or runs on another node. */
  cancel(key: RunningKey): void {
    this.#requests.get(print(key))?.abort()
  }
}
