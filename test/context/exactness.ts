/** Compares searches on a database with the oracle: the same records in the same order, over all pages. */
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { buildOwnTable, buildSearchTable, quoteTable } from '../../packages/server/src/copies/search/columns.ts'
import { buildNotedValuesStatement, checkStored } from '../../packages/server/src/copies/search/known-values.ts'
import { RecentWords } from '../../packages/server/src/copies/search/lookups/run.ts'
import { findSortColumn } from '../../packages/server/src/copies/search/order.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import type { SearchOptions } from '../../packages/server/src/copies/search/sql.ts'
import type { SearchQuery } from '../../packages/server/src/copies/search/tree.ts'
import { createCursor, parseCursor } from '../../packages/server/src/copies/search-cursors.ts'
import { runSearch } from '../../packages/server/src/copies/searcher.ts'
import { chooseOrdering } from '../../packages/server/src/copies/store/indexes/advice.ts'
import { buildIndexSql } from '../../packages/server/src/copies/store/indexes/build.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { createTable, fillTable, type SearchDatabase } from './databases.ts'
import { drawWorld, type World } from './generate.ts'
import { type DrawnQuery, drawQuery } from './generate-queries.ts'
import { answered, inOrder, isFound, withWords } from './oracle.ts'
import type { Json } from './oracle-paths.ts'
import { isRefused } from './oracle-refusals.ts'
import { relevanceOf } from './oracle-relevance.ts'
import { kept, plainText } from './oracle-values.ts'
import { Random } from './random.ts'

/** Size of a comparison. */
export interface Plan {
  readonly seed: number
  readonly schemas: number
  /** Queries for each schema. */
  readonly queries: number
  /** Maximum number of records for each schema. */
  readonly records: number
  /** True when half of the fields with a single value have an automatic index. */
  readonly onDemand?: boolean
  /** True for kinds of an organization, which share a table. Rows of another version of the kind lie there too. */
  readonly isOwn?: boolean
}

/** Result of a comparison. */
export interface Report {
  readonly queries: number
  readonly pages: number
  /** Queries that found some records, but not all. */
  readonly telling: number
  /** Queries sorted by relevance. */
  readonly ranked: number
  /** Queries refused for a value that no record has. */
  readonly refused: number
  /** Differences: the query, the expected and the actual result. */
  readonly differences: readonly string[]
}

const key = Buffer.from('a key of tests')
const mostDifferences = 3
/** Tables of a test are small, so without these settings no index would be used: the planner's choice, index scans, bitmaps. */
export const plans = [
  'set enable_seqscan = on; set enable_indexscan = on',
  'set enable_seqscan = off; set enable_indexscan = on',
  'set enable_seqscan = off; set enable_indexscan = off',
]

/** Converts JSON to one form: numbers in plain notation, and sorted keys in objects below the record. */
function canonical(json: string): unknown {
  const exact = (_name: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number')
      return {
        number: plainText(/[.eE]/.test(context?.source ?? '') && !isPlain(context?.source) ? value : sourceNumber(context?.source ?? '')),
      }
    return typeof value === 'string' ? kept(value) : value
  }
  return JSON.parse(json, exact)
}

const isPlain = (source = ''): boolean => /^-?\d+(\.\d+)?$/.test(source)
const sourceNumber = (source: string): number | bigint => (/^-?\d+$/.test(source) ? BigInt(source) : Number(source))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [kept(name), sorted(part)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Formats a record; the order of its own keys matters. */
const textOf = (json: string): string =>
  JSON.stringify(Object.entries(canonical(json) as object).map(([name, value]) => [kept(name), sorted(value)]))

/** Computes the oracle's answer; more records than `most` are not sorted by relevance. */
function expectedOf(
  { fields, kept: records }: World,
  { query, fields: chosen }: DrawnQuery,
  most: number,
): { readonly records: readonly string[]; readonly isRanked: boolean } {
  const filter = withWords(fields, query)
  const found = records.filter(({ record }) => isFound(fields, record, filter))
  const hasWords = relevanceOf(fields, {}, filter) !== undefined
  const asked = (query.sort ?? []).length === 0 && hasWords ? byRelevance : (query.sort ?? [])
  const isRanked = found.length <= most && asked.some((each) => Object.hasOwn(each, '_relevance'))
  const sort = isRanked ? asked : asked.filter((each) => !Object.hasOwn(each, '_relevance'))
  const relevance = (record: Json): number => relevanceOf(fields, record, filter) ?? 0
  const ordered = inOrder(fields, found, { sort, relevance })
  return { records: ordered.map(({ record }) => textOf(writeJson(answered(fields, record, chosen)))), isRanked }
}

const byRelevance = [{ _relevance: 'desc' }] as const

/** Makes a kind of an organization of a world. */
export const ownKind = (name: string, { definition }: World): OwnKind => ({
  organizationId: '0f6a2c1e-2a49-4f4b-8f6e-d0a3b35cf2aa',
  id: '6a6f0cf0-51a1-4c12-9a44-0c3f0f2f7c11',
  entities: { [name]: definition },
})

/** A version whose fields come in another order, so its slots have other fields. */
export function otherVersion(name: string, world: World): OwnKind {
  const fields = Object.fromEntries(Object.entries(world.definition.context_store_search ?? {}).toReversed())
  return ownKind(name, { ...world, definition: { ...world.definition, context_store_search: fields } })
}

type Table = ReturnType<typeof buildSearchTable>

/** A table with the options of its searches. */
interface Indexed {
  readonly table: Table
  ordering(query: SearchQuery): Pick<SearchOptions, 'isOrdered' | 'avoidsOrder'>
}

/** Creates indexes for half of the fields with a single value, as automatic indexes. */
async function makeIndexes(database: SearchDatabase, table: Table): Promise<Indexed> {
  const columns = table.columns.filter(({ type }, index) => type !== 'json' && index % 2 === 0)
  for (const [number, column] of columns.entries()) {
    const index = {
      id: `on_demand_i${number}_${table.columns.length}`,
      leaf: quoteTable(table),
      number: 1,
      table: table.name,
      column: findSortColumn(column),
    }
    await database.run(buildIndexSql('embedded', index))
  }
  const made = new Set(columns.map(findSortColumn))
  return { table, ordering: (query) => chooseOrdering(query, undefined, made) }
}

/** Reads one page; without relevance where too many records match or the first page was so. */
async function pageIn(database: SearchDatabase, query: SearchQuery, options: SearchOptions) {
  const recent = new RecentWords()
  const read = (each: SearchQuery) => runSearch({ ask: (statement) => database.query(statement), recent }, each, options)
  const unranked = { ...query, relevance: undefined }
  if (query.after !== undefined && query.after.isRanked !== true) return read(unranked)
  const ranked = await read(query)
  return ranked.isTooMany ? read(unranked) : ranked
}

/**
 * Reads all pages of a query, with each record as JSON.
 * @throws FerruleError when the query is refused
 */
async function pagesOf(
  database: SearchDatabase,
  { table, ordering, mostRanked }: Indexed & { readonly mostRanked: number },
  drawn: DrawnQuery,
): Promise<readonly string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  const { unlisted } = parseSearch(table, drawn)
  if (unlisted.length > 0) checkStored(unlisted, await database.query(buildNotedValuesStatement(unlisted, 1)))
  do {
    const query = parseSearch(table, cursor === undefined ? drawn : { ...drawn, cursor })
    const scope = { key, connector: 'one', query, now: Date.now() }
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, scope)
    const page = await pageIn(database, { ...query, after }, { connector: 1, mostRanked, ...ordering(query) })
    pages.push(page.rows.slice(0, page.count).map((row) => textOf(String(row['json']))))
    cursor = page.next === undefined ? undefined : createCursor(page.next, scope)
  } while (cursor !== undefined && pages.length < 1000)
  return pages
}

