/** The vendor's answer → rows. Pure. */
import type { RowRule } from '../definition/connector.ts'
import type { MergedRows } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { type ErrorDetails, type FerruleError, fail } from '../errors.ts'
import type { ApartValue } from './apart.ts'
import { readJson } from './json.ts'
import { TooDeep } from './json-depth.ts'
import type { CompiledOperation } from './operation.ts'
import type { Call } from './outcome.ts'
import { addLacking, getAt } from './paths.ts'
import { bodyWithRows } from './raw-rows.ts'

/** An HTTP answer with its body as text. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The same as bytes, where they were asked for. */
  readonly bytes?: Buffer
  /** What was read of a large body, which is not here any more. */
  readonly apart?: ReadApart
}

/** A large body that was read: why it cannot be, or what is around its records, and what was taken of it. */
export type ReadApart = { readonly flaw: string } | { readonly around: unknown; readonly value: ApartValue }

/** An `upstream_answer_invalid` error of an operation. */
export const invalidAnswer = ({ kind }: Pick<CompiledOperation, 'kind'>, reason: string, details: ErrorDetails = {}): FerruleError =>
  fail('upstream_answer_invalid', { vendor: kind.definition.title, reason }, details)

/** Why a body cannot be read. A SyntaxError is neither told nor kept as cause: its message quotes the body. */
export const flawOf = (thrown: unknown): string => (thrown instanceof TooDeep ? thrown.message : 'the body is not valid JSON')

/**
 * The answer's body.
 * @param rawRows how rows of a large one stay raw, where its bytes are there
 * @throws FerruleError `upstream_answer_invalid` when it is not JSON, or too deep
 */
export function bodyOf(operation: Pick<CompiledOperation, 'kind'>, answer: WireAnswer, rawRows?: Call['rawRows']): unknown {
  const { apart } = answer
  if (apart !== undefined && 'flaw' in apart) throw invalidAnswer(operation, apart.flaw, { upstream: { status: answer.status } })
  if (apart !== undefined) return apart.around
  try {
    return rawRows === undefined || answer.bytes === undefined ? readJson(answer.text) : bodyWithRows(answer.bytes, rawRows)
  } catch (thrown) {
    throw invalidAnswer(operation, flawOf(thrown), { upstream: { status: answer.status } })
  }
}

/** All values of a response header, in order. */
export const headersOf = ({ headers }: Pick<WireAnswer, 'headers'>, name: string): readonly string[] => {
  const value = headers[name] ?? []
  return Array.isArray(value) ? value : [value]
}

/** The first value of a response header. */
export const headerOf = (answer: Pick<WireAnswer, 'headers'>, name: string): string | undefined => headersOf(answer, name)[0]

/** Whether a row has the documented key: it is a record already, whatever shape the vendor's rows have otherwise. */
const isDocumented = ({ key }: CompiledOperation, row: unknown): boolean =>
  key.length > 0 && key.every((path) => getAt(row, path) !== undefined)

/**
 * A row that lies in parts, as one record. Keys are set one by one: to copy the row and delete its parts takes twice as long.
 * @throws FerruleError `upstream_answer_invalid` when it has none of them
 */
function mergedRow(operation: CompiledOperation, { merge, empty }: MergedRows, row: unknown): unknown {
  if (!isObject(row) || !(merge.some((part) => isObject(row[part])) || isDocumented(operation, row)))
    throw invalidAnswer(operation, `a row without ${merge.join(' and ')}`)
  const record: Record<string, unknown> = {}
  for (const part of merge) {
    const values = row[part]
    if (isObject(values)) for (const name in values) record[name] = values[name] === empty ? null : values[name]
  }
  for (const name in row) if (!merge.includes(name)) record[name] = row[name] === empty ? null : row[name]
  return record
}

/** The records of a row that a rule reads. @throws FerruleError `upstream_answer_invalid` when the rule makes none */
function ruledRows(operation: CompiledOperation, rule: RowRule, row: unknown): readonly unknown[] {
  if (!isObject(row)) return [row]
  const made: unknown = rule(row)
  if (Array.isArray(made)) return isDocumented(operation, row) ? [row] : made
  if (!isObject(made)) throw invalidAnswer(operation, `the rows of ${operation.entityName} cannot be made of it`)
  return [addLacking(row, made)]
}

/** How many rows the list of an answer has; undefined where it has none. */
export function listedIn(operation: CompiledOperation, body: unknown): number | undefined {
  const rows = getAt(body, operation.at)
  return Array.isArray(rows) ? rows.length : undefined
}

/**
 * The rows of a list, before shaping. An answer that says by its code that it is a success may lack the list: it has no rows then.
 * @throws FerruleError `upstream_answer_invalid` when there is no array where the definition says, or the rule of the kind makes none
 */
export function rowsOf(operation: CompiledOperation, body: unknown): readonly unknown[] {
  const found = getAt(body, operation.at)
  if ((found === undefined || found === null) && operation.kind.definition.problem.success !== undefined) return []
  if (!Array.isArray(found)) throw invalidAnswer(operation, `there is no array at "${operation.operation.at}"`)
  const { merged, rule } = operation
  if (merged !== undefined) return found.map((row) => mergedRow(operation, merged, row))
  return rule === undefined ? found : found.flatMap((row) => ruledRows(operation, rule, row))
}
