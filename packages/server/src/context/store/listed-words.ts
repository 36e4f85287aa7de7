import type { Term } from '../query/terms.ts'

/** Remembers listed words, so that batches do not list them again. */

/** Maximum number of remembered words over all connectors: some megabytes. */
const most = 50_000

/** Filters out words that are already listed. */
export interface WordFilter {
  unlisted(number: number, terms: readonly Term[]): readonly Term[]
}

/** Remembers the words of committed transactions. */
export class ListedWords {
  readonly #known = new Set<string>()

  /**
   * Runs a transaction and remembers its words after the commit. The transaction may run again after a deadlock: each run lists its words
   * with a filter of its own, because the former run was rolled back.
   * @param run calls `begin` at the start of each run
   */
  async remember<T>(run: (begin: () => WordFilter) => Promise<T>): Promise<T> {
    let words = this.#begin()
    const result = await run(() => {
      words = this.#begin()
      return words
    })
    words.commit()
    return result
  }

  #begin(): WordFilter & { commit(): void } {
    const listed = new Set<string>()
    return {
      unlisted: (number, terms) =>
        terms.filter(({ field, term }) => {
          const key = `${number} ${field} ${term}`
          if (this.#known.has(key) || listed.has(key)) return false
          listed.add(key)
          return true
        }),
      commit: () => this.#learn(listed),
    }
  }

  /** Forgets all words, because the database was replaced. */
  clear(): void {
    this.#known.clear()
  }

  #learn(listed: ReadonlySet<string>): void {
    for (const key of listed) this.#known.add(key)
    for (const key of this.#known) {
      if (this.#known.size <= most) return
      this.#known.delete(key)
    }
  }
}
