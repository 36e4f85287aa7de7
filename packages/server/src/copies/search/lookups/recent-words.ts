/** Remembers the words of recent lookups, so that the next page, or the same words again, need no statement for them. */
import type { SearchStatement } from '../statement.ts'
import type { FoundWords } from './lookups.ts'

/** Maximum size of all remembered words, in characters: some megabytes. */
const mostCharacters = 1_000_000
/** Added to the size of each word and of each lookup. */
const overhead = 16

/** Searched table of a connector. */
export interface LookupScope {
  /** Number of the connector. */
  readonly connector: number
  readonly table: string
}

/** Words of one lookup. */
interface Remembered {
  readonly listed: string
  readonly words: readonly string[]
  readonly size: number
}

const sumSizes = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length + overhead, 0)

/** Words of recent lookups. Outdated ones do no harm: the search compares the number of changes. */
export class RecentWords {
  readonly #byLookup = new Map<string, Remembered>()
  #size = 0

  /** Finds the words of all lookups of a search; undefined when some are missing, or were read at different numbers of changes. */
  find(search: SearchStatement, scope: LookupScope): FoundWords | undefined {
    const found = this.#listNames(search, scope).map((name) => this.#byLookup.get(name))
    const listed = found[0]?.listed
    if (listed === undefined || found.some((each) => each?.listed !== listed)) return undefined
    return { listed, words: found.flatMap((each) => (each === undefined ? [] : [each.words])) }
  }

  /** Remembers the words of a search, and forgets the oldest ones. */
  add(search: SearchStatement, scope: LookupScope, { listed, words }: FoundWords): void {
    for (const [index, name] of this.#listNames(search, scope).entries()) {
      const own = words[index] ?? []
      this.#remove(name)
      const size = sumSizes([name, ...own])
      this.#byLookup.set(name, { listed, words: own, size })
      this.#size += size
    }
    for (const name of this.#byLookup.keys()) {
      if (this.#size <= mostCharacters) return
      this.#remove(name)
    }
  }

  #remove(name: string): void {
    this.#size -= this.#byLookup.get(name)?.size ?? 0
    this.#byLookup.delete(name)
  }

  #listNames({ lookups = [] }: SearchStatement, { connector, table }: LookupScope): readonly string[] {
    return lookups.map(({ lookup }) => `${connector} ${table} ${Object.values(lookup).join(' ')}`)
  }
}
