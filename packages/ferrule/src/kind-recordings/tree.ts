/** Reads the JSON of recordings into a tree with places. Samples are taken in where `$use` names them. */
import type { Node, ParseError } from 'jsonc-parser'
import { refusedNames } from '../definition/object.ts'
import type { Place } from '../kind-file/mistakes.ts'
import type { Entry, Note, Tree } from '../kind-file/tree.ts'
import { deepestJson } from '../values/json/json.ts'
import { findNearNames } from '../values/near-names.ts'
import { most } from './table.ts'

/** The name under which a value takes a sample in. */
const takesIn = '$use'

class TooLarge extends Error {}

/** Sentences for mistakes of JSON, by the names that the parser gives them. */
const syntax: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'JSON has no comments',
  CommaExpected: 'a comma is missing before this',
  ColonExpected: 'a colon is missing before this',
  CloseBraceExpected: 'a } is missing before this',
  CloseBracketExpected: 'a ] is missing before this',
  PropertyNameExpected: 'a name in double quotes is missing; the comma before it may be one too many',
  ValueExpected: 'a value is missing; the comma before it may be one too many',
  UnexpectedEndOfString: 'the quotation mark is not closed in its line',
  InvalidSymbol: 'this is no value of JSON: texts need double quotes',
  EndOfFileExpected: 'the file goes on behind its value',
}

/** Finds line and column of an offset. */
function createPlaces(text: string): (offset: number) => Place {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

class Reader {
  readonly #text: string
  readonly #place: (offset: number) => Place
  readonly #note: Note
  readonly #samples = new Map<string, Tree>()
  #values = 0

  constructor(text: string, note: Note) {
    this.#text = text
    this.#place = createPlaces(text)
    this.#note = note
  }

  /** Reads a value. @throws TooLarge */
  read(node: Node, depth = 0): Tree {
    const at = this.#place(node.offset)
    if (depth > deepestJson) throw new TooLarge(`is nested more than ${deepestJson} levels deep`)
    this.#count(1)
    if (node.type === 'array') return { is: 'list', at, items: (node.children ?? []).map((item) => this.read(item, depth + 1)) }
    return node.type === 'object' ? this.#readMap(node, at, depth) : this.#readScalar(node, at)
  }

  #count(values: number): void {
    this.#values += values
    if (this.#values > most.values) throw new TooLarge(`has more than ${most.values} values after its samples are taken in`)
  }

  #readScalar({ offset, length, value }: Node, at: Place): Tree {
    const source = this.#text.slice(offset, offset + length)
    if (typeof value === 'string') return { is: 'scalar', at, value, text: value }
    if (value === null) return { is: 'scalar', at, value, text: '' }
    const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    return { is: 'scalar', at, value: isLong ? BigInt(source) : value, text: source }
  }

  #readMap(node: Node, at: Place, depth: number): Tree {
    const entries: Entry[] = []
    for (const { children = [] } of node.children ?? []) {
      const [name, inner] = children
      if (name === undefined || inner === undefined) continue
      const [key, place] = [String(name.value), this.#place(name.offset)]
      if (refusedNames.has(key)) this.#note(place, { message: `${key} cannot be a name: JavaScript uses it itself` })
      else if (entries.some((entry) => entry.key === key)) this.#note(place, { message: `"${key}" stands twice in the same object` })
      else
        entries.push({ key, at: place, value: depth === 0 && key === 'samples' ? this.#readSamples(inner) : this.read(inner, depth + 1) })
    }
    const [used] = entries.filter(({ key }) => key === takesIn)
    return used === undefined ? { is: 'map', at, entries } : this.#takeIn(used, entries, at)
  }

  /** Reads the samples in their order, so that each can take in those before it, and none itself. */
  #readSamples(node: Node): Tree {
    if (node.type !== 'object') return this.read(node, 1)
    const entries = (node.children ?? []).flatMap(({ children: [name, inner] = [] }): Entry[] => {
      if (name === undefined || inner === undefined) return []
      const [key, at] = [String(name.value), this.#place(name.offset)]
      if (this.#samples.has(key)) this.#note(at, { message: `"${key}" stands twice in the same object` })
      const value = this.read(inner, 2)
      this.#samples.set(key, value)
      return [{ key, at, value }]
    })
    return { is: 'map', at: this.#place(node.offset), entries }
  }

  /** Replaces an object by the sample that it names. Its other members replace those of the sample. */
  #takeIn({ at: place, value }: Entry, entries: readonly Entry[], at: Place): Tree {
    const name = value.is === 'scalar' ? value.text : ''
    const sample = this.#samples.get(name)
    const own = entries.filter(({ key }) => key !== takesIn)
    if (sample === undefined) {
      const [near] = findNearNames(name, [...this.#samples.keys()])
      const said = {
        message: `${name === '' ? 'this' : name} is not a sample that stands above`,
        example: '"samples": {"issue": {"id": 1}}',
      }
      this.#note(place, near === undefined ? said : { ...said, near })
    } else if (sample.is !== 'map' && own.length > 0) this.#note(place, { message: `${name} is no object, so it takes no further members` })
    else if (sample.is !== 'map') return this.#copy(sample)
    const names = new Set(own.map(({ key }) => key))
    const taken = sample?.is === 'map' ? sample.entries.filter(({ key }) => !names.has(key)) : []
    return this.#copy({ is: 'map', at, entries: [...taken, ...own] })
  }

  /** Counts the values that a sample brings again. */
  #copy(tree: Tree): Tree {
    const inner = tree.is === 'list' ? tree.items : tree.is === 'map' ? tree.entries.map(({ value }) => value) : []
    this.#count(1)
    for (const each of inner) this.#copy(each)
    return tree
  }
}

/**
 * Reads a text into a tree.
 * @returns undefined if there is nothing to check further
 */
export async function readRecordingTree(text: string, note: Note): Promise<Tree | undefined> {
  const start: Place = { line: 1, column: 1 }
  if (Buffer.byteLength(text) > most.bytes) {
    note(start, { message: `the file is larger than ${most.bytes / 1024 / 1024} MB: record fewer or smaller pages` })
    return undefined
  }
  const { parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { disallowComments: true })
    const [first] = errors
    if (first !== undefined || root === undefined) {
      const code = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error)
      note(createPlaces(text)(first?.offset ?? 0), { message: syntax[code] ?? `this is not JSON: ${code}`, example: '{"kind": "acme"}' })
      return undefined
    }
    return new Reader(text, note).read(root)
  } catch (thrown) {
    if (!(thrown instanceof TooLarge) && !(thrown instanceof RangeError)) throw thrown
    note(start, { message: thrown instanceof TooLarge ? `the file ${thrown.message}` : 'the file is nested too deep' })
    return undefined
  }
}
