/** Words that are listed already, so that a batch does not list them again. */
import type { Term } from '../query/values.ts'

/** Words that are remembered, over all connectors: some megabytes. */
const most = 50_000

/** Passes over what needs no listing. */
export interface Words {
  unlisted(number: number, terms: readonly Term[]): readonly Term[]
}

/** Remembers words of transactions that were committed. */
export class ListedWords {
  readonly #known = new Set<string>()

  /** The words of one transaction. Call `commit` when it was committed. */
  begin(): Words & { commit(): void } {
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

  /** The database is another one. */
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
