/** The condition of `text`: words in any field that holds a string. */
import type { Column, SearchTable } from './columns.ts'
import { parseFieldPath } from './field-paths.ts'
import { parseText, parseTokens } from './operands.ts'
import { invalid, type RequestPointer } from './refusals.ts'
import { splitQuery } from './tokens/tokens.ts'
import type { Condition } from './tree.ts'

/** Maximum number of conditions that words become. */
const mostConditions = 200

/** Returns whether a field holds strings that people write. Times and dates are compared, not read. */
function holdsWords({ schema }: Column): boolean {
  const type: unknown = Reflect.get(schema, 'type')
  return [type].flat().includes('string') && Reflect.get(schema, 'format') === undefined
}

/**
 * Builds the condition that each word is in some field. Where that would be too many conditions, all words are in one field.
 * @throws FerruleError `invalid_parameter`, `query_too_complex`
 */
export function parseAnyField(table: SearchTable, value: unknown, pointer: RequestPointer): Condition | undefined {
  if (value === undefined || value === null) return undefined
  const words = parseText(value, pointer)
    .split(/\s+/)
    .filter((word) => splitQuery(word).length > 0)
  if (words.length === 0) throw invalid(pointer, 'must hold a letter or a digit', 'words')
  const paths = table.columns.filter(holdsWords).map(({ name }) => parseFieldPath({ table }, name, pointer).path)
  if (paths.length === 0) throw invalid(pointer, `finds nothing in ${table.entity}: filter one of its fields`, 'fields')
  const inAnyField = (wanted: string): Condition => {
    const tokens = parseTokens(wanted, pointer)
    return { op: 'or', of: paths.map((path) => ({ op: 'fuzzy', path, tokens })) }
  }
  return words.length * paths.length <= mostConditions ? { op: 'and', of: words.map(inAnyField) } : inAnyField(words.join(' '))
}
