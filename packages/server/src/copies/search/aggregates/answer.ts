/** Builds a page of groups from the rows of an aggregate's statement. */
import { aggregateLimits, relatedName } from 'ferrule/internal'
import { largestPage } from '../functions.ts'
import { type Flaw, readFlaw, type SearchRow } from '../sql.ts'
import { findResult } from './parse.ts'
import { formatPeriod, formatRange, formatTime } from './periods.ts'
import type { AggregateQuery, Group, Measure } from './tree.ts'

/** A page of groups. */
export interface AggregatePage {
  /** JSON array of the rows. */
  readonly json: string
  readonly count: number
  /** Groups of all pages. */
  readonly groups: number
  /** Number of changes of the copy. */
  readonly version: string
  /** Records that the filter finds; one in several groups counts in each. */
  readonly matched: number
  /** Numbers of values that were left out, by names of groups and measures. */
  readonly skipped: Readonly<Record<string, number>>
  /** Groups of this page and those before it; undefined on the last page. */
  readonly next: number | undefined
  /** Set when the statement relied on something in vain. The page is empty; read it again. */
  readonly flaw: Flaw | undefined
}

type Format = (cell: string) => string
const asWritten: Format = (cell) => cell

function chooseGroupFormat({ by }: Group): Format {
  if (by.is === 'time') return (cell) => JSON.stringify(formatPeriod(by.unit, cell))
  return by.is === 'range' ? (cell) => formatRange(by.bounds, cell) : asWritten
}

const chooseMeasureFormat = (measure: Measure): Format => {
  const result = findResult(measure)
  if (result === 'time') return (cell) => JSON.stringify(formatTime(BigInt(cell)))
  return result === 'decimal' ? (cell) => JSON.stringify(cell) : asWritten
}

/** Reads the values that were left out: those of groups in `sg0` …, those of measures in `sm0` …. */
function readSkipped({ groups, measures }: AggregateQuery, row: SearchRow): Readonly<Record<string, number>> {
  const named = [
    ...groups.map(({ name }, index) => [name, row[`sg${index}`]]),
    ...measures.map(({ name }, index) => [name, row[`sm${index}`]]),
  ]
  return Object.fromEntries(named.map(([name, count]) => [String(name), Number(count ?? 0)] as const).filter(([, count]) => count > 0))
}

/** Builds a page from the rows of a statement. */
export function buildAggregatePage(query: AggregateQuery, rows: readonly SearchRow[]): AggregatePage {
  const [first = {}] = rows
  const related = query.search.include.length === 0 ? [] : [relatedName]
  const formats = [...query.groups.map(chooseGroupFormat), ...query.measures.map(chooseMeasureFormat), ...related.map(() => asWritten)]
  const names = [...[...query.groups, ...query.measures].map(({ name }) => name), ...related].map((name) => JSON.stringify(name))
  const found: string[] = []
  let bytes = 0
  for (const row of rows) {
    if (row['place'] === null) break
    const cells = formats.map((format, index) => {
      const cell = row[`c${index}`]
      return `${names[index]}:${cell === null || cell === undefined ? 'null' : format(String(cell))}`
    })
    const json = `{${cells.join()}}`
    bytes += Buffer.byteLength(json) + 1
    if (found.length > 0 && bytes > largestPage) break
    found.push(json)
  }
  const [groups, end] = [Number(first['groups'] ?? 0), query.offset + found.length]
  return {
    json: `[${found.join()}]`,
    count: found.length,
    groups,
    version: String(first['version'] ?? ''),
    matched: Number(first['matched'] ?? 0),
    skipped: readSkipped(query, first),
    next: end < groups && (found.length > 0 || end >= aggregateLimits.mostGroups) ? end : undefined,
    flaw: readFlaw(first['flaw']),
  }
}
