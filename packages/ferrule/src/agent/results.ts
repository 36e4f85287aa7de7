/** Reads what an operation answered: its rows, and how to continue. */
import { isObject } from '../definition/object.ts'
import { buildProjection, toFieldPath } from '../values/fields.ts'
import { writeJson } from '../values/json/json.ts'
import { createRowReader } from '../values/rows/rows.ts'
import type { AgentRequest } from './source.ts'

/** Field of a statement's result that describes its columns. */
export const columnsField = 'resultSetMetaData'

/** Columns of a statement's result: only its first part describes them. */
export type Columns = readonly unknown[]

/** Rows of one answer. */
export interface Result {
  readonly rows: readonly unknown[]
  /** True: the answer is one record. */
  readonly isSingle: boolean
  /** True: the rows cannot be read again by the same call, because it would run the statement again. */
  readonly isOnce: boolean
  readonly columns: Columns | undefined
  /** What the answer says beside the rows: counts, age of a copy. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The call that reads what follows; undefined at the end. */
  readonly next: AgentRequest | undefined
}

/** Names of meta that say where the next page is: the handle of `read_more` holds them. */
const positions: ReadonlySet<string> = new Set([
  'next_params',
  'next_operation',
  'next_page_url',
  'cursor',
  'has_more',
  'partition_info',
  'took_ms',
])
/** Maximum number of characters of a fact. */
const longestFact = 200

const isFact = ([name, value]: readonly [string, unknown]): boolean =>
  !positions.has(name) && value !== null && value !== undefined && writeJson(value).length <= longestFact

const readFacts = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(isFact)) : {}

/** Merges the changes for the next call into parameters; null removes one. */
function mergeParams(params: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries({ ...params, ...changes }).filter(([, value]) => value !== null))
}

function readNext(request: AgentRequest, meta: Readonly<Record<string, unknown>>): AgentRequest | undefined {
  const { next_params: changes, next_operation: operation, has_more: hasMore, cursor } = meta
  if (hasMore === true && typeof cursor === 'string') return { ...request, params: { ...request.params, cursor } }
  if (!isObject(changes)) return undefined
  if (!isObject(operation)) return { ...request, params: mergeParams(request.params, changes) }
  return { entity: String(operation['entity']), action: String(operation['action']), params: changes }
}

/** Finds the columns that a part of a statement's result describes. */
function findColumns(data: Readonly<Record<string, unknown>>): Columns | undefined {
  const description = data[columnsField]
  const types = isObject(description) ? description['rowType'] : undefined
  return Array.isArray(types) ? types : undefined
}

/** Reads the rows of a statement's result as objects with typed cells; as they are where columns are unknown or do not fit. */
function readRows(cells: readonly unknown[], columns: Columns | undefined, params: AgentRequest['params']): readonly unknown[] {
  if (columns === undefined) return cells
  const read = createRowReader({ as: 'objects', params, vendor: 'The vendor' })({ [columnsField]: { rowType: columns } })
  return cells.map((row) => (Array.isArray(row) && row.length === columns.length ? read(row) : row))
}

const chooseFields = (rows: readonly unknown[], fields: AgentRequest['fields']): readonly unknown[] =>
  fields === undefined ? rows : rows.map(buildProjection(fields.map(toFieldPath)))

/** Reads how many rows all parts have. */
function countAll(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const description = data[columnsField]
  return isObject(description) && description['numRows'] !== undefined ? { rows_in_all_parts: description['numRows'] } : {}
}

/** Returns whether the call named the statement whose part it read: such a call runs nothing. */
function namesStatement({ params }: AgentRequest, meta: Readonly<Record<string, unknown>>): boolean {
  const handles = Object.values(meta).filter((value) => typeof value === 'string' && value.length >= 16)
  return Object.values(params).some((value) => handles.includes(value))
}

/**
 * Reads an answer.
 * @param request the call
 * @param answer `{ data, meta }` of the source
 * @param known columns of the statement, for its later parts
 */
export function readResult(request: AgentRequest, answer: unknown, known?: Columns): Result {
  const { data, meta: given, context_store: copy } = isObject(answer) ? answer : { data: answer, meta: {}, context_store: undefined }
  const meta = isObject(given) ? given : {}
  const next = readNext(request, meta)
  const facts = { ...readFacts(meta), ...(isObject(copy) ? { context_store: copy } : {}) }
  if (Array.isArray(data)) return { rows: data, isSingle: false, isOnce: false, columns: undefined, facts, next }
  const isStatement = Object.hasOwn(meta, 'next_operation') && isObject(data)
  const isOnce = isStatement && !namesStatement(request, meta)
  if (!isStatement || !Array.isArray(data['data'])) return { rows: [data], isSingle: true, isOnce, columns: known, facts, next }
  const columns = findColumns(data) ?? known
  const rows = chooseFields(readRows(data['data'], columns, request.params), request.fields)
  return { rows, isSingle: false, isOnce, columns, facts: { ...countAll(data), ...facts }, next }
}
