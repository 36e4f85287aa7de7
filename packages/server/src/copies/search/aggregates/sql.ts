/**
 * Builds the SQL statement of an aggregate, and a page of groups from its rows. The same SQL runs on PGlite and on PostgreSQL 15 and later.
 */
import { aggregateLimits, relatedName } from 'ferrule/internal'
import { buildRowCondition, quoteTable } from '../columns.ts'
import { connectorParameter } from '../conditions/sql-context.ts'
import { largestPage } from '../functions.ts'
import { buildReferred } from '../related/written.ts'
import { buildCondition, buildFilter, buildFlaw, type Flaw, readFlaw, type SearchRow } from '../sql.ts'
import { buildStatement, type Reliance, type SearchStatement, Values } from '../statement.ts'
import type { FieldPath, Included } from '../tree.ts'
import { buildMeasureTable, findReferring, findResult } from './parse.ts'
import { buildPeriod, buildRange, formatPeriod, formatRange, formatTime, noRange, noTime, selectPeriod } from './periods.ts'
import type { AggregateQuery, FieldMeasure, Group, Measure } from './tree.ts'
import { describeColumn, describeJson, isInJson, selectPathValues, type ValueSql } from './values.ts'

interface AggregateOptions {
  /** Number of the connector in the context database. */
  readonly connector: number
  readonly reliance?: Reliance | undefined
}

/** SQL of a key of `group_by`. */
interface GroupSql {
  /** Expressions of each record, and of each of its values. */
  readonly keys: readonly string[]
  /** Table of a record's values, where it can have several. */
  readonly from: string | undefined
  /** Names of the keys in the table of groups. */
  readonly names: readonly string[]
  /** True in the table of groups for values that make no group. */
  readonly isSkipped: string | undefined
  readonly cell: string
  /** Text of each value, the commonest of which each key shows, and its join with the table of groups. */
  readonly spelling: { readonly text: string; readonly join: string } | undefined
}

/** An aggregate of records, and the function that makes one of several; undefined where none does. */
interface MeasurePart {
  readonly sql: string
  readonly merge: 'sum' | 'min' | 'max' | undefined
}

interface MeasureSql {
  readonly parts: readonly MeasurePart[]
  readonly join: (parts: readonly string[]) => string
  /** Number of values that it does not take. */
  readonly skipped: string | undefined
  readonly cell: string
}

/** What all parts of a statement share. */
interface Scene {
  readonly query: AggregateQuery
  readonly values: Values
  /** Condition of the records. */
  readonly where: string
  /** Paths into JSON that measures read, each with the text of its table. */
  readonly paths: Map<string, { readonly index: number; readonly sql: string }>
}

const writeKey = (group: Group, value: ValueSql, values: Values): readonly string[] => {
  if (group.by.is === 'time') return [buildPeriod(group.by, value, values)]
  return group.by.is === 'range' ? [buildRange(group.by.bounds, value, values)] : value.keys
}

function writeValueCell({ path }: Group, names: readonly string[], spelling: string | undefined): string {
  const [first = 'null', second] = names
  const isJson = isInJson(path)
  if (path.compare === 'decimal') {
    const number = `to_json(trim_scale(${first})::text)::text`
    return second === undefined ? number : `case when ${first} is not null then ${number} else to_json(${second})::text end`
  }
  if (spelling === undefined) return isJson ? `${first}::text` : `to_json(${first})::text`
  return isJson
    ? `case when jsonb_typeof(${first}) = 'string' then to_json(${spelling})::text else ${first}::text end`
    : `to_json(${spelling})::text`
}

const writeGroupCell = (
  group: Group,
  { names, spelling, values }: { names: readonly string[]; spelling: string | undefined; values: Values },
): string => {
  const [key = 'null'] = names
  if (group.by.is === 'time') return selectPeriod(group.by, key, values)
  return group.by.is === 'range' ? `${key}::text` : writeValueCell(group, names, spelling)
}