/** Splits the oracle's answer into pages. */
function cutIn(records: readonly string[], limit: number): string[][] {
  const pages = Math.max(1, Math.ceil(records.length / limit))
  return Array.from({ length: pages }, (_, index) => records.slice(index * limit, (index + 1) * limit))
}

/** Returns the code of an error's first problem; of another error its stack. */
export const describeThrown = (thrown: unknown): string =>
  (thrown instanceof FerruleError ? thrown.errors[0]?.error_code : undefined) ?? String(thrown instanceof Error ? thrown.stack : thrown)

/** Runs a comparison on a database. */
export async function compareSearches(database: SearchDatabase, plan: Plan): Promise<Report> {
  const random = new Random(plan.seed)
  const differences: string[] = []
  let [queries, pages, telling, ranked, refused] = [0, 0, 0, 0, 0]
  for (let schema = 0; schema < plan.schemas; schema++) {
    const world = drawWorld(random, plan.records)
    const name = `s${plan.seed}_${schema}`
    const table = plan.isOwn ? buildOwnTable(ownKind(name, world), name) : buildSearchTable('exact-test', name, world.definition)
    await createTable(database, table)
    if (plan.isOwn) await fillTable(database, buildOwnTable(otherVersion(name, world), name), { connector: 1, sent: world.sent })
    await fillTable(database, table, { connector: 1, sent: world.sent })
    await fillTable(database, table, { connector: 2, sent: world.sent })
    const indexed = plan.onDemand ? await makeIndexes(database, table) : { table, ordering: () => ({}) }
    for (let index = 0; index < plan.queries; index++) {
      if (index % Math.ceil(plan.queries / 3) === 0) await database.run(plans[Math.floor((index * 3) / plan.queries)] ?? '')
      const drawn = drawQuery(random, world)
      const mostRanked = random.chance(0.2) ? random.below(plan.records) : plan.records
      const { records: expected, isRanked } = expectedOf(world, drawn, mostRanked)
      const found = await pagesOf(database, { ...indexed, mostRanked }, drawn).catch(describeThrown)
      const wanted = isRefused(
        world.fields,
        world.kept.map(({ record }) => record),
        drawn.query.filter,
      )
        ? 'enum'
        : cutIn(expected, drawn.limit ?? 1000)
      refused += Number(wanted === 'enum')
      ranked += Number(isRanked)
      queries += 1
      pages += found.length
      if (expected.length > 0 && expected.length < world.kept.length) telling += 1
      if (JSON.stringify(found) !== JSON.stringify(wanted)) differences.push(difference({ schema, drawn, expected, found }))
      if (differences.length >= mostDifferences) return { queries, pages, telling, ranked, refused, differences }
    }
    await database.run(`drop table ${quoteTable(table)}`)
  }
  return { queries, pages, telling, ranked, refused, differences }
}

function difference({
  schema,
  drawn,
  expected,
  found,
}: {
  schema: number
  drawn: DrawnQuery
  expected: readonly string[]
  found: unknown
}): string {
  const all = Array.isArray(found) ? found.flat().map(String) : []
  const missing = expected.filter((each) => !all.includes(each))
  const surplus = all.filter((each) => !expected.includes(each))
  const what = Array.isArray(found)
    ? `expected ${expected.length}, found ${all.length}; missing ${missing.slice(0, 2).join('\n')}; surplus ${surplus.slice(0, 2).join('\n')}`
    : String(found)
  return `schema ${schema}: ${writeJson(drawn)}\n${what.slice(0, 4000)}`
}
