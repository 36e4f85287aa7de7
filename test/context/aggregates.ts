/** Compares aggregates on a database with the oracle: the same rows in the same order, over all pages. */
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { parseAggregate } from '../../packages/server/src/copies/search/aggregates/parse.ts'
import { buildOwnTable, buildSearchTable, quoteTable } from '../../packages/server/src/copies/search/columns.ts'
import { buildNotedValuesStatement, checkStored } from '../../packages/server/src/copies/search/known-values.ts'
import { RecentWords } from '../../packages/server/src/copies/search/lookups/run.ts'
import { runAggregate } from '../../packages/server/src/copies/searcher.ts'
import { createTable, fillTable, type SearchDatabase } from './databases.ts'
import { describeThrown, otherVersion, ownKind, type Plan, plans } from './exactness.ts'
import { drawWorld, type World } from './generate.ts'
import { type DrawnAggregate, drawAggregate } from './generate-aggregates.ts'
import { isFound, withWords } from './oracle.ts'
import { canonicalValue, groupsOf } from './oracle-aggregates.ts'
import { isObject } from './oracle-paths.ts'
import { isRefused } from './oracle-refusals.ts'
import { Random } from './random.ts'

/** Result of a comparison. */
export interface Report {
  readonly aggregates: number
  /** Aggregates with several groups. */
  readonly telling: number
  /** Aggregates that left values out. */
  readonly skipping: number
  /** Differences: the aggregate, the expected and the actual result. */
  readonly differences: readonly string[]
}

const mostDifferences = 3

/** Reads a row: numbers keep every digit, and the order of its names matters. */
function readRow(row: unknown): unknown {
  return isObject(row) ? Object.entries(row).map(([name, value]) => [name, value]) : row
}

/** Drops needless zeros of a number in plain notation. */
const trimmed = (source: string): string => (source.includes('.') ? source.replace(/\.?0+$/, '') : source)

function readRows(json: string): readonly unknown[] {
  const exact = (_name: string, value: unknown, context?: { source?: string }): unknown => {
    return typeof value === 'number' ? new Exact(trimmed(context?.source ?? '')) : value
  }
  const rows: unknown = JSON.parse(json, exact)
  return Array.isArray(rows) ? rows.map((row) => readRow(plainly(row, true))) : []
}

/** A number of an answer. */
class Exact {
  readonly number: string
  constructor(number: string) {
    this.number = number
  }
}

/** Puts values into the form of the oracle. */
function plainly(value: unknown, isRow = false): unknown {
  if (value instanceof Exact) return { number: value.number }
  if (Array.isArray(value)) return value.map((each) => plainly(each))
  if (!isObject(value)) return canonicalValue(value)
  const entries = Object.entries(value).map(([name, part]) => [name, plainly(part)] as const)
  return Object.fromEntries(isRow ? entries : entries.toSorted(([a], [b]) => (Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 ? -1 : 1)))
}

/** Reads all pages. @throws FerruleError when the aggregate is refused */
async function pagesOf(database: SearchDatabase, table: ReturnType<typeof buildSearchTable>, drawn: DrawnAggregate) {
  const rows: unknown[] = []
  const recent = new RecentWords()
  const parsed = parseAggregate(table, drawn)
  if (parsed.search.unlisted.length > 0)
    checkStored(parsed.search.unlisted, await database.query(buildNotedValuesStatement(parsed.search.unlisted, 1)))
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const run = { ask: (statement: Parameters<SearchDatabase['query']>[0]) => database.query(statement), recent }
    const page: Awaited<ReturnType<typeof runAggregate>> = await runAggregate(run, { ...parsed, offset }, { connector: 1 })
    rows.push(...readRows(page.json))
    offset = page.next
    if (offset === undefined) return { rows, skipped: page.skipped, groups: page.groups }
  }
  return undefined
}

function expectedOf({ fields, kept }: World, drawn: DrawnAggregate): unknown {
  const records = kept.map(({ record }) => record)
  if (isRefused(fields, records, drawn.query.filter)) return 'enum'
  const filter = withWords(fields, drawn.query)
  const { rows, skipped } = groupsOf(
    fields,
    records.filter((record) => isFound(fields, record, filter)),
    drawn,
  )
  return { rows, skipped: sortedOf(skipped), groups: rows.length }
}

const sortedOf = (counts: Readonly<Record<string, number>>) => Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Runs a comparison on a database. */
export async function compareAggregates(database: SearchDatabase, plan: Plan): Promise<Report> {
  const random = new Random(plan.seed)
  const differences: string[] = []
  let [aggregates, telling, skipping] = [0, 0, 0]
  for (let schema = 0; schema < plan.schemas; schema++) {
    const world = drawWorld(random, plan.records)
    const name = `a${plan.seed}_${schema}`
    const table = plan.isOwn ? buildOwnTable(ownKind(name, world), name) : buildSearchTable('exact-test', name, world.definition)
    await createTable(database, table)
    if (plan.isOwn) await fillTable(database, buildOwnTable(otherVersion(name, world), name), { connector: 1, sent: world.sent })
    for (const connector of [1, 2]) await fillTable(database, table, { connector, sent: world.sent })
    for (let index = 0; index < plan.queries; index++) {
      if (index % Math.ceil(plan.queries / 3) === 0) await database.run(plans[Math.floor((index * 3) / plan.queries)] ?? '')
      const drawn = drawAggregate(random, world)
      const expected = expectedOf(world, drawn)
      const found = await pagesOf(database, table, drawn).then((all) => all && { ...all, skipped: sortedOf(all.skipped) }, describeThrown)
      aggregates += 1
      if (isObject(expected) && Number(expected['groups']) > 1) telling += 1
      if (isObject(expected) && Array.isArray(expected['skipped']) && expected['skipped'].length > 0) skipping += 1
      if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push(describe({ schema, drawn, expected, found }))
      if (differences.length >= mostDifferences) return { aggregates, telling, skipping, differences }
    }
    await database.run(`drop table ${quoteTable(table)}`)
  }
  return { aggregates, telling, skipping, differences }
}

function describe({
  schema,
  drawn,
  expected,
  found,
}: {
  schema: number
  drawn: DrawnAggregate
  expected: unknown
  found: unknown
}): string {
  const rows = (value: unknown): readonly unknown[] => (isObject(value) && Array.isArray(value['rows']) ? value['rows'] : [])
  const at = rows(expected).findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(rows(found)[index]))
  const shown = (value: unknown): string =>
    isObject(value)
      ? `${rows(value).length} rows, ${JSON.stringify(value['skipped'])}, ${JSON.stringify(rows(value)[Math.max(0, at)])}`
      : String(value)
  return `schema ${schema}: ${writeJson(drawn)}\nexpected ${shown(expected).slice(0, 2000)}\nfound ${shown(found).slice(0, 2000)}\n(row ${at})`
}
