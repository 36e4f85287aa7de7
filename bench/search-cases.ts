/** What is searched for: a case for each operator and for the shapes that cost most, each with several sets of values. */
import { callOf } from './store-records.ts'

/** One case. */
export interface SearchCase {
  /** Part of the line's name: `search-<name>`. */
  readonly name: string
  /** Whether it runs in a connector of 5,000 records instead of the large one. */
  readonly isSmall?: boolean
  /** Whether an index leads to its records, or gives their order. */
  readonly hasIndex: boolean
  /** Parameters by the number of the set; the same number always gives the same. */
  params(set: number, size: number): Readonly<Record<string, unknown>>
}

/** Records of a page. */
const limit = 100
/** Well spread over the records: a large prime. */
const spread = 7_368_787
/** Records of a connector are a minute apart; two weeks of them. */
const window = 14 * 24 * 60

const picked = (set: number, size: number): number => ((set + 1) * spread) % size
const callAt = (set: number, size: number) => callOf(picked(set, size))
const textOf = (value: unknown): string => String(value)
const wordsAt = (set: number, size: number): readonly string[] => textOf(callAt(set, size)['title']).split(' ')
/** The longest word of a title. */
const wordAt = (set: number, size: number): string => wordsAt(set, size).toSorted((a, b) => b.length - a.length)[0] ?? ''
/** A word with its last letter but one missing. */
const misspelt = (word: string): string => word.slice(0, -2) + word.slice(-1)

const filtered =
  (filter: (set: number, size: number) => unknown, sort?: readonly unknown[]): SearchCase['params'] =>
  (set, size) => ({
    query: { filter: filter(set, size), ...(sort === undefined ? {} : { sort }) },
    limit,
  })
/** Without a sort, searches for words are ordered by relevance (`relevance.ts` measures that). */
const byKey = [{ id: 'asc' }] as const
const startedFrom = (set: number, size: number): string => textOf(callOf(picked(set, Math.max(1, size - window)))['started'])
const startedTo = (set: number, size: number): string => textOf(callOf(picked(set, Math.max(1, size - window)) + window)['started'])

/** Cases with an index path in a large connector, then those without one, then a small connector, where everything is read. */
export const searchCases: readonly SearchCase[] = [
  { name: 'eq-key', hasIndex: true, params: filtered((set, size) => ({ eq: { id: callAt(set, size)['id'] } })) },
  {
    name: 'in-keys',
    hasIndex: true,
    params: filtered((set, size) => ({ in: { id: Array.from({ length: 50 }, (_, index) => callAt(set * 50 + index, size)['id']) } })),
  },
  { name: 'eq-common', hasIndex: true, params: filtered(() => ({ eq: { direction: 'Inbound' } })) },
  { name: 'neq', hasIndex: true, params: filtered(() => ({ neq: { isPrivate: true } })) },
  {
    name: 'gt-lt',
    hasIndex: true,
    params: filtered(
      (set, size) => ({ gt: { started: startedFrom(set, size) }, lt: { started: startedTo(set, size) } }),
      [{ started: 'desc' }],
    ),
  },
  {
    name: 'gte-lte',
    hasIndex: true,
    params: filtered(
      (set, size) => ({ gte: { started: startedFrom(set, size) }, lte: { started: startedTo(set, size) } }),
      [{ started: 'asc' }],
    ),
  },
  { name: 'sort-indexed', hasIndex: true, params: filtered(() => ({}), [{ started: 'desc' }]) },
  { name: 'like-rare', hasIndex: true, params: filtered((set, size) => ({ like: { title: wordsAt(set, size).slice(2, 4).join(' ') } })) },
  { name: 'like-common', hasIndex: true, params: filtered((set, size) => ({ like: { title: wordAt(set, size).slice(0, 4) } })) },
  {
    name: 'keyword',
    hasIndex: true,
    params: filtered((set, size) => ({ keyword: { title: wordsAt(set, size).slice(0, 2).join(' ') } }), byKey),
  },
  {
    name: 'fuzzy',
    hasIndex: true,
    params: filtered((set, size) => ({ fuzzy: { title: misspelt(wordAt(set, size)) } }), byKey),
  },
  {
    name: 'fuzzy-words',
    hasIndex: true,
    params: filtered((set, size) => ({ fuzzy: { title: wordsAt(set, size).slice(0, 2).map(misspelt).join(' ') } }), byKey),
  },
  {
    name: 'and-or-not',
    hasIndex: true,
    params: filtered((set, size) => ({
      and: [
        { or: [{ eq: { direction: 'Inbound' } }, { eq: { system: 'Zoom' } }] },
        { not: { eq: { isPrivate: true } } },
        { like: { title: wordsAt(set, size).slice(2, 4).join(' ') } },
      ],
    })),
  },
  {
    name: 'fields',
    hasIndex: true,
    params: (set, size) => ({
      query: { filter: { gte: { started: startedFrom(set, size) } }, sort: [{ started: 'asc' }] },
      fields: ['id', 'title'],
      limit,
    }),
  },
  {
    name: 'eq-unindexed',
    hasIndex: false,
    params: filtered((set, size) => ({ eq: { clientUniqueId: callAt(set, size)['clientUniqueId'] } })),
  },
  { name: 'sort-unindexed', hasIndex: false, params: filtered(() => ({}), [{ duration: 'asc' }, { title: 'asc' }]) },
  {
    name: 'small-eq',
    isSmall: true,
    hasIndex: true,
    params: filtered((set, size) => ({ eq: { clientUniqueId: callAt(set, size)['clientUniqueId'] } })),
  },
  { name: 'small-like', isSmall: true, hasIndex: true, params: filtered((set, size) => ({ like: { title: wordAt(set, size) } })) },
  {
    name: 'small-fuzzy',
    isSmall: true,
    hasIndex: true,
    params: filtered((set, size) => ({ fuzzy: { title: misspelt(wordAt(set, size)) } }), byKey),
  },
]
