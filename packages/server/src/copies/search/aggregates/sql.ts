/** Builds the SQL statement of an aggregate. The same SQL runs on PGlite and on PostgreSQL 15 and later. */
import { aggregateLimits } from 'ferrule/internal'
import { buildRowCondition, quoteTable } from '../columns.ts'
import { connectorParameter } from '../conditions/sql-context.ts'
import { largestPage } from '../functions.ts'
import { buildCondition, buildFilter, buildFlaw } from '../sql.ts'
import { buildStatement, type Reliance, type SearchStatement, Values } from '../statement.ts'
import type { FieldPath } from '../tree.ts'
import { buildMeasureTable, findResult } from './parse.ts'
import { buildPeriod, buildRange, noRange, noTime, selectPeriod } from './periods.ts'
import type { AggregateQuery, FieldMeasure, Group, Measure } from './tree.ts'
import { describeColumn, describeJson, isInJson, selectPathValues, type ValueSql } from './values.ts'

/** Options of a statement. */
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
  /** Table of the commonest text of each key, and its join with the table of groups. */
  readonly spelling: { readonly table: string; readonly join: string } | undefined
}

/** SQL of a measure in the table of groups. */
interface MeasureSql {
  readonly sql: string
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

/** Builds the cell of a group that shows values. */
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

/** Builds the commonest text of each key, of all records that count; of equally common ones the first. */
function writeSpelling({ query, where }: Scene, { key, text, from }: { key: string; text: string; from: string }): string {
  const counted = `select ${key} as key, ${text} as text, count(*) as uses from ${quoteTable(query.search.table)} t${from} where ${where} group by 1, 2`
  return `select distinct on (key) key, text from (${counted}) c order by key, uses desc, text`
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
        : {
            table: `${spelled} as (${writeSpelling(scene, isJson ? { key: own[0] ?? '', text: `x${index}.text`, from: from ?? '' } : { key: keys[0] ?? '', text, from: '' })})`,
            join: ` left join ${spelled} on ${spelled}.key = h.${name}`,
          },
  }
}

/** Finds the number of a path whose values are rows of their own; 0 is the record itself. */
function placePath({ paths, values }: Scene, path: FieldPath): number {
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
const writeAverage = (value: string, filter: string): string => {
  const [sum, count] = [`sum(${value})${filter}`, `count(${value})${filter}`]
  return `trim_scale(sign(${sum}) * div(abs(${sum}) * ${doubled} + ${count}, nullif(2 * ${count}, 0)::numeric) * ${digits})`
}

function writeFunction(measure: FieldMeasure, value: ValueSql, { filter, values }: { filter: string; values: Values }): string {
  const result = findResult(measure)
  const compared = result === 'time' ? value.time : result === 'text' ? value.text : value.number
  switch (measure.is) {
    case 'avg':
      return writeAverage(value.number, filter)
    case 'distinct':
      return `count(distinct ${value.key})${filter}`
    case 'median':
    case 'percentile':
      return `percentile_disc(${values.add(String(measure.at), 'float8')}) within group (order by ${value.number})${filter}`
    default:
      return `${measure.is}(${compared})${filter}`
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
  if (measure.is === 'count') return { sql: countRecords, skipped: undefined, cell: `${column}::text` }
  const { path } = measure
  const place = placePath(scene, path)
  const value = place > 0 || path.column === undefined ? describeJson('u.v', path) : describeColumn(path.column, scene.values)
  const filter = ` filter (where u.k = ${place})`
  const result = findResult(measure)
  return {
    sql: writeFunction(measure, value, { filter, values: scene.values }),
    skipped: writeSkipped(measure, value, filter),
    cell: result === 'text' ? `to_json(${column})::text` : result === 'time' ? `${column}::text` : `trim_scale(${column}::numeric)::text`,
  }
}

const ofRecord = ' filter (where u.k = 0)'
const countRecords = `count(*)${ofRecord}`

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

/** Leaves out the groups after a full page: keys can be long texts. */
function cutPage(ranked: string, cells: number, values: Values): string {
  const size = Array.from({ length: cells }, (_, index) => `coalesce(octet_length(r.c${index}), 4)`).join(' + ')
  const before = `sum(${size}) over (order by r.place rows between unbounded preceding and 1 preceding)`
  return `select * from (select r.*, ${before} as before from (${ranked}) r) q where q.before is null or q.before <= ${values.add(largestPage, 'int4')}`
}

interface Parts {
  readonly groups: readonly GroupSql[]
  readonly measures: readonly MeasureSql[]
  /** Condition of the groups that count. */
  readonly good: string
  readonly flaw: string | undefined
}

/**
 * Builds the statement of an aggregate. Each row has the facts of all groups, and one group of the page: `place`, and cells `c0` … in the
 * order of groups and measures. Without groups on the page there is one row without `place`.
 */
export function buildAggregateStatement(query: AggregateQuery, { connector, reliance }: AggregateOptions): SearchStatement {
  const { search, having, offset } = query
  const values = new Values(reliance)
  values.add(connector, 'int4')
  const where = `${buildRowCondition(search.table, connectorParameter, 't')}${buildFilter(search, values)}`
  const scene: Scene = { query, values, where, paths: new Map() }
  const groups = query.groups.map((group, index) => buildGroup(scene, group, index))
  const measures = query.measures.map((measure, index) => buildMeasure(scene, measure, index))
  // Without values of their own there are only rows of records.
  const plain = (sql: string): string => (scene.paths.size > 0 ? sql : sql.replaceAll(ofRecord, ''))
  const columns = [
    ...groups.flatMap(({ keys, names }) => keys.map((key, index) => `${key} as ${names[index]}`)),
    ...measures.map(({ sql }, index) => `${sql} as m${index}`),
    ...measures.flatMap(({ skipped }, index) => (skipped === undefined ? [] : [`${skipped} as n${index}`])),
    `${countRecords} as n`,
  ]
  const keys = groups.flatMap(({ names }) => names)
  const by = keys.length === 0 ? '' : ` group by ${keys.map((_key, index) => index + 1).join(', ')}`
  const skipped = groups.flatMap(({ isSkipped }) => (isSkipped === undefined ? [] : [`(${isSkipped}) is not true`]))
  const good = skipped.length === 0 ? 'true' : skipped.join(' and ')
  const held =
    having === undefined
      ? ''
      : ` and ${buildCondition(buildMeasureTable(query.measures), having, { values, element: undefined, depth: 0 })}`
  const flaw = buildFlaw(search, values)
  const spellings = groups.flatMap(({ spelling }) => (spelling === undefined ? [] : [spelling]))
  const tables = [
    `a as materialized (${plain(`select ${columns.join(', ')} ${writeSource(scene, groups)}${by}`)})`,
    `h as materialized (select * from a t where ${good}${held})`,
    ...spellings.map(({ table }) => table),
  ]
  const order = writeOrder(query, groups)
  const limit = Math.min(search.limit, aggregateLimits.mostGroups - offset)
  const cells = [...groups, ...measures].map(({ cell }, index) => `${cell} as c${index}`)
  const ranked = `select row_number() over (${order.trim()})::int4 as place, ${cells.join(', ')} from h${spellings.map(({ join }) => join).join('')}${order} limit ${values.add(limit, 'int4')} offset ${values.add(offset, 'int4')}`
  const page = cutPage(ranked, cells.length, values)
  const facts = writeFacts(scene, { groups, measures, good, flaw: flaw?.sql })
  const text = `with ${tables.join(', ')} select f.*, p.* from (${facts}) f left join (${page}) p on true order by p.place`
  return { ...buildStatement(text, values), listedAt: flaw?.listedAt }
}
