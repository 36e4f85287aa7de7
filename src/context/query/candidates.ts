/**
 * Candidates of text conditions on columns whose words are stored: conditions on the array of words that a GIN index answers and
 * that hold wherever the condition holds. The condition itself decides. Its own selectivity is hidden from the planner in a CASE:
 * counted twice, common words would look rare.
 */
import type { Column, SearchTable } from './columns.ts'
import { columnSql, connector, type PlaceCondition } from './scene.ts'
import type { Values } from './statement.ts'
import { type QueryToken, type TokenPart, type TokenRules, tokenRules } from './tokens.ts'
import type { Condition, Operand } from './tree.ts'
import { wordsOfText } from './words.ts'

/** Most lookups for one condition; the longest words select best. */
const mostLookups = 4
/** Most words that are asked for at one time. */
const mostWords = 32

/** What candidates are made for. */
export interface Target {
  readonly table: SearchTable
  readonly column: Column
  readonly values: Values
}

const lengthOf = (word: string): number => [...word].length

const longest = (words: readonly string[]): readonly string[] => words.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, mostLookups)

/** A lookup among the listed words: the SQL function's first two arguments are the same in all of them. */
const lookup = (name: string, { column, values }: Target, word: string): string =>
  `${name}(${connector}, ${column.field}, ${values.add(word, 'text')}`

function fuzzyLookups(tokens: readonly QueryToken[], target: Target, of: string): readonly string[] {
  const { swapIsOne } = tokenRules[target.table.tokens]
  const distances = new Map(tokens.map(({ text, distance }) => [text, distance]))
  return longest([...distances.keys()]).map(
    (word) => `${of} && ${lookup('cs_fuzzy_terms', target, word)}, ${distances.get(word) ?? 0}, ${swapIsOne})`,
  )
}

/** Whole words, and words that begin with one of some texts: the index finds either. */
function keywordLookups(tokens: readonly QueryToken[], target: Target, of: string): readonly string[] {
  const whole = tokens.filter(({ isBeginning }) => !isBeginning).map(({ text }) => text)
  const beginnings = tokens.filter(({ isBeginning }) => isBeginning).map(({ text }) => text)
  if (beginnings.length > mostLookups) return []
  const lists = [
    ...(whole.length === 0 ? [] : [target.values.add(whole, 'text[]')]),
    ...beginnings.map((text) => `${lookup('cs_beginning_terms', target, text)})`),
  ]
  return [`${of} && ${lists.length === 1 ? lists[0] : `(${lists.join(' || ')})`}`]
}

function likeLookups(parts: readonly TokenPart[], target: Target, of: string): readonly string[] {
  const within = parts.flatMap((part) => ('within' in part ? [part.within] : []))
  const oneOf = parts.flatMap((part) => ('oneOf' in part ? [part.oneOf] : [])).slice(0, mostWords)
  const whole = oneOf.flatMap((words) => (words.length === 1 ? words : []))
  return [
    ...longest([...new Set(within)]).map((word) => `${of} && ${lookup('cs_like_terms', target, word)})`),
    ...(whole.length === 0 ? [] : [`${of} @> ${target.values.add([...new Set(whole)], 'text[]')}`]),
    ...oneOf.filter((words) => words.length > 1).map((words) => `${of} && ${target.values.add(words, 'text[]')}`),
  ]
}

/** Words that a value must have to equal a text. In JSON a text may equal a number or a truth value, which have other words. */
function wordsOfEqual(operand: Operand | undefined, column: Column, rules: TokenRules): readonly string[] {
  if (operand?.is !== 'text') return []
  const isOnlyText = column.type === 'text' || (operand.number === undefined && !/^(true|false)$/.test(operand.text))
  return isOnlyText ? [...new Set(wordsOfText(operand.text, rules))].slice(0, mostWords) : []
}

function ofPlace(condition: PlaceCondition, target: Target, of: string): readonly string[] {
  const { table, column, values } = target
  const rules = tokenRules[table.tokens]
  switch (condition.op) {
    case 'equals':
    case 'contains': {
      const operands = condition.op === 'equals' ? condition.values : [condition.value]
      const isCodePoints = condition.place.compare === 'text' && operands.length === 1
      const words = isCodePoints ? wordsOfEqual(operands[0], column, rules) : []
      return words.length === 0 ? [] : [`${of} @> ${values.add(words, 'text[]')}`]
    }
    case 'like':
      return likeLookups(
        condition.pattern.literals.flatMap((literal) => rules.parts(literal)),
        target,
        of,
      )
    case 'fuzzy':
      return fuzzyLookups(condition.tokens, target, of)
    case 'keyword':
      return keywordLookups(condition.tokens, target, of)
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
