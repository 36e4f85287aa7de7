/** Records that were found, as clients see them. */
import { parseJson } from 'ferrule/engine'
import { countEdits, fillLink, findTitle, isObject, readRecordText, readSlug, relatedName } from 'ferrule/internal'
import type { SearchHit } from 'ferrule/wire'
import { iso } from '../../values/ids.ts'
import type { EntityRef } from '../entity-ref.ts'
import { parseKeyValue } from '../search/keys.ts'
import { splitText } from '../search/tokens/tokenizer.ts'
import type { SearchQuery } from '../search/tree.ts'
import type { SearchedConnector } from '../sync-types.ts'
import type { SortedCopy } from './hit-positions.ts'
import type { EntityPlan } from './plan.ts'

/** A word that is looked for. */
interface Sought {
  readonly text: string
  /** Allowed typing errors. */
  readonly distance: number
  /** True: only the whole word counts. */
  readonly isWhole: boolean
}

/** A field whose texts are looked at, with its words. */
interface SoughtField {
  readonly name: string
  readonly words: readonly Sought[]
}

/** Lists the fields that a search looks for words in. `first` come first. */
function listSoughtFields({ relevance }: SearchQuery, first: readonly (string | undefined)[]): readonly SoughtField[] {
  const byName = new Map<string, Sought[]>()
  for (const { condition, within } of relevance?.of ?? []) {
    const name = (within[0] ?? condition.path).column?.name
    if (name === undefined) continue
    const words = byName.get(name) ?? []
    for (const { text, distance } of condition.tokens)
      if (!words.some((word) => word.text === text)) words.push({ text, distance, isWhole: condition.op === 'keyword' })
    byName.set(name, words)
  }
  const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length)
  return [...byName].map(([name, words]) => ({ name, words })).toSorted((a, b) => rank(a.name) - rank(b.name))
}

/** Characters of a snippet, and of those before the first word that was found. */
const [longest, lead] = [200, 60]
/** Characters of a record that are looked at. */
const mostCharacters = 200_000