function buildGroup(scene: Scene, group: Group, index: number): GroupSql {
  const { values } = scene
  const { path, by } = group
  const isJson = isInJson(path)
  const value = isJson || path.column === undefined ? describeJson('e.v', path) : describeColumn(path.column, values)
  const keys = writeKey(group, value, values)
  const names = keys.map((_key, each) => `g${index}_${each}`)
  const text = by.is === 'value' ? value.spelling : undefined
  const [name = ''] = names
  const own = keys.map((_key, each) => `x${index}.k${each}`)
  const listed = keys.map((key, each) => `${key} as k${each}`).join(', ')
  // A record has each key once. Of several texts with the same key the first stands for them.
  const distinct =
    text === undefined
      ? `select distinct ${listed} ${isJson ? selectPathValues(path, values) : ''}`
      : `select ${listed}, min(${text}) as text ${isJson ? selectPathValues(path, values) : ''} group by 1`
  const from = isJson ? ` left join lateral (${distinct}) x${index} on true` : undefined
  const spelled = `s${index}`
  return {
    keys: isJson ? own : keys,
    from,
    names,
    isSkipped: by.is === 'time' ? `t.${name} = ${noTime}` : by.is === 'range' ? `t.${name} = ${noRange}` : undefined,
    cell: writeGroupCell(group, { names: names.map((each) => `h.${each}`), spelling: text && `${spelled}.text`, values }),
    spelling:
      text === undefined
        ? undefined
        : { text: isJson ? `x${index}.text` : text, join: ` left join ${spelled} on ${spelled}.key = h.${name}` },
  }
}

/** Finds the number of a path whose values are rows of their own; 0 is the record itself. */
function numberPath({ paths, values }: Scene, path: FieldPath): number {
  if (!isInJson(path)) return 0
  const name = JSON.stringify([path.column?.name, path.steps])
  const known = paths.get(name)
  if (known !== undefined) return known.index
  paths.set(name, { index: paths.size + 1, sql: selectPathValues(path, values) })
  return paths.size
}

/** Twice a ten with as many zeros as an average has digits after the point, and the tenth that it is divided by. */
const [doubled, digits] = ['2e20', '1e-20']

/** Builds an average, rounded half away from zero. PostgreSQL would choose the digits by the size of the number. */
const writeAverage = ([sum, count]: readonly string[]): string =>
  `trim_scale(sign(${sum}) * div(abs(${sum}) * ${doubled} + ${count}, nullif(2 * ${count}, 0)::numeric) * ${digits})`

const takeOnly = ([sql = 'null']: readonly string[]): string => sql

function buildParts(
  measure: FieldMeasure,
  value: ValueSql,
  { filter, values }: { filter: string; values: Values },
): Pick<MeasureSql, 'parts' | 'join'> {
  const result = findResult(measure)
  const compared = result === 'time' ? value.time : result === 'text' ? value.text : value.number
  const part = (sql: string, merge: MeasurePart['merge']): MeasurePart => ({ sql: `${sql}${filter}`, merge })
  switch (measure.is) {
    case 'avg':
      return { parts: [part(`sum(${value.number})`, 'sum'), part(`count(${value.number})`, 'sum')], join: writeAverage }
    case 'distinct':
      return { parts: [part(`count(distinct ${value.key})`, undefined)], join: takeOnly }
    case 'median':
    case 'percentile': {
      const at = values.add(String(measure.at), 'float8')
      return { parts: [part(`percentile_disc(${at}) within group (order by ${value.number})`, undefined)], join: takeOnly }
    }
    default:
      return { parts: [part(`${measure.is}(${compared})`, measure.is)], join: takeOnly }
  }
}

/** Builds the number of values that a measure does not take; undefined where it takes all. */
function writeSkipped(measure: FieldMeasure, value: ValueSql, filter: string): string | undefined {
  const result = findResult(measure)
  const isTime = measure.path.compare === 'instant'
  if (measure.is === 'distinct' && !isTime) return undefined
  const form = isTime ? value.time : result === 'text' ? value.text : value.number
  if (form === value.value || (form === value.number && value.isNumeric)) return undefined
  return `count(${value.value})${filter} - count(${form})${filter}`
}

