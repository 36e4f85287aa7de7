/** Stores when tokens for MCP were last used: in groups, and at most once a minute for each token. */

import type { Parts } from '../../main/parts.ts'
import { setLastUse } from '../sql/mcp-tokens.ts'

/** Shortest time between two stored uses of a token, in milliseconds. */
const apartMs = 60_000
/** Time from the first use of a group until the group is stored, in milliseconds. */
const groupMs = 10_000
/** Maximum number of tokens of a group. */
const largestGroup = 500

/** Uses that this process has not stored yet. */
export class LastUses {
  readonly #parts: Pick<Parts, 'database' | 'onBackgroundError'>
  /** Tokens of the group, with the time of the group's first use. */
  #group: { readonly at: number; readonly ids: Set<string> } | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: Pick<Parts, 'database' | 'onBackgroundError'>) {
    this.#parts = parts
  }

  /**
   * Notes a use.
   * @param now milliseconds since 1970
   */
  note({ id, last_used_at: stored }: { readonly id: string; readonly last_used_at: number | null }, now: number): void {
    if (stored !== null && now - stored < apartMs) return
    this.#group ??= { at: now, ids: new Set() }
    this.#group.ids.add(id)
    if (this.#group.ids.size >= largestGroup) void this.store()
    else this.#timer ??= setTimeout(() => void this.store(), groupMs).unref()
  }

  /** Stores the uses so far, and waits for it. A failure is reported, and loses the group. */
  store(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const group = this.#group
    this.#group = undefined
    if (group === undefined) return this.#writing
    const { database, onBackgroundError } = this.#parts
    const write = () => setLastUse(database.db, [...group.ids], { at: group.at, apartMs })
    this.#writing = this.#writing.then(write).catch(onBackgroundError)
    return this.#writing
  }
}