/** Pieces of a text that can be a word, some joined: `Wi-Fi`. Quantifiers are bounded, see the tokenizer. */
const chains = /[\p{L}\p{M}\p{N}\p{Cf}]{1,250}(?:[-.'’/][\p{L}\p{M}\p{N}\p{Cf}]{1,250}){0,5}[+#]{0,2}/gu
const pieces = /[\p{L}\p{M}\p{N}\p{Cf}]{1,250}[+#]{0,2}/gu

/** Begin and end in a text. */
type Range = readonly [from: number, to: number]

const isFound = (word: string, { text, distance, isWhole }: Sought): boolean =>
  word === text ||
  (!isWhole && word.startsWith(text)) ||
  (distance > 0 && Math.abs(word.length - text.length) <= distance && countEdits(word, text) <= distance)

/** A part of a text where words were found. */
interface FoundWords {
  readonly range: Range
  readonly words: readonly Sought[]
}

/** Finds words in a run without spaces, where a word of the search is a pair of characters. */
const findWithin = (piece: string, sought: readonly Sought[]): readonly FoundWords[] =>
  sought.flatMap((word) => {
    const at = [...word.text].length <= 2 ? piece.toLowerCase().indexOf(word.text) : -1
    return at < 0 ? [] : [{ range: [at, at + word.text.length], words: [word] }]
  })

const withoutSpaces = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/u

function findInPiece(piece: string, sought: readonly Sought[]): readonly FoundWords[] {
  const words = splitText(piece)
  const found = sought.filter((each) => words.some((word) => isFound(word, each)))
  if (found.length === 0) return []
  const parts = withoutSpaces.test(piece) ? findWithin(piece, found) : []
  return parts.length > 0 ? parts : [{ range: [0, piece.length], words: found }]
}

const move = ({ range: [from, to], words }: FoundWords, by: number): FoundWords => ({ range: [from + by, to + by], words })

function findWords(text: string, sought: readonly Sought[]): readonly FoundWords[] {
  return [...text.matchAll(chains)].flatMap(({ 0: chain, index }) => {
    const inPieces = [...chain.matchAll(pieces)].flatMap((piece) => findInPiece(piece[0], sought).map((found) => move(found, piece.index)))
    return (inPieces.length > 0 ? inPieces : findInPiece(chain, sought)).map((found) => move(found, index))
  })
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)]
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return parts.flatMap(listTexts)
}

function mergeRanges(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

const isInPair = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '')

/** Text around the first of the found words, with the ranges of all within it. */
interface Snippet {
  readonly field: string
  readonly text: string
  readonly ranges: readonly Range[]
}

/** Cuts a text around its first range. White space becomes single characters, so that ranges stay. */
function cut(field: string, text: string, ranges: readonly Range[]): Snippet {
  const plain = text.replace(/\s/g, ' ')
  const first = ranges[0]?.[0] ?? 0
  const space = plain.indexOf(' ', Math.max(0, first - lead))
  let from = first <= lead ? 0 : space >= 0 && space < first ? space + 1 : first
  let to = Math.min(plain.length, from + longest)
  if (isInPair(plain, from)) from += 1
  if (isInPair(plain, to)) to -= 1
  const [before, behind] = [from > 0 ? '…' : '', to < plain.length ? '…' : '']
  const by = before.length - from
  const within = mergeRanges(ranges).filter(([begin, end]) => begin >= from && end <= to)
  return { field, text: `${before}${plain.slice(from, to)}${behind}`, ranges: within.map(([begin, end]) => [begin + by, end + by]) }
}

/** Finds the text of a record with the most words of a search; the earlier field of two alike. */
function findSnippet(record: Readonly<Record<string, unknown>>, fields: readonly SoughtField[]): Snippet | undefined {
  let best: { readonly count: number; readonly snippet: Snippet } | undefined
  let left = mostCharacters
  for (const { name, words } of fields)
    for (const whole of listTexts(record[name])) {
      const text = whole.slice(0, left)
      left -= text.length
      const found = findWords(text, words)
      const count = new Set(found.flatMap((each) => each.words)).size
      if (count > (best?.count ?? 0))
        best = {
          count,
          snippet: cut(
            name,
            whole,
            found.map(({ range }) => range),
          ),
        }
      if (left === 0 || (best !== undefined && best.count === words.length)) return best?.snippet
    }
  return best?.snippet
}

/** A copy that is searched. */
export interface SoughtCopy extends SortedCopy {
  readonly of: SearchedConnector
  readonly ref: EntityRef
  readonly syncedAt: number
  readonly plan: EntityPlan
}

/** Describes a connector in a hit. */
export const describeConnector = ({ ref, name, kind }: SearchedConnector): SearchHit['connector'] => ({
  id: ref.connectorId,
  name,
  kind: readSlug(kind.definition.kind),
})

/** Makes the function that describes records of a copy. */
export function createDescriber({ of, entity, plan, syncedAt }: SoughtCopy, query: SearchQuery): (pk: string, json: string) => SearchHit {
  const { entities } = of.kind.definition
  const definition = entities[entity] ?? { about: '', key: [] }
  const title = findTitle(definition)
  const fields = listSoughtFields(query, [title, definition.summary])
  const { configuration } = of
  return (pk, json) => {
    const parsed = parseJson(json)
    const record = isObject(parsed) ? parsed : {}
    const summary = readRecordText(record, definition.summary)
    const found = findSnippet(record, fields)
    const related = record[relatedName]
    return {
      connector: describeConnector(of),
      entity,
      key: parseKeyValue(plan.table.key, pk) ?? pk,
      title: readRecordText(record, title) ?? null,
      snippet: found ?? (summary === undefined ? null : cut(definition.summary ?? '', summary, [])),
      time: readRecordText(record, plan.time?.name) ?? null,
      link: fillLink(definition.link, { record, configuration }) ?? null,
      synced_at: iso(syncedAt),
      ...(plan.included.include.length > 0 && isObject(related) ? { related } : {}),
    }
  }
}
