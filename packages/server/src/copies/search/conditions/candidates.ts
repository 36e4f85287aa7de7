/**
 * Candidates of text conditions on columns with stored words: conditions on the array of words that a GIN index supports. A candidate
 * holds wherever its condition holds; the condition itself decides. A CASE hides the condition's selectivity from the planner. Otherwise
 * the planner would count it twice and take common words for rare ones.
 */
import type { Column, SearchTable } from '../columns.ts'
import { findRequiredWords, type RequiredWord } from '../tokens/tokenizer.ts'
import { listTextWords } from '../tokens/words.ts'
import type { Condition, Operand } from '../tree.ts'
import { type PathCondition, quoteColumn } from './sql-context.ts'
import { buildWordLookups, type LookupContext, takeLongest } from './text.ts'

/** Maximum number of words per lookup. */
const mostWords = 32

interface CandidateContext extends LookupContext {
  readonly table: SearchTable
}

function buildLikeLookups(parts: readonly RequiredWord[], { column, values }: CandidateContext, of: string): readonly string[] {
  const within = parts.flatMap((part) => ('within' in part ? [part.within] : []))
  const oneOf = parts.flatMap((part) => ('oneOf' in part ? [part.oneOf] : [])).slice(0, mostWords)
  const whole = oneOf.flatMap((words) => (words.length === 1 ? words : []))
  const found = takeLongest([...new Set(within)]).flatMap((word) => values.addLookup({ by: 'part', field: column.field, word }) ?? [])
  return [
    ...found.map((words) => `${of} && ${words}`),
    ...(whole.length === 0 ? [] : [`${of} @> ${values.add([...new Set(whole)], 'text[]')}`]),
    ...oneOf.filter((words) => words.length > 1).map((words) => `${of} && ${values.add(words, 'text[]')}`),
  ]
}

/** Finds the words that a value must have to equal a string. In JSON a string may equal a number or a boolean, which have other words. */
function findEqualWords(operand: Operand | undefined, column: Column): readonly string[] {
  if (operand?.is !== 'text') return []
  const isOnlyText = column.type === 'text' || (operand.number === undefined && !/^(true|false)$/.test(operand.text))
  return isOnlyText ? [...new Set(listTextWords(operand.text))].slice(0, mostWords) : []
}

function buildPathCandidates(condition: PathCondition, target: CandidateContext, of: string): readonly string[] {
  const { column, values } = target
  if ('tokens' in condition) return buildWordLookups(condition, target, of)
  switch (condition.op) {
    case 'equals':
    case 'contains': {
      const operands = condition.op === 'equals' ? condition.values : [condition.value]
      const isCodePoints = condition.path.compare === 'text' && operands.length === 1
      const words = isCodePoints ? findEqualWords(operands[0], column) : []
      return words.length === 0 ? [] : [`${of} @> ${values.add(words, 'text[]')}`]
    }
    case 'like':
      return buildLikeLookups(condition.pattern.literals.flatMap(findRequiredWords), target, of)
    case 'any':
      return buildCandidates(condition.of, target)
    case 'order':
      return []
  }
}

/** Builds conditions on a column's stored words that hold wherever the condition on the column holds. The list is often empty. */
export function buildCandidates(condition: Condition, target: CandidateContext): readonly string[] {
  const { words, terms } = target.column
  if (words !== 'stored' || terms === undefined) return []
  if (condition.op === 'and') return condition.of.flatMap((each) => buildCandidates(each, target))
  if (condition.op === 'or' || condition.op === 'not' || condition.op === 'related') return []
  return buildPathCandidates(condition, target, quoteColumn(terms))
}

/** Joins a condition with its candidates. */
export const addCandidates = (condition: string, candidates: readonly string[]): string =>
  candidates.length === 0 ? condition : `(${candidates.join(' and ')} and case when ${condition} then true end)`
