/** What is searched in each entity: `text` becomes a filter of today's grammar, and the order is the same for all entities. */
import type { FerruleError } from 'ferrule'
import { failField } from '../../values/read.ts'
import type { EntityRef } from '../entity-ref.ts'
import { type Column, findMainTime, type SearchTable } from '../search/columns.ts'
import { splitQuery } from '../search/tokens/tokenizer.ts'
import type { Condition, ScoredCondition, SearchQuery, WordsCondition } from '../search/tree.ts'
import type { Searcher } from '../searcher.ts'
import { type IncludePlan, planInclude, type WantedInclude } from './include.ts'
import { isUnfit, toOwnError } from './refusals.ts'

/** What is looked for. */
export interface Wanted {
  readonly text?: string | undefined
  readonly filter?: unknown
  readonly include?: WantedInclude | undefined
}

/** Maximum number of conditions that the words of a text become. With more, all words are in one field. */
const mostOfWords = 200

/** Splits a text into its words. @throws FerruleError `validation_failed` */
export function splitWords({ text }: Wanted): readonly string[] {
  if (text === undefined) return []
  const words = text.split(/\s+/).filter((word) => splitQuery(word).length > 0)
  if (words.length > 0) return words
  throw failField('/text', 'must hold a letter or a digit', 'words')
}

/** Words that one field must have, each as its tokens. */
export type WordGroup = readonly string[]

/** The search of one entity. */
export interface EntityPlan {
  readonly table: SearchTable
  /** Numbers of the columns with listed words; `text` looks there. */
  readonly fields: readonly number[]
  /** Words of `text`: some field must have all words of a group. */
  readonly groups: readonly WordGroup[]
  /** Field with the main time. */
  readonly time: Column | undefined
  /** Words as they were written, or as their beginning. */
  readonly exact: SearchQuery
  /** Words with typing errors too, as `fuzzy` takes them. */
  readonly near: SearchQuery
  /** What the records come with. Only the records of a page are read with it. */
  readonly included: IncludePlan
}

/** Why an entity cannot be searched for what is wanted: the first refusal of its filter. */
export interface Unfit {
  readonly refusal: FerruleError
}

const withoutErrors = (condition: WordsCondition): WordsCondition => ({
  ...condition,
  tokens: condition.tokens.map((token) => ({ ...token, distance: 0 })),
})

function withoutErrorsBelow(condition: Condition): Condition {
  if (condition.op === 'and' || condition.op === 'or') return { ...condition, of: condition.of.map(withoutErrorsBelow) }
  return 'tokens' in condition ? withoutErrors(condition) : condition
}

/** Builds the filter of some words: each is in some field, or all in one where that would be too many conditions. */
function buildTextFilter(words: readonly string[], names: readonly string[]): object {
  const inSome = (word: string) => ({ or: names.map((name) => ({ fuzzy: { [name]: word } })) })
  return words.length * names.length <= mostOfWords ? { and: words.map(inSome) } : inSome(words.join(' '))
}

const groupWords = (words: readonly string[], fields: number): readonly WordGroup[] => {
  const groups = words.map((word) => splitQuery(word).map(({ text }) => text))
  return words.length * fields <= mostOfWords ? groups : [groups.flat()]
}

/** What plans are made with. */
export interface PlanParts {
  readonly searcher: Pick<Searcher, 'parse'>
  readonly wanted: Wanted
  readonly words: readonly string[]
}

/** The narrowest column: only the keys of the rows are needed. */
const chooseSelection = ({ columns }: SearchTable): SearchQuery['selection'] => {
  const column = columns.find(({ type }) => type !== 'json') ?? columns[0]
  return column && new Map([[column, true]])
}

/**
 * Plans the search of an entity.
 * @returns undefined where no field has words that `text` looks for
 */
export function planEntity({ searcher, wanted, words }: PlanParts, ref: EntityRef): EntityPlan | Unfit | undefined {
  try {
    const { filter, include = {} } = wanted
    const given = searcher.parse(ref, { query: filter === undefined ? {} : { filter } })
    const { table } = given
    const listed = words.length === 0 ? [] : table.columns.filter(({ words }) => words === 'stored')
    if (words.length > 0 && listed.length === 0) return undefined
    const names = listed.map(({ name }) => name)
    const text = words.length === 0 ? undefined : searcher.parse(ref, { query: { filter: buildTextFilter(words, names) } })
    const time = table.columns.find(({ at }) => at !== undefined && at === findMainTime(table))
    const build = (filterOfText: Condition | undefined, scored: readonly ScoredCondition[]): SearchQuery => {
      const of = [...scored, ...(given.relevance?.of ?? [])]
      const conditions = [filterOfText, given.filter].filter((each) => each !== undefined)
      return {
        ...given,
        filter: conditions.length === 1 ? conditions[0] : { op: 'and', of: conditions },
        relevance: of.length === 0 ? undefined : { at: 0, of },
        sort: time === undefined ? [] : [{ column: time, direction: 'desc' }],
        selection: chooseSelection(table),
      }
    }
    const scored = text?.relevance?.of ?? []
    const exact = scored.map((each) => ({ ...each, condition: withoutErrors(each.condition) }))
    return {
      table,
      fields: listed.map(({ field }) => field),
      groups: groupWords(words, listed.length),
      time,
      exact: build(text?.filter && withoutErrorsBelow(text.filter), exact),
      near: build(text?.filter, scored),
      included: planInclude(searcher, ref, include),
    }
  } catch (thrown) {
    if (isUnfit(thrown)) return { refusal: thrown }
    throw toOwnError(thrown)
  }
}
