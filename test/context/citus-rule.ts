/**
 * The rule of distributed tables: what Citus runs on the one machine that has a connector, or on all machines. It is a check of the SQL
 * itself, by PostgreSQL's own parser, because Citus cannot be installed from packages.
 * Reasons: docs/decisions/postgresql.md
 */
import { parse, parsePlPgSQL } from 'libpg-query'

/** A node of a parsed statement. */
type Tree = { readonly [name: string]: unknown }

/** What the rule knows about the database. */
export interface Catalogue {
  /** Returns how a table is distributed; undefined for a table of the server, for example of its catalogue. */
  distributionOf(table: string): 'distributed' | 'reference' | undefined
  /** Functions that read tables, by name, with the tables. */
  readonly readers: ReadonlyMap<string, readonly string[]>
  /** Volatility of functions by name: the most volatile one. */
  readonly volatility: ReadonlyMap<string, 'i' | 's' | 'v'>
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const treeAt = (node: Tree | undefined, name: string): Tree | undefined => {
  const found = node?.[name]
  return isTree(found) ? found : undefined
}
const listAt = (node: Tree | undefined, name: string): readonly Tree[] => {
  const found = node?.[name]
  return Array.isArray(found) ? found.filter(isTree) : []
}
const textAt = (node: Tree | undefined, name: string): string => String(node?.[name] ?? '')

/** Walks all nodes below a value; `enter` returns false to leave out what is below a node. `for share of` names aliases, not tables. */
function walk(value: unknown, enter: (kind: string, node: Tree) => boolean): void {
  if (Array.isArray(value)) for (const each of value) walk(each, enter)
  else if (isTree(value))
    for (const [kind, node] of Object.entries(value))
      if (kind !== 'lockingClause' && (!isTree(node) || enter(kind, node))) walk(node, enter)
}

const namesOf = (node: Tree, name: string): readonly string[] => listAt(node, name).map((each) => textAt(treeAt(each, 'String'), 'sval'))

/** Tables that a parsed text names, without those that it defines itself. */
function listTables(value: unknown): readonly string[] {
  const [tables, own] = [new Set<string>(), new Set<string>()]
  walk(value, (kind, node) => {
    if (kind === 'CommonTableExpr') own.add(textAt(node, 'ctename'))
    if (kind === 'RangeVar' || kind === 'relation') tables.add(textAt(node, 'relname'))
    return true
  })
  return [...tables].filter((name) => name !== '' && !own.has(name))
}

/** Parses a text within PL/pgSQL by its mode: a statement, an expression, or an assignment. */
function parsePart({ query, parseMode }: { query: string; parseMode: number }) {
  if (parseMode === 0) return parse(query)
  return parse(`select ${parseMode === 2 ? query : query.slice(query.indexOf('=') + 1)}`)
}

/** Reads the tables and the functions that the body of a function names. */
export async function readFunction({ definition, language, body }: { definition: string; language: string; body: string }) {
  const texts: { query: string; parseMode: number }[] = []
  if (language === 'sql') texts.push({ query: body, parseMode: 0 })
  else
    walk(await parsePlPgSQL(definition), (kind, node) => {
      if (kind === 'PLpgSQL_expr') texts.push({ query: textAt(node, 'query'), parseMode: Number(node['parseMode'] ?? 0) })
      return true
    })
  const parts = await Promise.all(texts.map(parsePart))
  return { tables: parts.flatMap(listTables), calls: parts.flatMap((part) => [...listCalls(part).keys()]) }
}

/** Lists the called functions, each with its calls. */
function listCalls(value: unknown): ReadonlyMap<string, readonly Tree[]> {
  const calls = new Map<string, Tree[]>()
  walk(value, (kind, node) => {
    const name = kind === 'FuncCall' ? namesOf(node, 'funcname').at(-1) : undefined
    if (name !== undefined) calls.set(name, [...(calls.get(name) ?? []), node])
    return true
  })
  return calls
}

/** A table in the FROM of one query. */
interface Source {
  readonly table: string
  readonly alias: string
}

/** The tables of one query, and those around it. */
interface Level {
  readonly sources: readonly Source[]
  readonly own: ReadonlySet<string>
  /** Columns and parameters that are equal, as pairs. */
  readonly equal: readonly (readonly [string, string])[]
}

/** Names a column or a parameter for comparison: `alias.column` or `$1`; undefined for anything else. */
function nameOperand(value: unknown, level: Level): string | undefined {
  if (!isTree(value)) return undefined
  const cast = treeAt(value, 'TypeCast')
  if (cast !== undefined) return nameOperand(cast['arg'], level)
  const parameter = treeAt(value, 'ParamRef')
  if (parameter !== undefined) return `$${parameter['number']}`
  const column = treeAt(value, 'ColumnRef')
  if (column === undefined) return undefined
  const names = namesOf(column, 'fields')
  if (names.length > 1) return names.slice(-2).join('.')
  // A name without a table belongs to the only one of the query.
  return level.sources.length === 1 ? `${level.sources[0]?.alias}.${names[0]}` : undefined
}

/** Lists the equalities that hold for every row: the conditions that are joined by `and`. */
function listEqualities(condition: unknown, level: Level): readonly (readonly [string, string])[] {
  if (!isTree(condition)) return []
  const both = treeAt(condition, 'BoolExpr')
  if (both?.['boolop'] === 'AND_EXPR') return listAt(both, 'args').flatMap((each) => listEqualities(each, level))
  const test = treeAt(condition, 'A_Expr')
  if (test?.['kind'] !== 'AEXPR_OP' || namesOf(test, 'name')[0] !== '=') return []
  const [left, right] = [nameOperand(test['lexpr'], level), nameOperand(test['rexpr'], level)]
  return left === undefined || right === undefined ? [] : [[left, right]]
}

/** Lists the tables and the join conditions of a FROM, without those of queries within. */
function readFrom(from: readonly Tree[]): { readonly sources: readonly Source[]; readonly conditions: readonly unknown[] } {
  const sources: Source[] = []
  const conditions: unknown[] = []
  walk(from, (kind, node) => {
    if (kind === 'RangeVar') {
      const table = textAt(node, 'relname')
      sources.push({ table, alias: textAt(treeAt(node, 'alias'), 'aliasname') || table })
    }
    if (kind === 'JoinExpr' && node['quals'] !== undefined) conditions.push(node['quals'])
    return kind !== 'RangeSubselect' && kind !== 'RangeFunction' && kind !== 'quals'
  })
  return { sources, conditions }
}

/** Finds the parameter that a column must equal, in the query itself: Citus routes nothing by a column of the query around it. */
const findParameter = (column: string, { equal }: Level): string | undefined =>
  equal.flatMap(([a, b]) => (a === column ? [b] : b === column ? [a] : [])).find((name) => name.startsWith('$'))

const queryKinds: ReadonlySet<string> = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'])

/** Checks one statement. */
class Check {
  readonly faults: string[] = []
  readonly parameters = new Set<string>()
  readonly #catalogue: Catalogue

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  /** Checks a query with those within it. */
  query(kind: string, node: Tree, around?: Level): void {
    const ctes = listAt(treeAt(node, 'withClause'), 'ctes').map((each) => textAt(treeAt(each, 'CommonTableExpr'), 'ctename'))
    const own = new Set([...(around?.own ?? []), ...ctes])
    const target = treeAt(node, 'relation')
    const from = readFrom([...listAt(node, 'fromClause'), ...listAt(node, 'usingClause')])
    const named =
      target === undefined
        ? []
        : [{ table: textAt(target, 'relname'), alias: textAt(treeAt(target, 'alias'), 'aliasname') || textAt(target, 'relname') }]
    const sources = [...(kind === 'InsertStmt' ? [] : named), ...from.sources].filter(({ table }) => !own.has(table))
    const bare = { sources, own, equal: [] }
    const level = { ...bare, equal: [node['whereClause'], ...from.conditions].flatMap((each) => listEqualities(each, bare)) }
    for (const source of sources) this.#source(source, level)
    if (target !== undefined) this.#change(kind, node, textAt(target, 'relname'))
    this.#lock(node, sources)
    this.#within(node, level)
  }

