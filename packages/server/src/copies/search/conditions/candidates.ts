/**
 * Candidates of text conditions on columns with stored words: conditions on the array of words that a GIN index supports. A candidate
 * holds wherever its condition holds; the condition itself decides. A CASE hides the condition's selectivity from the planner. Otherwise
 * the planner would count it twice and take common words for rare ones.
 */
import type { Column, SearchTable } from '../columns.ts'
import type { Values } from '../statement.ts'
import { findRequiredWords, type QueryToken, type RequiredWord } from '../tokens/tokens.ts'
import { listTextWords } from '../tokens/words.ts'
import type { Condition, Operand } from '../tree.ts'
import { type PathCondition, quoteColumn } from './sql-context.ts'

/** Maximum number of lookups per condition; the longest words select best. */
const mostLookups = 4
/** Maximum number of words per lookup. */
const mostWords = 32

/** Column and values that candidates are built for. */
export interface CandidateContext {
  readonly table: SearchTable
  readonly column: Column
  readonly values: Values
}

const countCharacters = (word: string): number => [...word].length

const takeLongest = (words: readonly string[]): readonly string[] =>
  words.toSorted((a, b) => countCharacters(b) - countCharacters(a)).slice(0, mostLookups)

function buildFuzzyLookups(tokens: readonly QueryToken[], { column, values }: CandidateContext, of: string): readonly string[] {
  const distances = new Map(tokens.map(({ text, distance }) => [text, distance]))
  return takeLongest([...distances.keys()]).flatMap((word) => {
    const found = values.addLookup({ by: 'error', field: column.field, word, distance: distances.get(word) ?? 0 })
    return found === undefined ? [] : [`${of} && ${found}`]
  })
}

/** Builds conditions on whole words and on prefixes; the index supports both. */
function buildKeywordLookups(tokens: readonly QueryToken[], { column, values }: CandidateContext, of: string): readonly string[] {
  const whole = tokens.filter(({ isBeginning }) => !isBeginning).map(({ text }) => text)
  const beginnings = tokens.filter(({ isBeginning }) => isBeginning).map(({ text }) => text)
  if (beginnings.length > mostLookups) return []
  const found = beginnings.map((word) => values.addLookup({ by: 'beginning', field: column.field, word }))
  if (found.includes(undefined)) return []
  const lists = [...(whole.length === 0 ? [] : [values.add(whole, 'text[]')]), ...found]
  return [`${of} && ${lists.length === 1 ? lists[0] : `(${lists.join(' || ')})`}`]
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
    case 'fuzzy':
      return buildFuzzyLookups(condition.tokens, target, of)
    case 'keyword':
      return buildKeywordLookups(condition.tokens, target, of)
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
  if (condition.op === 'or' || condition.op === 'not') return []
  return buildPathCandidates(condition, target, quoteColumn(terms))
}

/** Joins a condition with its candidates. */
export const addCandidates = (condition: string, candidates: readonly string[]): string =>
  candidates.length === 0 ? condition : `(${candidates.join(' and ')} and case when ${condition} then true end)`
