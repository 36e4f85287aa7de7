/**
 * Lookups in the term table: which listed words a misspelled word, a beginning or a part of a word stands for. A search runs them in a
 * statement of its own. The words it finds are values of the search, so the planner can distinguish rare from common ones.
 *
 * Between the two statements a writer can list a word and change a row to it; the search would miss this row. So both statements read
 * `cs_entities.listed`, which counts the changes of the listed words. The search returns nothing when the number differs, and starts over.
 */
import { buildIsSwapped, isNoNumber } from '../functions.ts'
import { buildStatement, type NumberedLookup, type SearchStatement, type SqlValue, Values } from '../statement.ts'
import type { Lookup } from '../terms.ts'

/** Maximum number of words of a lookup. With more, every row is a candidate and only the final check decides. */
export const mostTerms = 1000
/** Greater than every other character of a word. */
export const lastCharacter = '\u{10ffff}'
/** In the stored words of every value. */
export const everyRow = ['']
/** The mark of shortened words (`toStoredWords`), which contain every part. */
const cutWord = ' '
/** Number of changes where no row was ever written. */
export const neverListed = '-1'

/**
 * Adds the number of changes that the words were looked up at; `fillLookups` sets it.
 * @returns its placeholder, and the index of the value
 */
export function addListedAt(values: Values): { readonly placeholder: string; readonly at?: number } {
  if (values.source.listed !== undefined) return { placeholder: values.source.listed }
  const placeholder = values.add(neverListed, 'text')
  return { placeholder, at: values.list.length - 1 }
}

const selectOne = (name: string, { source }: Values): string =>
  `coalesce((select e.listed from cs_entities e where e.connector_id = ${source.connector} and e.name = ${name}), ${neverListed})::text`

/** Selects the numbers of changes of the listed words of some tables. */
export const selectListed = (tables: readonly string[], values: Values): string =>
  tables.map((table) => selectOne(values.add(table, 'text'), values)).join(" || ' ' || ")

const selectTerms = (from: string, condition: string): string =>
  `array(select t.term from ${from} where ${condition} limit ${mostTerms + 1})`

function selectNear({ field, word, distance }: Extract<Lookup, { readonly by: 'error' }>, values: Values): string {
  const asked = values.add(word, 'text')
  const size = [...word].length
  const far = String(2 * distance)
  const apart = `case when starts_with(term, ${asked}) then 0 when length(term) between ${size - distance} and ${size + distance} then
    levenshtein_less_equal(term, ${asked}, ${far}) else ${Number(far) + 1} end as apart`
  const listed = `(select term, ${apart} from cs_terms where connector_id = ${values.source.connector} and field = ${field} offset 0) t`
  return selectTerms(listed, `apart <= ${distance} or (${buildIsSwapped('term', { asked, distance: String(distance), far })})`)
}

function selectFound(lookup: Lookup, values: Values): string {
  if (lookup.by === 'error' && lookup.distance > 0) return selectNear(lookup, values)
  const { by, field, word } = lookup
  const own = `t.connector_id = ${values.source.connector} and t.field = ${field}`
  if (by === 'part') return selectWithPart(own, word, values)
  const condition = `t.term >= ${values.add(word, 'text')} and t.term < ${values.add(`${word}${lastCharacter}`, 'text')}`
  return selectTerms('cs_terms t', `${own} and ${condition}`)
}

/** Selects words with a part. The index has no numbers (`termTable`), and only a part of digits can be in one: these are read in order. */
function selectWithPart(own: string, part: string, values: Values): string {
  const hasPart = `${own} and t.term like ${values.add(`%${part}%`, 'text')}`
  const indexed = `${hasPart} and ${isNoNumber('t.term')}`
  if (/[^0-9]/.test(part)) return selectTerms('cs_terms t', indexed)
  const numbers = `${hasPart} and t.term >= '0' and t.term < ':' and not ${isNoNumber('t.term')}`
  const both = `(select t.term from cs_terms t where ${indexed} union all select t.term from cs_terms t where ${numbers})`
  return selectTerms(`${both} t`, 'true')
}

/**
 * Builds the statement that runs the lookups of a search.
 * @param scope number of the connector, and names of the tables that are searched
 */
export function buildLookupStatement(
  search: SearchStatement,
  scope: { readonly connector: number; readonly tables: readonly string[] },
): SearchStatement {
  const values = new Values()
  values.add(scope.connector, 'int4')
  return buildStatement(writeLookups(search.lookups, scope.tables, values), values)
}

/** Writes lookups for the connector of `values`: a row with their words, and the number of changes. */
export function writeLookups(lookups: readonly NumberedLookup[] = [], tables: readonly string[], values: Values): string {
  const listed = selectListed(tables, values)
  const found = lookups.map(({ lookup }, index) => `to_json(${selectFound(lookup, values)})::text as w${index}`)
  return `select ${[...found, `${listed} as listed`].join(', ')}`
}

const chooseWords = ({ by }: Lookup, found: unknown): readonly string[] => {
  const words: unknown = JSON.parse(String(found))
  if (!Array.isArray(words) || words.length > mostTerms) return everyRow
  return [...words.map(String), ...(by === 'part' ? [cutWord] : [])]
}

/** Words of the lookups of a search, in their order. */
export interface FoundWords {
  /** Number of changes that the words were read at. */
  readonly listed: string
  readonly words: readonly (readonly string[])[]
}

/** Parses the row of `buildLookupStatement`. */
export const parseFoundWords = (search: SearchStatement, row: Readonly<Record<string, unknown>> | undefined): FoundWords => ({
  listed: String(row?.['listed']),
  words: (search.lookups ?? []).map(({ lookup }, index) => chooseWords(lookup, row?.[`w${index}`])),
})

/** Puts the words that were found, and the number of changes, among the values of a search. */
export function fillLookups(search: SearchStatement, { listed, words }: FoundWords): SearchStatement {
  const values: SqlValue[] = [...search.values]
  for (const [index, { at }] of (search.lookups ?? []).entries()) values[at] = words[index] ?? everyRow
  if (search.listedAt !== undefined) values[search.listedAt] = listed
  return { ...search, values }
}
