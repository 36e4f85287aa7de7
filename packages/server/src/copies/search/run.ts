/** Runs the statements of a search: its lookups, and the page. Starts over when a statement relied on something in vain. */
import { buildLookupStatement, fillLookups, parseFoundWords } from './lookups/lookups.ts'
import type { LookupScope, RecentWords } from './lookups/recent-words.ts'
import { buildPage, buildSearchStatement, type SearchOptions, type SearchPage, type SearchRow } from './sql.ts'
import type { Reliance, SearchStatement } from './statement.ts'
import type { SearchQuery } from './tree.ts'

/** Number of tries with lookups. Writers list new words some times a second at most, and a try takes milliseconds. */
const tries = 3

/** A page with the rows that the database returned. */
export interface FoundPage extends SearchPage {
  readonly rows: readonly SearchRow[]
  /** What the statement could rely on. */
  readonly reliance: Reliance
}

/** Runs one statement and returns its rows. */
type Ask = (statement: SearchStatement) => Promise<readonly SearchRow[]>

/** How a search runs. */
export interface SearchRun {
  readonly ask: Ask
  readonly recent: RecentWords
}

/** Reads a page of a search. */
export async function runSearch(run: SearchRun, query: SearchQuery, options: SearchOptions): Promise<FoundPage> {
  const scope = { connector: options.connector, table: query.table.name }
  let reliance: Reliance = options.reliance ?? { onLookups: true, onRegular: true }
  for (let attempt = 1; ; attempt += 1) {
    const search = buildSearchStatement(query, { ...options, reliance })
    const rows = await run.ask(await lookUp(run, search, { ...scope, isFirst: attempt === 1 }))
    const page = buildPage(query, rows)
    if (page.flaw === undefined) return { ...page, rows, reliance }
    reliance = { onLookups: attempt < tries, onRegular: reliance.onRegular && page.flaw !== 'irregular' }
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
