/**
 * Candidates of text conditions on columns whose words are stored: conditions on the array of words that a GIN index answers and
 * that hold wherever the condition holds. The condition itself decides. Its own selectivity is hidden from the planner in a CASE:
 * counted twice, common words would look rare.
 */
import type { Column } from './columns.ts'
import { columnSql, connector, type PlaceCondition } from './scene.ts'
import type { Values } from './statement.ts'
import type { Condition, Operand } from './tree.ts'
import { wordsOfText } from './words.ts'

/** Shortest part of a word that is looked up: trigrams. */
const shortestPart = 3
/** Most lookups for one condition; the longest words select best. */
const mostLookups = 4

interface Target {
  readonly column: Column
  readonly values: Values
}

const lengthOf = (word: string): number => [...word].length

const longest = (words: readonly string[]): readonly string[] => words.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, mostLookups)

const lookups = (words: readonly string[], { column, values }: Target, { name, of }: { name: string; of: string }): readonly string[] =>
  longest(words).map((word) => `${of} && ${name}(${connector}, ${column.field}, ${values.add(word, 'text')})`)

/** Words that a value must have to equal a text. In JSON a text may equal a number or a truth value, which have other words. */
function wordsOfEqual(operand: Operand | undefined, column: Column): readonly string[] {
  if (operand?.is !== 'text') return []
  const isOnlyText = column.type === 'text' || (operand.number === undefined && !/^(true|false)$/.test(operand.text))
  return isOnlyText ? [...new Set(wordsOfText(operand.text))].slice(0, 32) : []
}

function ofPlace(condition: PlaceCondition, target: Target, of: string): readonly string[] {
  const { column, values } = target
  switch (condition.op) {
    case 'equals':
    case 'contains': {
      const operands = condition.op === 'equals' ? condition.values : [condition.value]
      const isCodePoints = condition.place.compare === 'text' && operands.length === 1
      const words = isCodePoints ? wordsOfEqual(operands[0], column) : []
      return words.length === 0 ? [] : [`${of} @> ${values.add(words, 'text[]')}`]
    }
    case 'like': {
      const parts = condition.pattern.literals.flatMap(wordsOfText).filter((part) => lengthOf(part) >= shortestPart)
      return lookups([...new Set(parts)], target, { name: 'cs_like_terms', of })
    }
    case 'fuzzy':
      return lookups(condition.words, target, { name: 'cs_fuzzy_terms', of })
    case 'keyword':
      return [`${of} && ${values.add(condition.words, 'text[]')}`]
    case 'any':
      return impliedBy(condition.of, target)
    case 'order':
      return []
  }
}

/** Conditions on the stored words of a column that hold wherever a condition on it, or on a part of it, holds; often none. */
export function impliedBy(condition: Condition, target: Target): readonly string[] {
  const { words, terms } = target.column
  if (words !== 'stored' || terms === undefined) return []
  if (condition.op === 'and') return condition.of.flatMap((each) => impliedBy(each, target))
  if (condition.op === 'or' || condition.op === 'not') return []
  return ofPlace(condition, target, columnSql(terms))
}

/** A condition with its candidates. */
export const withCandidates = (condition: string, candidates: readonly string[]): string =>
  candidates.length === 0 ? condition : `(${candidates.join(' and ')} and case when ${condition} then true end)`
