/** What the chart of some groups shows: bars, or lines over time. Doubles position the marks; texts keep every digit. */
import { isTimeUnit, type TimeUnit } from 'ferrule/internal'
import { printCount, printCounted, printDigits } from '../../../parts/print.ts'
import type { GroupChoice, GroupKey, GroupMeasure } from './choice.ts'
import { type NamedRow, printKeys } from './print-group.ts'

/** Bars and lines that are drawn at most: more cannot be told apart. */
const [mostBars, mostLines] = [20, 5]

/** A bar. */
export interface Bar {
  /** Position, from 0: labels can be alike. */
  readonly id: number
  readonly label: string
  /** true: the group has no value. */
  readonly isQuiet: boolean
  readonly text: string
  /** Begin and length in percent of the width. */
  readonly from: number
  readonly length: number
}

/** A line over the times of a chart. */
export interface Series {
  readonly label: string
  /** null: the group of this time is missing. */
  readonly values: readonly (number | null)[]
  readonly texts: readonly (string | undefined)[]
}

/** The chart of some groups. */
export type Picture = { readonly title: string; readonly remarks: readonly string[] } & (
  | { readonly is: 'bars'; readonly bars: readonly Bar[] }
  | {
      readonly is: 'lines'
      /** Seconds since 1970. */
      readonly times: readonly number[]
      /** The groups of these times as the table shows them; '' where a gap is drawn. */
      readonly labels: readonly string[]
      readonly series: readonly Series[]
      /** Zone of the axis: periods longer than an hour are local already. */
      readonly zone: string
    }
)

const numeric = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Reads where a value is drawn; undefined: it is no number. */
function toDouble(value: unknown): number | undefined {
  const text = String(value)
  return ['number', 'bigint', 'string'].includes(typeof value) && numeric.test(text) ? Number(text) : undefined
}

/** Lists the measures that can be drawn: the rows have numbers of them, and nothing else. */
export const listDrawable = (rows: readonly NamedRow[], { measures }: GroupChoice): readonly GroupMeasure[] =>
  measures.filter(({ title }) => {
    const values = rows.map((row) => row[title]).filter((value) => value !== null && value !== undefined)
    return values.length > 0 && values.every((value) => toDouble(value) !== undefined)
  })

// Bars.

function drawBars(rows: readonly NamedRow[], groups: readonly GroupKey[], measure: string): readonly Bar[] {
  const drawn = rows.slice(0, mostBars)
  const sizes = drawn.map((row) => toDouble(row[measure]) ?? 0)
  const low = Math.min(0, ...sizes)
  const width = Math.max(0, ...sizes) - low || 1
  return drawn.map((row, index) => {
    const at = sizes[index] ?? 0
    return {
      id: index,
      label: printKeys(row, groups),
      isQuiet: groups.every(({ title }) => row[title] === null),
      text: row[measure] === null ? '–' : printDigits(row[measure]),
      from: ((Math.min(0, at) - low) / width) * 100,
      length: (Math.abs(at) / width) * 100,
    }
  })
}

function describeBars(
  drawn: number,
  { rows, all, order }: { readonly rows: number; readonly all: number; readonly order: string },
): readonly string[] {
  if (all <= drawn) return []
  const rest = `The other ${printCount(all - drawn)} are in the table${rows < all ? ' and on its next pages' : ''}.`
  return [`The first ${printCount(drawn)} of ${printCounted(all, 'group')} are drawn, in the order of ${order}. ${rest}`]
}

// Lines.

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds
/** The greatest length of a period in seconds. */
const longest: Readonly<Record<TimeUnit, number>> = {
  year: 366 * daySeconds,
  quarter: 92 * daySeconds,
  month: 31 * daySeconds,
  week: 7 * daySeconds,
  day: daySeconds,
  hour: hourSeconds,
}

/** Reads the begin of an ISO week in milliseconds since 1970. */
function readWeek(year: number, week: number): number {
  const fourth = new Date(Date.UTC(year, 0, 4)) // is in the first week
  return fourth.getTime() + ((week - 1) * 7 - ((fourth.getUTCDay() + 6) % 7)) * daySeconds * 1_000
}

/** Reads the begin of a period as the service writes it, in seconds since 1970; undefined: an axis cannot show it. */
export function readPeriod(text: unknown, unit: TimeUnit): number | undefined {
  if (typeof text !== 'string') return undefined
  const [, year = '', mark = '', part = ''] = /^(\d{4})-([QW])(\d+)$/.exec(text) ?? []
  const ms =
    mark === 'W'
      ? readWeek(Number(year), Number(part))
      : Date.parse(mark === 'Q' ? `${year}-${String(Number(part) * 3 - 2).padStart(2, '0')}` : text)
  return Number.isFinite(ms) && (mark === '') !== (unit === 'week' || unit === 'quarter') ? ms / 1_000 : undefined
}

