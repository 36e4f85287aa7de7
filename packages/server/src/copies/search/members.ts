/**
 * Member names below undocumented fields. Writing records notes the names in the term table. A search can then report a name that no
 * record has.
 */
import { isObject } from 'ferrule/internal'
import type { Column, SearchTable } from './columns.ts'
import { connectorParameter } from './conditions/sql-context.ts'
import { findMembers, hasOpenNames } from './field-paths.ts'
import { buildStatement, type SearchStatement, Values } from './statement.ts'
import type { Term } from './terms.ts'
import type { Condition, FieldPath, MemberPath, SearchQuery, Selection } from './tree.ts'

/** Limits: characters of a noted path, and paths noted per batch and field. Objects can have ids as names. */
const longestWay = 250
const mostWays = 1_000
/** Noted with the first batch: from then on every name was noted. Without the mark nothing is known about absent names. */
const complete = ''
/** Noted when there were too many names. */
const tooMany = '!'

/** Derives the number of a column's names in the term table. It differs from the number of its words. */
export const toNameField = ({ field }: Column): number => (field ^ 0x2a5f3c19) | 0

/** Joins names into one term; arrays between them are ignored. */
export const joinNames = (names: readonly string[]): string => names.map((name) => `.${name}`).join('')

const findOpenColumns = ({ columns }: SearchTable): readonly Column[] =>
  columns.filter(({ type, schema }) => type === 'json' && hasOpenNames(schema))

/** Lists the terms to note with the first rows of an entity. */
export const listInitialNames = (table: SearchTable): readonly Term[] =>
  findOpenColumns(table).map((column) => ({ field: toNameField(column), term: complete }))

/** Fields of a record whose JSON is in the cells of its row. */
export type WrittenFields = Readonly<Record<string, unknown>>

/** Returns the value of a JSON cell: the given one, unless cleaning changed its strings (`cleanJson`) or it is absent. */
export const readWritten = (json: string, value: unknown): unknown =>
  value === undefined || json.includes('\ufffd') ? JSON.parse(json) : value

/** A member of the visited values, with those below it. So paths are joined once, not for each value. */
interface Branch {
  readonly way: string
  readonly below: Map<string, Branch>
}

/** Adds the paths of all members below a value, as `joinNames` joins their names. */
function addPaths(value: unknown, above: Branch, ways: Set<string>): void {
  if (Array.isArray(value)) for (const element of value) addPaths(element, above, ways)
  if (!isObject(value) || ways.size > mostWays) return
  for (const name of Object.keys(value)) {
    const part = value[name]
    if (part === undefined) continue // has no JSON
    const branch = above.below.get(name) ?? addBranch(name, above, ways)
    if (branch !== undefined && typeof part === 'object') addPaths(part, branch, ways)
  }
}

/** Adds a member; undefined when there are too many, or when its path is too long, as are the paths below it. */
function addBranch(name: string, above: Branch, ways: Set<string>): Branch | undefined {
  const way = `${above.way}.${name}`
  if (way.length > longestWay || ways.size > mostWays) return undefined
  const branch: Branch = { way, below: new Map() }
  above.below.set(name, branch)
  ways.add(way)
  return branch
}

/**
 * Creates a reader of the names of rows.
 * @param findCell returns the index of the cell with a column's JSON
 */
export function createNameReader(
  table: SearchTable,
  findCell: (name: string) => number,
): (rows: readonly (readonly unknown[])[], records?: readonly WrittenFields[]) => readonly Term[] {
  const open = findOpenColumns(table).map((column) => ({ field: toNameField(column), name: column.name, at: findCell(column.sql) }))
  return (rows, records) =>
    open.flatMap(({ field, name, at }) => {
      const ways = new Set<string>()
      const root: Branch = { way: '', below: new Map() }
      for (const [index, row] of rows.entries()) {
        const json = row[at]
        if (typeof json === 'string') addPaths(readWritten(json, records?.[index]?.[name]), root, ways)
      }
      return ways.size > mostWays ? [{ field, term: tooMany }] : [...ways].map((term) => ({ field, term }))
    })
}

function listConditionPaths(condition: Condition, within: readonly FieldPath[] = []): readonly MemberPath[] {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.flatMap((each) => listConditionPaths(each, within))
  if (condition.op === 'not') return listConditionPaths(condition.of, within)
  if (condition.op === 'related') {
    const through = condition.path.steps.filter((step) => step !== null)
    const name = [condition.path.column?.name ?? [], through].flat().join('.')
    return listConditionPaths(condition.of).map((path) => ({ ...path, through: name }))
  }
  const paths = [...within, condition.path]
  const column = paths[0]?.column
  const names = paths.flatMap(({ steps }) => steps.filter((step) => step !== null))
  const own = column === undefined ? [] : [{ column, names }]
  return condition.op === 'any' ? [...own, ...listConditionPaths(condition.of, paths)] : own
}

const listSelectionPaths = (column: Column, selection: Selection, names: readonly string[] = []): readonly MemberPath[] =>
  selection === true
    ? [{ column, names }]
    : Object.entries(selection).flatMap(([name, below]) => listSelectionPaths(column, below, [...names, name]))

/** Returns whether the documents leave the target of the names undocumented. */
function isUndocumented({ column, names }: MemberPath): boolean {
  let schema: Column['schema'] | undefined = column.schema
  for (const name of names) {
    const members: ReturnType<typeof findMembers> = schema && findMembers(schema)
    if (members === undefined) return true
    schema = members[name]
  }
  return false
}

/** A path below a field whose members the documents do not name. */
type OpenPath = readonly [path: string, member: MemberPath]

/**
 * Lists the undocumented paths of a query as they were written, each with its column and names.
 * @param more paths of an aggregate's groups and measures
 */
export function listOpenPaths({ filter, selection }: SearchQuery, more: readonly FieldPath[] = []): readonly OpenPath[] {
  const all: readonly MemberPath[] = [
    ...more.flatMap(({ column, steps }) => (column === undefined ? [] : [{ column, names: steps.filter((step) => step !== null) }])),
    ...(filter === undefined ? [] : listConditionPaths(filter)),
    ...[...(selection ?? [])].flatMap(([column, each]) => listSelectionPaths(column, each)),
  ]
  const open = new Map(
    all
      .filter(isUndocumented)
      .map((way) => [`${way.through === undefined ? '' : `${way.through}.`}${way.column.name}${joinNames(way.names)}`, way]),
  )
  return [...open].filter(([, { names }]) => joinNames(names).length <= longestWay)
}

/**
 * Builds the statement that reads, as `path`, the open paths that no record has.
 * @param asked one path at least
 * @param number the connector's number in the context database
 */
export function buildUnseenPathsStatement(asked: readonly OpenPath[], number: number): SearchStatement {
  const values = new Values()
  values.add(number, 'int4')
  const fields = values.add(
    asked.map(([, { column }]) => String(toNameField(column))),
    'int4[]',
  )
  const terms = values.add(
    asked.map(([, { names }]) => joinNames(names)),
    'text[]',
  )
  const paths = values.add(
    asked.map(([path]) => path),
    'text[]',
  )
  const noted = (term: string): string =>
    `exists (select from cs_terms t where t.connector_id = ${connectorParameter} and t.field = p.field and t.term ${term})`
  return buildStatement(
    `select p.path from unnest(${fields}, ${terms}, ${paths}) p(field, term, path) where ${noted(`= '${complete}'`)} and not ${noted(`in (p.term, '${tooMany}')`)}`,
    values,
  )
}
