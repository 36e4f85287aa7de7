/** Operators on words, over an expression that selects the words of a value, and their lookups among stored words. */
import type { OperatorOf } from 'ferrule/internal'
import type { Column } from '../columns.ts'
import type { Values } from '../statement.ts'
import type { QueryToken } from '../tokens/tokenizer.ts'
import type { WordsCondition } from '../tree.ts'
import { joinOr } from './sql-context.ts'

/** Maximum number of lookups per condition; the longest words select best. */
const mostLookups = 4

/** Column and values that lookups are built for. */
export interface LookupContext {
  readonly column: Column
  readonly values: Values
}

/** Values of the statement, and conditions on stored words that hold wherever the condition holds. */
interface TestContext {
  readonly candidates: readonly string[]
  readonly values: Values
}

/** Stands in the values of a lookup that found too many words: each row has it. */
const tooManyWords = `'{""}'::text[]`

interface WordsOperator {
  build(words: string, tokens: readonly QueryToken[], context: TestContext): string
  /** Builds candidates: conditions on stored words. @param of the stored words */
  findLookups(tokens: readonly QueryToken[], context: LookupContext, of: string): readonly string[]
}

/**
 * Builds the condition that the looked up words decide: without typing errors each of them begins with its query word, so a row that has one
 * matches. The planner computes it before the search. Undefined where they do not decide.
 */
function buildDecided(words: string, tokens: readonly QueryToken[], candidates: readonly string[]): string | undefined {
  const ofWords = `${words} && `
  const found = candidates.flatMap((each) => (each.startsWith(ofWords) ? [each.slice(ofWords.length)] : []))
  const isExact = tokens.every(({ distance }) => distance === 0) && found.length === new Set(tokens.map(({ text }) => text)).size
  return isExact ? found.map((list) => `${list} <> ${tooManyWords}`).join(' and ') : undefined
}

function buildFuzzy(words: string, tokens: readonly QueryToken[], { candidates, values }: TestContext): string {
  const texts = values.add(
    tokens.map(({ text }) => text),
    'text[]',
  )
  const distances = values.add(
    tokens.map(({ distance }) => String(distance)),
    'int4[]',
  )
  const decided = buildDecided(words, tokens, candidates)
  const check = `cs_fuzzy(${words}, ${texts}, ${distances})`
  return [...candidates, decided === undefined ? check : `(${decided} or ${check})`].join(' and ')
}

const selectTexts = (tokens: readonly QueryToken[], isBeginning: boolean): readonly string[] =>
  tokens.filter((token) => token.isBeginning === isBeginning).map(({ text }) => text)

/** Builds the condition that some query word is a word, or a prefix of a word where prefixes count as whole. Candidates decide on whole words. */
function buildKeyword(words: string, tokens: readonly QueryToken[], { candidates, values }: TestContext): string {
  const [whole, beginnings] = [selectTexts(tokens, false), selectTexts(tokens, true)]
  const [only] = candidates
  if (only !== undefined && beginnings.length === 0) return only
  const check = joinOr([
    whole.length > 0 && `${words} && ${values.add(whole, 'text[]')}`,
    beginnings.length > 0 && `cs_begins(${words}, ${values.add(beginnings, 'text[]')})`,
  ])
  return [...candidates, check].join(' and ')
}

const countCharacters = (word: string): number => [...word].length

/** Takes the longest words. */
export const takeLongest = (words: readonly string[]): readonly string[] =>
  words.toSorted((a, b) => countCharacters(b) - countCharacters(a)).slice(0, mostLookups)

function buildFuzzyLookups(tokens: readonly QueryToken[], { column, values }: LookupContext, of: string): readonly string[] {
  const distances = new Map(tokens.map(({ text, distance }) => [text, distance]))
  return takeLongest([...distances.keys()]).flatMap((word) => {
    const found = values.addLookup({ by: 'error', field: column.field, word, distance: distances.get(word) ?? 0 })
    return found === undefined ? [] : [`${of} && ${found}`]
  })
}

/** Builds conditions on whole words and on prefixes; the index supports both. */
function buildKeywordLookups(tokens: readonly QueryToken[], { column, values }: LookupContext, of: string): readonly string[] {
  const whole = tokens.filter(({ isBeginning }) => !isBeginning).map(({ text }) => text)
  const beginnings = tokens.filter(({ isBeginning }) => isBeginning).map(({ text }) => text)
  if (beginnings.length > mostLookups) return []
  const found = beginnings.map((word) => values.addLookup({ by: 'beginning', field: column.field, word }))
  if (found.includes(undefined)) return []
  const lists = [...(whole.length === 0 ? [] : [values.add(whole, 'text[]')]), ...found]
  return [`${of} && ${lists.length === 1 ? lists[0] : `(${lists.join(' || ')})`}`]
}

const operators: Readonly<Record<OperatorOf<'words'>, WordsOperator>> = {
  fuzzy: { build: buildFuzzy, findLookups: buildFuzzyLookups },
  keyword: { build: buildKeyword, findLookups: buildKeywordLookups },
}

/** Builds a condition on words. @param words expression that selects the words of a value */
export const buildWords = ({ op, tokens }: WordsCondition, words: string, context: TestContext): string =>
  operators[op].build(words, tokens, context)

/** Builds candidates of a condition on words. @param of the stored words */
export const buildWordLookups = ({ op, tokens }: WordsCondition, context: LookupContext, of: string): readonly string[] =>
  operators[op].findLookups(tokens, context, of)