const buildMeasure = (scene: Scene, measure: Measure, index: number): MeasureSql => {
  const column = `h.m${index}`
  if (measure.is === 'count') return { ...countParts, skipped: undefined, cell: `${column}::text` }
  const { path } = measure
  const number = numberPath(scene, path)
  const value = number > 0 || path.column === undefined ? describeJson('u.v', path) : describeColumn(path.column, scene.values)
  const filter = ` filter (where u.k = ${number})`
  const result = findResult(measure)
  return {
    ...buildParts(measure, value, { filter, values: scene.values }),
    skipped: writeSkipped(measure, value, filter),
    cell: result === 'text' ? `to_json(${column})::text` : result === 'time' ? `${column}::text` : `trim_scale(${column}::numeric)::text`,
  }
}

const ofRecord = ' filter (where u.k = 0)'
const countRecords = `count(*)${ofRecord}`
const countParts: Pick<MeasureSql, 'parts' | 'join'> = { parts: [{ sql: countRecords, merge: 'sum' }], join: takeOnly }

/** Builds the rows that are aggregated: each record, and each value at a path, for each group of the record. */
function writeSource({ query, where, paths }: Scene, groups: readonly GroupSql[]): string {
  const values = [...paths.values()].map(({ index, sql }) => `select ${index}, e.v ${sql}`)
  const rows = values.length === 0 ? '' : ` cross join lateral (${['select 0 as k, null::jsonb as v', ...values].join(' union all ')}) u`
  return `from ${quoteTable(query.search.table)} t${groups.map(({ from = '' }) => from).join('')}${rows} where ${where}`
}

/** Builds the order of groups: the sort, then their keys. Groups without a value are last in both directions. */
function writeOrder({ sort }: AggregateQuery, groups: readonly GroupSql[]): string {
  const ties = groups.map((_group, index) => ({ by: 'group', index, direction: 'asc' }) as const)
  const keys = [...sort, ...ties].flatMap(({ by, index, direction }) =>
    (by === 'measure' ? [`m${index}`] : (groups[index]?.names ?? [])).map(
      (name) => `h.${name}${direction === 'desc' ? ' desc' : ''} nulls last`,
    ),
  )
  return keys.length === 0 ? '' : ` order by ${keys.join(', ')}`
}

/** Builds what is known of all groups: `flaw`, the changes of the copy, numbers of groups and of records, and skipped values. */
function writeFacts({ query, values }: Scene, { groups, measures, good, flaw }: Parts): string {
  const version = `(select e.changes from cs_entities e where e.connector_id = ${connectorParameter} and e.name = ${values.add(query.search.table.name, 'text')})`
  const skippedGroups = groups.map(({ isSkipped }, index) =>
    isSkipped === undefined ? [] : [`(select sum(n) from a t where ${isSkipped})::text as sg${index}`],
  )
  const skippedMeasures = measures.map(({ skipped }, index) =>
    skipped === undefined ? [] : [`(select sum(n${index}) from a t where ${good})::text as sm${index}`],
  )
  const facts = [
    `${flaw ?? 'null::text'} as flaw`,
    `${version}::text as version`,
    '(select count(*) from h)::int4 as groups',
    '(select sum(n) from a)::text as matched',
    ...skippedGroups.flat(),
    ...skippedMeasures.flat(),
  ]
  return `select ${facts.join(', ')}`
}

/** Builds the text by which a group refers to a record: the spelling that it shows, or its value. */
function writeReferring({ groups }: AggregateQuery, sql: readonly GroupSql[], included: Included): string {
  const index = findReferring(groups, included)
  const [path, group] = [groups[index]?.path, sql[index]]
  const name = `h.${group?.names[0]}`
  if (group?.spelling !== undefined) return `s${index}.text`
  if (path === undefined || !isInJson(path)) return `${name}::text`
  return `case when jsonb_typeof(${name}) in ('string', 'number') then ${name} #>> '{}' end`
}

/** Leaves out the groups after a full page: keys can be long texts. */
function cutPage(ranked: string, cells: number, values: Values): string {
  const size = Array.from({ length: cells }, (_, index) => `coalesce(octet_length(r.c${index}), 4)`).join(' + ')
  const before = `sum(${size}) over (order by r.rank rows between unbounded preceding and 1 preceding)`
  return `select * from (select r.*, ${before} as before from (${ranked}) r) q where q.before is null or q.before <= ${values.add(largestPage, 'int4')}`
}

