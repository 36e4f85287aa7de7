/** Reads the reference of a kind: Markdown of one line, the parts of a section, what a search finds, and the page that tries an example. */
import { isObject } from '../definition/object.ts'
import { formatFilter } from '../values/filter/format.ts'
import { writeJson } from '../values/json/json.ts'
import type { DefinitionReference, SkillBlock } from '../wire/definitions.ts'

/** A piece of a text. */
export interface InlinePiece {
  /** Where it begins in the text, in UTF-16 units; unique in its text. */
  readonly at: number
  readonly text: string
  readonly look?: 'code' | 'strong'
  /** Where a link leads. */
  readonly url?: string
}

const marks = /`(?<code>[^`]+)`|\*\*(?<strong>[^*]+)\*\*|\[(?<label>[^\]]+)\]\((?<url>[^)\s]+)\)/g

/** Splits Markdown of one line into pieces: code, strong words, links and plain text. */
export function readInline(text: string): readonly InlinePiece[] {
  const pieces: InlinePiece[] = []
  let end = 0
  for (const { index, 0: whole, groups = {} } of text.matchAll(marks)) {
    if (index > end) pieces.push({ at: end, text: text.slice(end, index) })
    end = index + whole.length
    const { code, strong, label = '', url = '' } = groups
    if (code !== undefined) pieces.push({ at: index, text: code, look: 'code' })
    else if (strong !== undefined) pieces.push({ at: index, text: strong, look: 'strong' })
    else pieces.push(...readInline(label).map((piece) => ({ ...piece, at: piece.at + index + 1, url })))
  }
  return end < text.length ? [...pieces, { at: end, text: text.slice(end) }] : pieces
}

/** Returns the words of Markdown of one line, without its signs. */
export const readPlain = (text: string): string =>
  readInline(text)
    .map((piece) => piece.text)
    .join('')

/** A section of a reference. */
export type ReferenceSection = DefinitionReference['sections'][number]

/** A part of a section: an action, a record, a scheme. */
export interface ReferencePart {
  /** Name for addresses, unique in its section: an action, `record`, or the name of a scheme; '' for what stands before the first heading. */
  readonly id: string
  readonly title: string
  readonly blocks: readonly SkillBlock[]
}

const buildId = (title: string): string => (/`([^`]+)`/.exec(title)?.[1] ?? title).toLowerCase().replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')

/** Splits a section at its headings. The headings of an entity begin with its name, which the parts leave out. */
export function splitSection({ title, blocks }: ReferenceSection): readonly ReferencePart[] {
  const parts: { id: string; title: string; blocks: SkillBlock[] }[] = [{ id: '', title: '', blocks: [] }]
  for (const block of blocks) {
    if (block.type !== 'heading') {
      parts.at(-1)?.blocks.push(block)
      continue
    }
    const text = block.text ?? ''
    const own = text.startsWith(`${title} `) ? text.slice(title.length + 1) : text
    parts.push({ id: buildId(own), title: own, blocks: [] })
  }
  return parts.filter((part) => part.title !== '' || part.blocks.length > 0)
}

/** Something that a search can find. */
export interface ReferenceEntry {
  readonly section: string
  /** Id of the part; '' for the section itself. */
  readonly part: string
  readonly title: string
  readonly about: string
}

/** Lists what a search finds in a reference: sections, their parts, and the rows of tables, which are fields. */
export function listReferenceEntries({ title, sections }: DefinitionReference): readonly ReferenceEntry[] {
  return sections.flatMap((section) => {
    const name = section.id.startsWith('entity:') ? section.title : readPlain(section.title)
    const parts = splitSection(section)
    return [
      { section: section.id, part: '', title: `${title} › ${name}`, about: section.summary },
      ...parts.flatMap((part) => listPartEntries(section, part, `${title} › ${name}`)),
    ]
  })
}

function listPartEntries({ id: section }: ReferenceSection, { id, title, blocks }: ReferencePart, within: string): ReferenceEntry[] {
  const name = title === '' ? within : `${within} › ${readPlain(title)}`
  // The table of the overview lists the entities, which are sections.
  const rows = section === 'overview' ? [] : blocks.flatMap((block) => block.rows ?? [])
  const about = readPlain(blocks.find(({ type }) => type === 'paragraph')?.text ?? '')
  return [
    ...(title === '' ? [] : [{ section, part: id, title: name, about }]),
    ...rows.map(([field = '', ...cells]) => {
      const said = cells.map(readPlain).filter(Boolean).join('; ')
      return { section, part: id, title: `${name} › ${readPlain(field)}`, about: said }
    }),
  ]
}

const mostTyped = { characters: 200, words: 8 } as const

const splitWords = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

/** Returns how well words fit, less is better; undefined: a word is missing. The last word of a title is the name of what was found. */
function rank({ title, about }: Pick<ReferenceEntry, 'title' | 'about'>, words: readonly string[]): number | undefined {
  const [name, said] = [title.toLowerCase(), about.toLowerCase()]
  if (!words.every((word) => name.includes(word) || said.includes(word))) return undefined
  const titleWords = splitWords(name)
  const own = titleWords.at(-1) ?? ''
  const last = words.at(-1) ?? ''
  const fit = own === last ? 0 : own.includes(last) ? 1 : words.every((word) => name.includes(word)) ? 2 : 3
  // Of entries that fit equally well, one with a shorter title is closer to the top of the reference.
  return fit * 100 + titleWords.length
}

/** Finds entries that have every typed word, the best ones first. @param most entries that are returned at most */
export function findReferenceEntries<T extends Pick<ReferenceEntry, 'title' | 'about'>>(
  entries: readonly T[],
  typed: string,
  most: number,
): readonly T[] {
  const words = splitWords(typed.slice(0, mostTyped.characters)).slice(0, mostTyped.words)
  if (words.length === 0) return []
  const found = entries.flatMap((entry) => {
    const at = rank(entry, words)
    return at === undefined ? [] : [{ entry, at }]
  })
  return found
    .toSorted((one, other) => one.at - other.at)
    .slice(0, most)
    .map(({ entry }) => entry)
}

/** An example of a reference. */
export type ReferenceExample = DefinitionReference['examples'][number]

/** A page of the console, with everything filled in that an example knows. */
interface Trial {
  /** Path below `/console`. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

/** Takes out what only the caller knows: values in angle brackets. The form asks for them. */
function dropPlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropPlaceholders).filter((each) => each !== undefined)
  if (!isObject(value)) return typeof value === 'string' && /^<.*>$/.test(value) ? undefined : value
  const members = Object.entries(value).map(([name, each]) => [name, dropPlaceholders(each)] as const)
  return Object.fromEntries(members.filter(([, each]) => each !== undefined))
}

function printFilter(params: unknown): string {
  const query = isObject(params) ? params['query'] : undefined
  return isObject(query) ? formatFilter(query['filter']) : ''
}

/** Finds where an example is tried: searches on the page of searches, everything else in the explorer. @param kind slug */
export function findTrial(kind: string, { entity, action, params }: ReferenceExample): Trial {
  if (action === 'context_store_search') return { path: '/search', params: { kind, entity, filter: printFilter(params) } }
  const known = writeJson(dropPlaceholders(params ?? {}))
  return { path: '/explorer', params: { kind, entity, action, ...(known === '{}' ? {} : { params: known }) } }
}