  #source({ table, alias }: Source, level: Level): void {
    const distribution = this.#catalogue.distributionOf(table)
    if (distribution !== 'distributed') return
    const parameter = findParameter(`${alias}.connector_id`, level)
    if (parameter === undefined) this.faults.push(`${table} is not limited to one connector`)
    else this.parameters.add(parameter)
  }

  /** Two transactions that lock rows of a reference table wait for each other: Citus locks its shard in two modes, one after the other. */
  #lock(node: Tree, sources: readonly Source[]): void {
    for (const locking of listAt(node, 'lockingClause')) {
      const named = listAt(treeAt(locking, 'LockingClause'), 'lockedRels').map((each) => textAt(treeAt(each, 'RangeVar'), 'relname'))
      for (const { table, alias } of sources)
        if (this.#catalogue.distributionOf(table) === 'reference' && (named.length === 0 || named.includes(alias)))
          this.faults.push(`rows of the reference table ${table} are locked`)
    }
  }

  /** Checks the queries within a query. */
  #within(node: Tree, level: Level): void {
    walk(node, (kind, below) => {
      if (kind === 'larg' || kind === 'rarg') {
        if (below['op'] !== undefined) {
          this.query('SelectStmt', below, level)
          return false
        }
      }
      if (!queryKinds.has(kind)) return true
      this.query(kind, below, level)
      return false
    })
  }

  #change(kind: string, node: Tree, table: string): void {
    const distribution = this.#catalogue.distributionOf(table)
    if (distribution === undefined) return
    this.#volatility(node, table)
    const tables = listTables(node)
    if (distribution === 'reference' && tables.some((each) => this.#catalogue.distributionOf(each) === 'distributed'))
      this.faults.push(`a change of the reference table ${table} reads a distributed one`)
    if (kind === 'InsertStmt' && distribution === 'distributed') this.#insert(node, table)
  }

  #insert(node: Tree, table: string): void {
    const columns = listAt(node, 'cols').map((each) => textAt(treeAt(each, 'ResTarget'), 'name'))
    const at = columns.indexOf('connector_id')
    const select = treeAt(treeAt(node, 'selectStmt'), 'SelectStmt')
    const rows = listAt(select, 'valuesLists').map((each) => listAt(treeAt(each, 'List'), 'items')[at])
    const selected = treeAt(listAt(select, 'targetList')[at], 'ResTarget')?.['val']
    for (const value of rows.length > 0 ? rows : [selected]) {
      const name = nameOperand(value, { sources: [], own: new Set(), equal: [] })
      if (name === undefined) this.faults.push(`an insert into ${table} gives no connector`)
      else this.parameters.add(name)
    }
    const conflict = treeAt(node, 'onConflictClause')
    const set = listAt(conflict, 'targetList').map((each) => textAt(treeAt(each, 'ResTarget'), 'name'))
    if (set.includes('connector_id')) this.faults.push(`an insert into ${table} changes the connector`)
  }

  /** Volatile functions are refused in changes; stable ones may not depend on a column. */
  #volatility(node: Tree, table: string): void {
    for (const [name, calls] of listCalls(node)) {
      const volatility = this.#catalogue.volatility.get(name)
      if (volatility === 'v') this.faults.push(`a change of ${table} calls the volatile function ${name}`)
      const hasColumn = calls.some((call) => JSON.stringify(call).includes('"ColumnRef"'))
      if (volatility === 's' && hasColumn) this.faults.push(`a change of ${table} calls the stable function ${name} with a column`)
    }
  }

  /** A table of the server beside one of ours would be read on another machine. */
  mixture(value: unknown): void {
    const tables = listTables(value)
    const [ours, others] = [true, false].map((isOurs) =>
      tables.filter((table) => (this.#catalogue.distributionOf(table) !== undefined) === isOurs),
    )
    if (ours?.length && others?.length) this.faults.push(`${others.join(', ')} of the server beside ${ours.join(', ')}`)
  }

  functions(value: unknown): void {
    for (const name of listCalls(value).keys()) {
      const tables = this.#catalogue.readers.get(name)
      if (tables !== undefined) this.faults.push(`the function ${name} reads ${tables.join(', ')}`)
    }
  }
}

/** Returns a statement with its kind; for `explain`, the statement that it runs. */
const listKinds = (statement: Tree): readonly (readonly [string, unknown])[] =>
  Object.entries(treeAt(treeAt(statement, 'ExplainStmt'), 'query') ?? statement)

/** Finds what Citus would not run on the machine of one connector. */
export async function findFaults(text: string, catalogue: Catalogue): Promise<readonly string[]> {
  const check = new Check(catalogue)
  const { stmts = [] } = await parse(text)
  for (const { stmt } of stmts)
    for (const [kind, node] of listKinds(isTree(stmt) ? stmt : {})) {
      if (queryKinds.has(kind) && isTree(node)) check.query(kind, node)
      check.functions({ [kind]: node })
      if (queryKinds.has(kind)) check.mixture(node)
    }
  if (check.parameters.size > 1) check.faults.push(`several connectors: ${[...check.parameters].join(', ')}`)
  return [...new Set(check.faults)]
}
