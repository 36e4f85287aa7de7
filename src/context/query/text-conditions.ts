/** Conditions on words: `fuzzy` and `keyword`, over an expression that gives the words of a value. */
import type { SearchTable } from './columns.ts'
import { either } from './scene.ts'
import type { Values } from './statement.ts'
import { type QueryToken, tokenRules } from './tokens.ts'

/** Every word of the query matches a word. */
export function fuzzySql(words: string, tokens: readonly QueryToken[], { table, values }: { table: SearchTable; values: Values }): string {
  const texts = values.add(
    tokens.map(({ text }) => text),
    'text[]',
  )
  const distances = values.add(
    tokens.map(({ distance }) => String(distance)),
    'int4[]',
  )
  return `cs_fuzzy(${words}, ${texts}, ${distances}, ${tokenRules[table.tokens].swapIsOne})`
}

const textsOf = (tokens: readonly QueryToken[], isBeginning: boolean): readonly string[] =>
  tokens.filter((token) => token.isBeginning === isBeginning).map(({ text }) => text)

/**
 * Some word of the query is a word, or begins one where that counts as whole.
 * @param candidates conditions on stored words, made by `candidates.ts`: whole words need no other check
 */
export function keywordSql(
  words: string,
  tokens: readonly QueryToken[],
  { candidates, values }: { candidates: readonly string[]; values: Values },
): string {
  const [whole, beginnings] = [textsOf(tokens, false), textsOf(tokens, true)]
  const [only] = candidates
  if (only !== undefined && beginnings.length === 0) return only
  const check = either([
    whole.length > 0 && `${words} && ${values.add(whole, 'text[]')}`,
    beginnings.length > 0 && `cs_begins(${words}, ${values.add(beginnings, 'text[]')})`,
  ])
  return [...candidates, check].join(' and ')
}