/** Adds a time without values wherever a period is missing, so that no line leads across it. */
function addGaps(times: readonly number[], unit: TimeUnit): readonly number[] {
  return times.flatMap((time, index) => {
    const next = times[index + 1]
    return next !== undefined && next - time > longest[unit] * 1.1 ? [time, time + longest[unit]] : [time]
  })
}

interface Point {
  readonly time: number
  readonly name: string
  readonly row: NamedRow
}

/** Sums the sizes of the values of each line, to find the greatest lines. */
function rankNames(points: readonly Point[], measure: string): readonly string[] {
  const sizes = new Map<string, number>()
  for (const { name, row } of points) sizes.set(name, (sizes.get(name) ?? 0) + Math.abs(toDouble(row[measure]) ?? 0))
  return [...sizes].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
}

/** Numbers of lines, of groups without a time, of groups that were read, and of all groups. */
interface LinesFacts {
  readonly names: number
  readonly lost: number
  readonly rows: number
  readonly all: number
  readonly hasGaps: boolean
}

function describeLines({ names, lost, rows, all, hasGaps }: LinesFacts): readonly string[] {
  return [
    ...(names > mostLines ? [`The ${mostLines} greatest of ${printCount(names)} lines are drawn.`] : []),
    ...(lost > 0 ? [`${printCounted(lost, 'group')} without a time ${lost === 1 ? 'is' : 'are'} in the table only.`] : []),
    ...(rows < all ? [`The lines have the ${printCounted(rows, 'group')} that were read, of ${printCount(all)}.`] : []),
    ...(hasGaps ? ['Where a line has a gap, there are no records.'] : []),
  ]
}

interface DrawOptions {
  readonly choice: GroupChoice
  readonly measure: GroupMeasure
  /** Groups of all pages. */
  readonly all: number
}

function drawLines(rows: readonly NamedRow[], { choice: { groups, zone }, measure, all }: DrawOptions, unit: TimeUnit): Picture {
  const axis = groups.find(({ by }) => isTimeUnit(by))
  const others = groups.filter((each) => each !== axis)
  const points = rows.flatMap((row): readonly Point[] => {
    const time = readPeriod(row[axis?.title ?? ''], unit)
    const name = printKeys(row, others)
    return time === undefined ? [] : [{ time, name: name === '' ? measure.title : name, row }]
  })
  const names = rankNames(points, measure.title)
  const labelOf = new Map(points.map(({ time, row }) => [time, String(row[axis?.title ?? ''])]))
  const times = addGaps(
    [...labelOf.keys()].toSorted((a, b) => a - b),
    unit,
  )
  const series = names.slice(0, mostLines).map((name): Series => {
    const found = new Map(points.filter((each) => each.name === name).map(({ time, row }) => [time, row[measure.title]]))
    const values = times.map((time) => found.get(time) ?? null)
    return {
      label: name,
      values: values.map((value) => toDouble(value) ?? null),
      texts: values.map((value) => (value === null ? undefined : printDigits(value))),
    }
  })
  return {
    is: 'lines',
    title: `${measure.title} by ${groups.map(({ title }) => title).join(' and ')}`,
    remarks: describeLines({
      names: names.length,
      lost: rows.length - points.length,
      rows: rows.length,
      all,
      hasGaps: series.some(({ values }) => values.includes(null)),
    }),
    times,
    labels: times.map((time) => labelOf.get(time) ?? ''),
    series,
    zone: unit === 'hour' ? zone : 'UTC',
  }
}

/** Draws groups: lines where one of them is a period, else bars. Returns undefined without groups, or without a row. */
export function drawPicture(rows: readonly NamedRow[], options: DrawOptions): Picture | undefined {
  const { choice, measure, all } = options
  const { groups, measures, order } = choice
  if (rows.length === 0 || groups.length === 0) return undefined
  const unit = groups.map(({ by }) => by).find(isTimeUnit)
  if (unit !== undefined) return drawLines(rows, options, unit)
  const bars = drawBars(rows, groups, measure.title)
  const sorted = [...groups, ...measures].find(({ token }) => token === order?.column)?.title ?? 'the table'
  return {
    is: 'bars',
    title: `${measure.title} by ${groups.map(({ title }) => title).join(' and ')}`,
    remarks: describeBars(bars.length, { rows: rows.length, all, order: sorted }),
    bars,
  }
}
