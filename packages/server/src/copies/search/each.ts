/**
 * Searches of several connectors whose rows are in one table, in one statement: that of one connector, for each of them. A statement is planned
 * once then, and its answers are those of one connector. Where tables are distributed, no statement names several connectors.
 */
import { type FoundWords, fillLookups, mostTerms, neverListed, parseFoundWords, writeLookups } from './lookups/lookups.ts'
import { listRelatedEntities } from './related/references.ts'
import { buildPage, listWordTables, readFlaw, type SearchOptions, type SearchPage, type SearchRow, writeCount, writeSearch } from './sql.ts'
import { buildStatement, type SearchStatement, type SqlValue, Values } from './statement.ts'
import type { SearchQuery } from './tree.ts'

const source = { connector: 'c.number', listed: 'c.listed' }

/** Builds a statement that runs for each of some connectors. @param write writes the SQL of one connector */
function buildForEach(numbers: readonly number[], write: (values: Values) => string): SearchStatement {
  const values = new Values(undefined, source)
  const given = [
    values.add(numbers.map(String), 'int4[]'),
    values.add(
      numbers.map(() => neverListed),
      'text[]',
    ),
  ]
  const text = `select c.number, f.* from unnest(${given.join(', ')}) c(number, listed) cross join lateral (${write(values)}) f`
  return buildStatement(text, values)
}

/** Returns whether a search of several connectors can run in one statement: it depends on nothing that one of them may lack. */
export const canJoin = (query: SearchQuery): boolean => query.unlisted.length === 0 && listRelatedEntities(query).all.length === 0

type Rows = readonly SearchRow[]
type Ask = (statement: SearchStatement) => Promise<Rows>
const numberOf = (row: SearchRow): number => Number(row['number'])

/** Joins the words that stand for a word in some connectors: each stands for it in all. Undefined for more than a statement takes. */
function joinWords(lists: readonly (readonly string[])[]): readonly string[] | undefined {
  const words = new Set(lists.flat())
  return words.has('') || words.size > mostTerms ? undefined : [...words]
}

/** Puts the words of all connectors among the values of a statement, and the number of changes of each. Undefined where there are too many. */
async function lookUp(ask: Ask, search: SearchStatement, { query, numbers }: Joined): Promise<SearchStatement | undefined> {
  const { lookups = [] } = search
  if (lookups.length === 0) return search
  const rows = await ask(buildForEach(numbers, (values) => writeLookups(lookups, listWordTables(query), values)))
  const found = new Map<number, FoundWords>(rows.map((row) => [numberOf(row), parseFoundWords(search, row)]))
  const joined = lookups.map((_lookup, index) => joinWords([...found.values()].map(({ words: own }) => own[index] ?? [])))
  const words = joined.filter((each) => each !== undefined)
  if (words.length < joined.length) return undefined
  const filled = fillLookups(search, { listed: '', words })
  const listed = numbers.map((number) => found.get(number)?.listed ?? neverListed)
  const values: SqlValue[] = [...filled.values]
  values[1] = listed
  return { ...filled, values }
}

/** A search of several connectors. */
export interface Joined {
  readonly query: SearchQuery
  readonly numbers: readonly number[]
}

/** Counts the records of a search in each connector, up to a number and one more. A connector that needs a statement of its own is left out. */
export async function countEach(ask: Ask, joined: Joined, most: number): Promise<ReadonlyMap<number, number>> {
  const statement = buildForEach(joined.numbers, (values) => writeCount(joined.query, most, values).text)
  const ready = await lookUp(ask, statement, joined)
  const rows = ready === undefined ? [] : await ask(ready)
  return new Map(rows.filter(({ flaw }) => readFlaw(flaw) === undefined).map((row) => [numberOf(row), Number(row['total'])]))
}

/** Reads the places of a page of each connector, as `buildSearchStatement` does. A connector that needs a statement of its own is left out. */
export async function placeEach(
  ask: Ask,
  joined: Joined,
  options: Pick<SearchOptions, 'isOrdered' | 'avoidsOrder' | 'mostRanked'>,
): Promise<ReadonlyMap<number, SearchPage & { readonly rows: Rows }>> {
  const { query, numbers } = joined
  const statement = buildForEach(numbers, (values) => writeSearch(query, { ...options, isPlacesOnly: true }, values).text)
  const ready = await lookUp(ask, statement, joined)
  if (ready === undefined) return new Map()
  const rows = Map.groupBy(await ask(ready), numberOf)
  const pages = numbers.map((number) => {
    const own = rows.get(number) ?? []
    return [number, { ...buildPage(query, own), rows: own }] as const
  })
  return new Map(pages.filter(([, { flaw }]) => flaw === undefined))
}
