/** The same questions for the context store and for its peers, each in the words of that database. */
import { callOf } from './store-records.ts'

/** Records that are asked about. With more, the peers only take longer. */
export const records = 200_000
const limit = 100

/** Statements of a question, each with its one value; without those of a peer that has no such question. */
export interface Question {
  readonly name: string
  /** The search. */
  readonly query: object
  readonly postgres?: string
  readonly duckdb?: string
  readonly sqlite?: string
  readonly value?: string
  /** True when the peers mean something else by it, so they find other records. */
  readonly isAlike?: true
}

const call = callOf(123_456 % records)
const words = String(call['title']).split(' ')
const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? ''
/** The word with its last letter but one missing. */
const misspelt = longest.slice(0, -2) + longest.slice(-1)
const part = words.slice(2, 4).join(' ')
const byKey = [{ id: 'asc' }] as const

const where = (condition: string): string => `select * from plain where ${condition} order by id limit ${limit + 1}`
const sorted = `select * from plain order by duration, title, id limit ${limit + 1}`
/** An index of FTS5 finds numbers of rows. */
const matched = (index: string): string =>
  `select plain.* from ${index} join plain on plain.rowid = ${index}.rowid where ${index} match ? order by plain.id limit ${limit + 1}`

/** All questions; each search asks for the same page as the statements. */
export const questions: readonly Question[] = [
  {
    name: 'eq',
    query: { filter: { eq: { clientUniqueId: call['clientUniqueId'] } } },
    postgres: where('"clientUniqueId" = $1'),
    duckdb: where('"clientUniqueId" = $1'),
    sqlite: where('"clientUniqueId" = ?'),
    value: String(call['clientUniqueId']),
  },
  { name: 'sort', query: { sort: [{ duration: 'asc' }, { title: 'asc' }] }, postgres: sorted, duckdb: sorted, sqlite: sorted },
  {
    name: 'sort-text',
    query: { sort: [{ title: 'asc' }] },
    postgres: sorted.replace('duration, ', ''),
    duckdb: sorted.replace('duration, ', ''),
  },
  {
    name: 'like',
    query: { filter: { like: { title: part } }, sort: byKey },
    postgres: where("title like '%' || $1 || '%'"),
    duckdb: where('contains(title, $1)'),
    sqlite: matched('parts'),
    value: part,
  },
  {
    name: 'keyword',
    query: { filter: { keyword: { title: longest } }, sort: byKey },
    postgres: where(`to_tsvector('simple', title) @@ plainto_tsquery('simple', $1)`),
    duckdb: where(`list_contains(string_split(title, ' '), $1)`),
    sqlite: matched('words'),
    value: longest,
  },
  {
    name: 'fuzzy',
    query: { filter: { fuzzy: { title: misspelt } }, sort: byKey },
    postgres: where('$1 <% title'),
    duckdb: where(`len(list_filter(string_split(title, ' '), lambda word: damerau_levenshtein(word, $1) <= 1)) > 0`),
    value: misspelt,
    isAlike: true,
  },
]

/** Parameters of the search for a question. */
export const paramsOf = ({ query }: Question) => ({ query, limit })
