/** Reads the text of a kind file, YAML or JSON, into a small tree with places. Aliases and merge keys are resolved. */
import type { Alias, Document, LineCounter, Node, Pair, Scalar, YAMLMap } from 'yaml'
import { refusedNames } from '../definition/object.ts'
import type { Place, Said } from './mistakes.ts'

/** A value of the file. */
export type Tree = { readonly at: Place } & (
  | { readonly is: 'scalar'; readonly value: string | number | bigint | boolean | null; readonly text: string }
  | { readonly is: 'list'; readonly items: readonly Tree[] }
  | { readonly is: 'map'; readonly entries: readonly Entry[] }
)
/** A key with its value. */
export interface Entry {
  readonly key: string
  readonly at: Place
  readonly value: Tree
}
/** What a reader notes about the text. */
export type Note = (at: Place, said: Said) => void

/** Largest file, in bytes. */
const largestFile = 256 * 1024
/** Largest number of values after all aliases are resolved, and their deepest nesting. */
const most = { values: 50_000, depth: 24 }
const start: Place = { line: 1, column: 1 }
const commaSentence = 'a comma ended the sentence: quote it'

type Yaml = typeof import('yaml')

class TooLarge extends Error {}

class Reader {
  readonly #yaml: Yaml
  readonly #document: Document
  readonly #lines: LineCounter
  readonly #note: Note
  readonly #open = new Set<unknown>()
  #values = 0

  constructor(yaml: Yaml, { document, lines, note }: { document: Document; lines: LineCounter; note: Note }) {
    this.#yaml = yaml
    this.#document = document
    this.#lines = lines
    this.#note = note
  }

  place(offset: number | undefined): Place {
    const { line, col } = this.#lines.linePos(offset ?? 0)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  read(node: unknown, at: Place, depth = 0): Tree {
    this.#values += 1
    if (this.#values > most.values) throw new TooLarge(`has more than ${most.values} values after its aliases are resolved`)
    if (depth > most.depth) throw new TooLarge(`is nested more than ${most.depth} levels deep`)
    const { isAlias, isMap, isSeq, isScalar } = this.#yaml
    if (isAlias(node)) return this.#readAlias(node, at, depth)
    const place = this.#placeOf(node, at)
    this.#refuseTag(node, place)
    if (isMap(node)) return { is: 'map', at: place, entries: this.#readEntries(node, depth) }
    if (isSeq(node)) return { is: 'list', at: place, items: node.items.map((item) => this.read(item, place, depth + 1)) }
    return isScalar(node) ? this.#readScalar(node, place) : { is: 'scalar', at: place, value: null, text: '' }
  }

  #placeOf(node: unknown, at: Place): Place {
    const range = this.#yaml.isNode(node) ? node.range : undefined
    return range ? this.place(range[0]) : at
  }

  #refuseTag(node: unknown, at: Place): void {
    const tag = this.#yaml.isNode(node) ? node.tag : undefined
    if (tag !== undefined) this.#note(at, { message: `the tag ${tag} is not allowed: files have plain values only`, example: '"text"' })
  }

  #readScalar({ value, source }: Scalar, at: Place): Tree {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return { is: 'scalar', at, value: isPlain ? value : null, text: typeof value === 'string' ? value : (source ?? String(value)) }
  }

  #readAlias(alias: Alias, at: Place, depth: number): Tree {
    const node = alias.resolve(this.#document)
    const place = this.#placeOf(alias, at)
    if (node === undefined || this.#open.has(node)) {
      this.#note(place, { message: node === undefined ? `*${alias.source} has no anchor` : `*${alias.source} contains itself` })
      return { is: 'scalar', at: place, value: '', text: '' }
    }
    this.#open.add(node)
    const tree = this.read(node, place, depth)
    this.#open.delete(node)
    return tree
  }

  /** Reads the entries of a map. Those of a merge key come first, and the map's own replace them. */
  #readEntries(map: YAMLMap, depth: number): readonly Entry[] {
    const own: Entry[] = []
    const merged: Entry[] = []
    const known = new Set<string>() // the check of the parser compares each key with each other one
    for (const pair of map.items) {
      const read = this.#readPair(map, pair, depth)
      if (read === undefined) continue
      const { key, at } = read.entry
      if (known.has(key)) this.#note(at, { message: 'the key stands twice in the same map' })
      known.add(key)
      if (read.isMerge) merged.push(...this.#listMerged(read.entry.value, read.entry.at))
      else own.push(read.entry)
    }
    const names = new Set(own.map(({ key }) => key))
    const first = merged.filter(({ key }, index) => !names.has(key) && merged.findIndex((other) => other.key === key) === index)
    return [...first, ...own]
  }

  #listMerged(value: Tree, at: Place): readonly Entry[] {
    if (value.is === 'map') return value.entries
    if (value.is === 'list' && value.items.every((item) => item.is === 'map'))
      return value.items.flatMap((item) => this.#listMerged(item, at))
    this.#note(at, { message: '<< merges maps only', example: '<<: *base' })
    return []
  }

  #readPair(map: YAMLMap, { key, value }: Pair, depth: number): { readonly entry: Entry; readonly isMerge: boolean } | undefined {
    const at = this.#placeOf(key, start)
    if (!this.#yaml.isScalar(key)) {
      this.#note(at, { message: 'a key must be a word' })
      return undefined
    }
    this.#refuseTag(key, at)
    const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
    const isMerge = name === '<<' && key.type === 'PLAIN'
    if (refusedNames.has(name)) {
      this.#note(at, { message: `${name} cannot be a name: JavaScript uses it itself` })
      return undefined
    }
    if (isNull(this.#yaml, value)) {
      this.#note(at, {
        message: map.flow === true ? commaSentence : `${name} has no value`,
        ...(map.flow === true ? { example: 'name: "string Name, as people see it"' } : {}),
      })
      return undefined
    }
    return { entry: { key: name, at, value: this.read(value, at, depth + 1) }, isMerge }
  }
}

