/** Conditions on words, `fuzzy` and `keyword`, over an expression that selects the words of a value. */
import type { Values } from '../statement.ts'
import type { QueryToken } from '../tokens/tokens.ts'
import { joinOr } from './sql-context.ts'

/** Builds the condition that every query word matches a word. */
export function buildFuzzy(words: string, tokens: readonly QueryToken[], values: Values): string {
  const texts = values.add(
    tokens.map(({ text }) => text),
    'text[]',
  )
  const distances = values.add(
    tokens.map(({ distance }) => String(distance)),
    'int4[]',
  )
  return `cs_fuzzy(${words}, ${texts}, ${distances})`
}

const selectTexts = (tokens: readonly QueryToken[], isBeginning: boolean): readonly string[] =>
  tokens.filter((token) => token.isBeginning === isBeginning).map(({ text }) => text)

/**
 * Builds the condition that some query word is a word, or a prefix of a word where prefixes count as whole.
 * @param candidates conditions on stored words from `candidates.ts`; whole words need no other check
 */
export function buildKeyword(
  words: string,
  tokens: readonly QueryToken[],
  { candidates, values }: { candidates: readonly string[]; values: Values },
): string {
  const [whole, beginnings] = [selectTexts(tokens, false), selectTexts(tokens, true)]
  const [only] = candidates
  if (only !== undefined && beginnings.length === 0) return only
  const check = joinOr([
    whole.length > 0 && `${words} && ${values.add(whole, 'text[]')}`,
    beginnings.length > 0 && `cs_begins(${words}, ${values.add(beginnings, 'text[]')})`,
  ])
  return [...candidates, check].join(' and ')
}