/** A key of `group_by` that shows the commonest of several texts. */
interface Spelled {
  /** Names of its table, of its key, and of its text in the table of spelled groups. */
  readonly table: string
  readonly name: string
  readonly as: string
  readonly group: GroupSql
  readonly text: string
}

const listSpelled = (groups: readonly GroupSql[]): readonly Spelled[] =>
  groups.flatMap((group, index) =>
    group.spelling === undefined
      ? []
      : [{ table: `s${index}`, name: group.names[0] ?? '', as: `l${index}`, group, text: group.spelling.text }],
  )

/** Builds the commonest text of each key, of all records that count; of equally common ones the first. @param counted `key`, `text`, `uses` */
const writeCommonest = (table: string, counted: string): string =>
  `${table} as (select distinct on (key) key, text from (${counted}) c order by key, uses desc, text)`

const groupBy = (keys: number): string =>
  keys === 0 ? '' : ` group by ${Array.from({ length: keys }, (_, index) => index + 1).join(', ')}`

const listKeys = (groups: readonly GroupSql[]): readonly string[] =>
  groups.flatMap(({ keys, names }) => keys.map((key, index) => `${key} as ${names[index]}`))

/** Lists `n0` …, the numbers of values that measures do not take, and `n`, that of records. */
const listCounts = (measures: readonly MeasureSql[]): readonly string[] => [
  ...measures.flatMap(({ skipped }, index) => (skipped === undefined ? [] : [`${skipped} as n${index}`])),
  `${countRecords} as n`,
]

/** What is counted: the rows of `source`. */
interface AggregateSource {
  readonly groups: readonly GroupSql[]
  readonly measures: readonly MeasureSql[]
  readonly source: string
}

/** Builds the table of all groups, and those of spellings, which take a scan each. */
function writeGroups({ query, where }: Scene, { groups, measures, source }: AggregateSource): readonly string[] {
  const columns = [
    ...listKeys(groups),
    ...measures.map(({ parts, join }, index) => `${join(parts.map(({ sql }) => sql))} as m${index}`),
    ...listCounts(measures),
  ]
  const spelled = listSpelled(groups).map(({ table, group, text }) => {
    const from = `${quoteTable(query.search.table)} t${group.from ?? ''}`
    return writeCommonest(
      table,
      `select ${group.keys[0]} as key, ${text} as text, count(*) as uses from ${from} where ${where} group by 1, 2`,
    )
  })
  return [`a as materialized (select ${columns.join(', ')} ${source}${groupBy(listKeys(groups).length)})`, ...spelled]
}

/**
 * Builds the same tables with one scan: groups are counted with their spellings first, then merged.
 * @returns undefined where a measure cannot be merged, or where a record could stand for its text more than once
 */
function writeSpelledGroups({ groups, measures, source }: AggregateSource): readonly string[] | undefined {
  const spelled = listSpelled(groups)
  const isOnce = spelled.every(({ group }) => groups.every((each) => each === group || each.from === undefined))
  if (spelled.length === 0 || !isOnce || measures.some(({ parts }) => parts.some(({ merge }) => merge === undefined))) return undefined
  const names = groups.flatMap((group) => group.names)
  const first = [
    ...listKeys(groups),
    ...spelled.map(({ text, as }) => `${text} as ${as}`),
    ...measures.flatMap(({ parts }, measure) => parts.map(({ sql }, part) => `${sql} as p${measure}_${part}`)),
    ...listCounts(measures),
  ]
  const merged = [
    ...names,
    ...measures.map(
      ({ parts, join }, measure) => `${join(parts.map(({ merge }, part) => `${merge}(p${measure}_${part})`))} as m${measure}`,
    ),
    ...measures.flatMap(({ skipped }, index) => (skipped === undefined ? [] : [`sum(n${index}) as n${index}`])),
    'sum(n) as n',
  ]
  return [
    `b as materialized (select ${first.join(', ')} ${source}${groupBy(names.length + spelled.length)})`,
    `a as materialized (select ${merged.join(', ')} from b${groupBy(names.length)})`,
    ...spelled.map(({ table, name, as }) =>
      writeCommonest(table, `select ${name} as key, ${as} as text, sum(n) as uses from b group by 1, 2`),
    ),
  ]
}