const isNull = ({ isScalar }: Yaml, value: unknown): boolean =>
  value === null || value === undefined || (isScalar(value) && value.value === null)

/** Sentences of the parser, and what they mean for people who write kinds. */
const syntax: readonly (readonly [RegExp, Said])[] = [
  [/Maximum call stack/, { message: `the file is nested more than ${most.depth} levels deep` }],
  [
    /flow-seq-start at node end/,
    { message: 'between { and } a text with [ ] must be quoted', example: 'labels: "string[] Names of labels"' },
  ],
  [
    /Nested mappings|compact mappings|Implicit keys/i,
    { message: 'a colon ended the sentence: quote it; or the next line is indented too far', example: 'about: "Issues: bugs and wishes"' },
  ],
  [/tabs? .*indent|indent.* tabs?/i, { message: 'indent with spaces, not with tabs' }],
  [
    /Flow (map|sequence).*(end with|sufficiently indented)/i,
    { message: 'a bracket is not closed', example: 'params: { state: open|closed State }' },
  ],
  [/closing ["']|Missing closing/i, { message: 'a quotation mark is not closed', example: "about: 'Issues'" }],
  [
    /same column|same level|indent/i,
    { message: 'the line is indented otherwise than those beside it: keys of one map begin in one column' },
  ],
]

/** Describes a mistake of the parser in our words. */
const describeSyntax = (code: string, message: string): Said => {
  if (code === 'TAG_RESOLVE_FAILED')
    return { message: 'tags are not allowed: files have plain values only', example: "about: '!important'" }
  if (code === 'TAB_AS_INDENT') return { message: 'indent with spaces, not with tabs' }
  const said = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
  return syntax.find(([pattern]) => pattern.test(said))?.[1] ?? { message: `this is not YAML: ${said}` }
}

/** Mistakes that leave the rest of the tree as it is. All others make more mistakes behind them, so only the first is told. */
const isMild = ({ code }: { readonly code: string }): boolean => code === 'TAG_RESOLVE_FAILED'

/** Reads a text into a tree. @returns undefined if there is nothing to check further */
export async function readTree(text: string, note: Note): Promise<Tree | undefined> {
  if (Buffer.byteLength(text) > largestFile) {
    note(start, { message: `the file is larger than ${largestFile / 1024} kB` })
    return undefined
  }
  const yaml = await import('yaml')
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(text, {
    ...{ version: '1.2', schema: 'core', merge: false, uniqueKeys: false, strict: true, prettyErrors: false, logLevel: 'silent' },
    lineCounter: lines,
    keepSourceTokens: false,
  })
  const reader = new Reader(yaml, { document, lines, note })
  const [broken] = document.errors.filter((error) => !isMild(error))
  const told = broken === undefined ? [...document.errors, ...document.warnings] : [broken]
  for (const { code, message, pos } of told) note(reader.place(pos[0]), describeSyntax(code, message))
  if (broken !== undefined) return undefined
  const content: Node | null = document.contents
  if (content === null) {
    note(start, { message: 'the file is empty', example: 'kind: acme' })
    return undefined
  }
  try {
    return reader.read(content, start)
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) throw thrown
    note(start, { message: `the file ${thrown.message}` })
    return undefined
  }
}

/** Returns the slug that a text names, also where the rest is wrong; undefined without one. @param text YAML or JSON */
export async function readKindSlug(text: string): Promise<string | undefined> {
  const { isMap, parseDocument } = await import('yaml')
  const { contents } = parseDocument(text, { logLevel: 'silent' })
  const slug: unknown = isMap(contents) ? contents.get('kind') : undefined
  return typeof slug === 'string' && /^[a-z][a-z0-9-]*$/.test(slug) ? slug : undefined
}
