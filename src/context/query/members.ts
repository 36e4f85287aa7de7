/**
 * Names below fields whose parts the documents do not say: which ones some record had is noted in the term table while records are
 * written, so that a search for a name that none had can tell so.
 */
import { isObject } from '../../definition/object.ts'
import type { Column, SearchTable } from './columns.ts'
import { isOpen, membersOf } from './names.ts'
import { connector } from './scene.ts'
import { type SearchStatement, statementOf, Values } from './statement.ts'
import type { Condition, Place, SearchQuery, Selection, Way } from './tree.ts'
import type { Term } from './values.ts'

/** Longest way that is noted, in characters, and most ways that one batch notes of a field: objects can have ids as names. */
const longestWay = 250
const mostWays = 1_000
/** Noted when all rows were written with their names: at the first batch. Else nothing is known of what is not there. */
const complete = ''
/** Noted when there were too many. */
const tooMany = '!'

/** Where the names below a column are noted; another number than that of its words. */
const fieldOf = ({ field }: Column): number => (field ^ 0x2a5f3c19) | 0

/** Names as one term; arrays between them do not count. */
export const wayOf = (names: readonly string[]): string => names.map((name) => `.${name}`).join('')

/** Columns below which the documents leave names open. */
const openColumns = ({ columns }: SearchTable): readonly Column[] => columns.filter(({ type, schema }) => type === 'json' && isOpen(schema))

/** What is noted of names when the first rows of an entity are written. */
export const firstNames = (table: SearchTable): readonly Term[] =>
  openColumns(table).map((column) => ({ field: fieldOf(column), term: complete }))

function eachWay(value: unknown, names: readonly string[], take: (way: string) => void): void {
  if (Array.isArray(value)) for (const element of value) eachWay(element, names, take)
  if (!isObject(value)) return
  for (const [name, part] of Object.entries(value)) {
    const below = [...names, name]
    take(wayOf(below))
    eachWay(part, below, take)
  }
}

/**
 * Reads the names of rows.
 * @param place where a column's JSON is in the cells of a row
 */
export function memberReader(
  table: SearchTable,
  place: (name: string) => number,
): (rows: readonly (readonly unknown[])[]) => readonly Term[] {
  const open = openColumns(table).map((column) => ({ field: fieldOf(column), at: place(column.sql) }))
  return (rows) =>
    open.flatMap(({ field, at }) => {
      const ways = new Set<string>()
      for (const row of rows) {
        const json = row[at]
        if (typeof json === 'string')
          eachWay(JSON.parse(json), [], (way) => ways.size <= mostWays && way.length <= longestWay && ways.add(way))
      }
      return ways.size > mostWays ? [{ field, term: tooMany }] : [...ways].map((term) => ({ field, term }))
    })
}

function waysOfCondition(condition: Condition, within: readonly Place[] = []): readonly Way[] {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.flatMap((each) => waysOfCondition(each, within))
  if (condition.op === 'not') return waysOfCondition(condition.of, within)
  const places = [...within, condition.place]
  const column = places[0]?.column
  const names = places.flatMap(({ steps }) => steps.filter((step) => step !== null))
  const own = column === undefined ? [] : [{ column, names }]
  return condition.op === 'any' ? [...own, ...waysOfCondition(condition.of, places)] : own
}

const waysOfSelection = (column: Column, selection: Selection, names: readonly string[] = []): readonly Way[] =>
  selection === true
    ? [{ column, names }]
    : Object.entries(selection).flatMap(([name, below]) => waysOfSelection(column, below, [...names, name]))

/** Whether the documents leave open what the names lead to. */
function isUndocumented({ column, names }: Way): boolean {
  let schema: Column['schema'] | undefined = column.schema
  for (const name of names) {
    const members: ReturnType<typeof membersOf> = schema && membersOf(schema)
    if (members === undefined) return true
    schema = members[name]
  }
  return false
}

/** A statement that answers, as `path`, those paths of a query that no record had; undefined when the documents know all of them. */
export function unseenPaths({ filter, selection }: SearchQuery, number: number): SearchStatement | undefined {
  const all = [
    ...(filter === undefined ? [] : waysOfCondition(filter)),
    ...[...(selection ?? [])].flatMap(([column, each]) => waysOfSelection(column, each)),
  ]
  const open = new Map(all.filter(isUndocumented).map((way) => [`${way.column.name}${wayOf(way.names)}`, way]))
  const asked = [...open].filter(([, { names }]) => wayOf(names).length <= longestWay)
  if (asked.length === 0) return undefined
  const values = new Values()
  values.add(number, 'int4')
  const fields = values.add(
    asked.map(([, { column }]) => String(fieldOf(column))),
    'int4[]',
  )
  const terms = values.add(
    asked.map(([, { names }]) => wayOf(names)),
    'text[]',
  )
  const paths = values.add(
    asked.map(([path]) => path),
    'text[]',
  )
  const noted = (term: string): string =>
    `exists (select from cs_terms t where t.connector_id = ${connector} and t.field = p.field and t.term ${term})`
  return statementOf(
    `select p.path from unnest(${fields}, ${terms}, ${paths}) p(field, term, path) where ${noted(`= '${complete}'`)} and not ${noted(`in (p.term, '${tooMany}')`)}`,
    values,
  )
}
