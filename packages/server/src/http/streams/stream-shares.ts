/** Shares the event streams of a node among organizations, and among the applications of each. */
import { fail } from 'ferrule/internal'
import type { Principal } from '../../values/access.ts'

/** Maximum number of event streams of a node. */
export const mostStreams = 2_000
const retryAfterMs = 10_000

const add = (counts: Map<string, number>, key: string, by: 1 | -1): void => {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

/**
 * Counts the open streams of a process. Nobody gets more than is left for others: an organization half of what the others leave, an
 * application half of what its organization gets. So a newcomer finds a slot, however many hold all they get.
 */
export class StreamShares {
  readonly #most: number
  readonly #organizations = new Map<string, number>()
  readonly #applications = new Map<string, number>()
  #open = 0

  constructor(most: number = mostStreams) {
    this.#most = most
  }

  /** Streams that are open now. */
  get open(): number {
    return this.#open
  }

  /**
   * Takes a slot.
   * @returns frees the slot; a second call does nothing
   * @throws FerruleError `overloaded` when the application has its share
   */
  enter({ organizationId, applicationId }: Pick<Principal, 'organizationId' | 'applicationId'>): () => void {
    const key = `${organizationId} ${applicationId}`
    const ofOrganization = this.#organizations.get(organizationId) ?? 0
    const ofApplication = this.#applications.get(key) ?? 0
    const share = Math.floor((this.#most - (this.#open - ofOrganization)) / 2)
    if (ofApplication >= share - ofOrganization)
      throw fail('overloaded', { reason: `${ofApplication} event streams of the application are open, its share` }, { retryAfterMs })
    this.#count(organizationId, key, 1)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      this.#count(organizationId, key, -1)
    }
  }

  #count(organizationId: string, key: string, by: 1 | -1): void {
    this.#open += by
    add(this.#organizations, organizationId, by)
    add(this.#applications, key, by)
  }
}

/** Event streams of a server. */
export interface StreamOptions {
  readonly shares: StreamShares
  /** Interval between two looks at what allowed a stream or a transfer, in milliseconds. */
  readonly lookMs: number
  /** Milliseconds after which a reader that takes nothing is dropped. */
  readonly stallMs: number
  /** Milliseconds that an ended stream has to reach its reader. */
  readonly graceMs: number
}
