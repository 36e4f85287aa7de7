/** Remembers listed words, so that batches do not list them again. */
import type { Term } from '../search/terms.ts'

/** Maximum number of remembered words over all connectors, in two halves: some megabytes. */
const most = 50_000

/** Filters out words that are already listed. */
export interface WordFilter {
  unlisted(number: number, terms: readonly Term[]): readonly Term[]
}

/** Words of lists, each of a field of a connector. */
class WordLists {
  readonly #lists = new Map<string, Set<string>>()
  size = 0

  /** Returns the words of a list, for reading. */
  find(list: string): ReadonlySet<string> | undefined {
    return this.#lists.get(list)
  }

  add(list: string, word: string): void {
    const words = this.#lists.get(list) ?? new Set()
    if (words.size === 0) this.#lists.set(list, words)
    if (words.has(word)) return
    words.add(word)
    this.size += 1
  }

  /** Calls `take` for every word. */
  visit(take: (list: string, word: string) => void): void {
    for (const [list, words] of this.#lists) for (const word of words) take(list, word)
  }
}

/** Remembers the words of committed transactions. When the younger half is full, the older one is forgotten. */
export class ListedWords {
  #young = new WordLists()
  #old = new WordLists()

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
    const listed = new WordLists()
    return {
      unlisted: (number, terms) => {
        const names = new Map<number, string>()
        return terms.filter(({ field, term }) => {
          const list = names.get(field) ?? `${number} ${field}`
          names.set(field, list)
          if (this.#isKnown(list, term) || listed.find(list)?.has(term) === true) return false
          listed.add(list, term)
          return true
        })
      },
      commit: () => listed.visit((list, word) => this.#learn(list, word)),
    }
  }

  /** Forgets all words, because the database was replaced. */
  clear(): void {
    this.#young = new WordLists()
    this.#old = new WordLists()
  }

  /** Returns whether a word is known, and keeps one that is used again. */
  #isKnown(list: string, word: string): boolean {
    if (this.#young.find(list)?.has(word) === true) return true
    if (this.#old.find(list)?.has(word) !== true) return false
    this.#learn(list, word)
    return true
  }

  #learn(list: string, word: string): void {
    if (this.#young.size >= most / 2) {
      this.#old = this.#young
      this.#young = new WordLists()
    }
    this.#young.add(list, word)
  }
}
