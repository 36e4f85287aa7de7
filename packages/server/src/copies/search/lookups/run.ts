/** Runs statements that rely on words that were looked up, and on regular values. */
import type { Flaw, SearchRow } from '../sql.ts'
import type { Reliance, SearchStatement } from '../statement.ts'
import { buildLookupStatement, type FoundWords, fillLookups, parseFoundWords } from './lookups.ts'

/** Maximum size of all remembered words, in characters: some megabytes. */
const mostCharacters = 1_000_000
/** Added to the size of each word and of each lookup. */
const overhead = 16

interface LookupScope {
  readonly connector: number
  readonly tables: readonly string[]
}

/** Words of recent lookups. Outdated ones do no harm: the search compares the number of changes. */
export class RecentWords {
  readonly #byLookup = new Map<string, { readonly listed: string; readonly words: readonly string[]; readonly size: number }>()
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
      const size = [name, ...own].reduce((sum, { length }) => sum + length + overhead, 0)
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

  #listNames({ lookups = [] }: SearchStatement, { connector, tables }: LookupScope): readonly string[] {
    return lookups.map(({ lookup }) => `${connector} ${tables.join()} ${Object.values(lookup).join(' ')}`)
  }
}

/** Number of tries with lookups. Writers list new words some times a second at most, and a try takes milliseconds. */
const tries = 3

type Ask = (statement: SearchStatement) => Promise<readonly SearchRow[]>

/** How a search runs. */
export interface SearchRun {
  readonly ask: Ask
  readonly recent: RecentWords
}

interface Relying<T> {
  build(reliance: Reliance): SearchStatement
  parse(rows: readonly SearchRow[]): T & { readonly flaw: Flaw | undefined }
}

/** Runs a statement. Starts over when it relied on something in vain. */
export async function runRelying<T>(
  run: SearchRun,
  scope: LookupScope,
  { reliance: given, build, parse }: Relying<T> & { readonly reliance: Reliance | undefined },
): Promise<T & { readonly rows: readonly SearchRow[]; readonly reliance: Reliance }> {
  let reliance: Reliance = given ?? { onLookups: true, onRegular: true }
  for (let attempt = 1; ; attempt += 1) {
    const rows = await run.ask(await lookUp(run, build(reliance), { ...scope, isFirst: attempt === 1 }))
    const found = parse(rows)
    if (found.flaw === undefined) return { ...found, rows, reliance }
    reliance = { onLookups: attempt < tries, onRegular: reliance.onRegular && found.flaw !== 'irregular' }
  }
}

/** Runs the lookups of a search. The first attempt may use remembered words. */
async function lookUp(
  { ask, recent }: SearchRun,
  search: SearchStatement,
  { isFirst, ...scope }: LookupScope & { readonly isFirst: boolean },
): Promise<SearchStatement> {
  if (search.listedAt === undefined) return search
  const known = isFirst ? recent.find(search, scope) : undefined
  if (known !== undefined) return fillLookups(search, known)
  const [row] = await ask(buildLookupStatement(search, scope))
  const found = parseFoundWords(search, row)
  recent.add(search, scope, found)
  return fillLookups(search, found)
}