interface Parts {
  readonly groups: readonly GroupSql[]
  readonly measures: readonly MeasureSql[]
  /** Condition of the groups that count. */
  readonly good: string
  readonly flaw: string | undefined
}

/**
 * Builds the statement of an aggregate. Each row has the facts of all groups, and one group of the page: `rank`, and cells `c0` … in the
 * order of groups and measures. Without groups on the page there is one row without `rank`.
 */
export function buildAggregateStatement(query: AggregateQuery, { connector, reliance }: AggregateOptions): SearchStatement {
  const { search, having, offset } = query
  const values = new Values(reliance)
  values.add(connector, 'int4')
  const where = `${buildRowCondition(search.table, connectorParameter, 't')}${buildFilter(search, values)}`
  const scene: Scene = { query, values, where, paths: new Map() }
  const groups = query.groups.map((group, index) => buildGroup(scene, group, index))
  const measures = query.measures.map((measure, index) => buildMeasure(scene, measure, index))
  const rows = { groups, measures, source: writeSource(scene, groups) }
  const counted = writeSpelledGroups(rows) ?? writeGroups(scene, rows)
  // Without values of their own there are only rows of records.
  const plain = (sql: string): string => (scene.paths.size > 0 ? sql : sql.replaceAll(ofRecord, ''))
  const skipped = groups.flatMap(({ isSkipped }) => (isSkipped === undefined ? [] : [`(${isSkipped}) is not true`]))
  const good = skipped.length === 0 ? 'true' : skipped.join(' and ')
  const held =
    having === undefined
      ? ''
      : ` and ${buildCondition(buildMeasureTable(query.measures), having, { values, element: undefined, depth: 0 })}`
  const flaw = buildFlaw(search, values)
  const spellings = groups.flatMap(({ spelling }) => (spelling === undefined ? [] : [spelling]))
  const tables = [...counted.map(plain), `h as materialized (select * from a t where ${good}${held})`]
  const order = writeOrder(query, groups)
  const limit = Math.min(search.limit, aggregateLimits.mostGroups - offset)
  const cells = [...groups, ...measures].map(({ cell }, index) => `${cell} as c${index}`)
  const referring = search.include.map((included, index) => ({
    included,
    text: `r.i${index}`,
    key: writeReferring(query, groups, included),
  }))
  const read = [...cells, ...referring.map(({ key }, index) => `${key} as i${index}`)]
  const ranked = `select row_number() over (${order.trim()})::int4 as rank, ${read.join(', ')} from h${spellings.map(({ join }) => join).join('')}${order} limit ${values.add(limit, 'int4')} offset ${values.add(offset, 'int4')}`
  // Only the groups of the page look for what they refer to.
  const written =
    referring.length === 0 ? ranked : `select r.*, (${buildReferred(referring, values)})::text as c${cells.length} from (${ranked}) r`
  const page = cutPage(written, cells.length + Math.min(referring.length, 1), values)
  const facts = writeFacts(scene, { groups, measures, good, flaw: flaw?.sql })
  const text = `with ${tables.join(', ')} select f.*, p.* from (${facts}) f left join (${page}) p on true order by p.rank`
  return { ...buildStatement(text, values), listedAt: flaw?.listedAt }
}

/** A page of groups. */
export interface AggregatePage {
  /** JSON array of the rows. */
  readonly json: string
  readonly count: number
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

type CellFormat = (cell: string) => string
const asWritten: CellFormat = (cell) => cell

function chooseGroupFormat({ by }: Group): CellFormat {
  if (by.is === 'time') return (cell) => JSON.stringify(formatPeriod(by.unit, cell))
  return by.is === 'range' ? (cell) => formatRange(by.bounds, cell) : asWritten
}

const chooseMeasureFormat = (measure: Measure): CellFormat => {
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
    if (row['rank'] === null) break
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
