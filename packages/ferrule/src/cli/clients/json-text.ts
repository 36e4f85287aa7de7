/** Changes our parts of a file of JSON with comments. Everything else stays as it is, byte for byte. */
import { isDeepStrictEqual } from 'node:util'
import { createScanner, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { ItemPlacement, MemberPlacement, Placement } from './entry.ts'
import { BrokenText, findPosition } from './position.ts'

/** One replacement of characters. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** How the file is written. */
interface Style {
  readonly line: string
  /** Blanks of one level. */
  readonly unit: string
}

const readStyle = (text: string): Style => ({
  line: text.includes('\r\n') ? '\r\n' : '\n',
  unit: /\{\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  ',
})

/** Applies edits that do not overlap. */
const apply = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((one, other) => other.from - one.from)
    .reduce((all, { from, to, text: added }) => all.slice(0, from) + added + all.slice(to), text)

/** Returns the blanks at the begin of the line of a place. */
const readIndent = (text: string, at: number): string => /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? ''

const indent = (value: unknown, { line, unit }: Style, outer: string): string =>
  JSON.stringify(value, null, unit).replaceAll('\n', `${line}${outer}`)

/** What is added to an object or a list. */
interface Child {
  /** Undefined: the container is a list. */
  readonly name?: string
  readonly value: unknown
}

/** Adds a child before the others of an object or a list, so that no neighbour's line changes. */
function addChild(text: string, container: Node, { name, value }: Child): string {
  const style = readStyle(text)
  const outer = readIndent(text, container.offset)
  const inner = `${outer}${style.unit}`
  const isEmpty = (container.children ?? []).length === 0
  const rest = text.slice(container.offset + 1, container.offset + container.length - 1)
  const end = isEmpty ? (rest.includes('\n') ? '' : `${style.line}${outer}`) : ','
  const key = name === undefined ? '' : `${JSON.stringify(name)}: `
  const at = container.offset + 1
  return apply(text, [{ from: at, to: at, text: `${style.line}${inner}${key}${indent(value, style, inner)}${end}` }])
}

/** Finds the next comma, over blanks and comments. */
function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/**
 * Returns how many characters before a child go with it: its blanks, and the end of the line before when no line comment then swallows what
 * follows.
 * @param inside text of the container before the child
 * @param rest text after the child and its comma
 */
function countLeading(inside: string, rest: string): number {
  const [blanks = ''] = /[ \t]*$/.exec(inside) ?? []
  const [line = blanks] = /\r?\n[ \t]*$/.exec(inside) ?? []
  const before = inside.slice(0, inside.length - line.length)
  const isSafe = !before.slice(before.lastIndexOf('\n') + 1).includes('//') || /^[ \t]*\r?\n/.test(rest)
  return (isSafe ? line : blanks).length
}

/** Takes a child out, with its comma and the line before it. Comments around it stay. */
function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? []
  const before = children[children.indexOf(child) - 1]
  const close = container.offset + container.length - 1
  const end = child.offset + child.length
  const own = findComma(text, end)
  const comma = own ?? (before === undefined ? undefined : findComma(text, before.offset + before.length))
  const leading = countLeading(text.slice(container.offset + 1, child.offset), text.slice(own === undefined ? end : own + 1))
  const cuts = [
    { from: child.offset - leading, to: end, text: '' },
    ...(comma === undefined ? [] : [{ from: comma, to: comma + 1, text: '' }]),
  ]
  const changed = apply(text, cuts)
  const isEmpty = changed.slice(container.offset + 1, close + changed.length - text.length).trim() === ''
  return isEmpty ? apply(text, [{ from: container.offset + 1, to: close, text: '' }]) : changed
}

const words = (code: string): string => code.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const readRoot = (text: string): Node => {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) throw new BrokenText(words(printParseErrorCode(first.error)), findPosition(text, first.offset))
  if (root === undefined) throw new BrokenText('No value', findPosition(text, 0))
  return root
}

const expectType = (text: string, node: Node, type: 'object' | 'array'): Node => {
  if (node.type !== type) throw new BrokenText(`No ${type === 'object' ? 'object' : 'list'}`, findPosition(text, node.offset))
  return node
}

/** Finds a member of an object. @throws BrokenText when the object has it twice: clients would read either */
function findMember(text: string, object: Node, name: string): Node | undefined {
  const [found, again] = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
  if (again !== undefined) throw new BrokenText(`A second member "${name}"`, findPosition(text, again.offset))
  return found
}

const readValue = (property: Node): Node => property.children?.[1] ?? property

function replaceValue(text: string, node: Node, value: unknown): string {
  // The library's objects have no prototype.
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(getNodeValue(node))), value)) return text
  const added = indent(value, readStyle(text), readIndent(text, node.offset))
  return apply(text, [{ from: node.offset, to: node.offset + node.length, text: added }])
}

/** Wraps a value in objects: a path of names to it. */
const wrap = (names: readonly string[], value: unknown): unknown => names.reduceRight((inner, name) => ({ [name]: inner }), value)

function placeMember(text: string, { path, value }: MemberPlacement): string {
  let object = expectType(text, readRoot(text), 'object')
  for (const [index, name] of path.entries()) {
    const property = findMember(text, object, name)
    if (property === undefined)
      return value === undefined ? text : addChild(text, object, { name, value: wrap(path.slice(index + 1), value) })
    const node = readValue(property)
    if (index < path.length - 1) object = expectType(text, node, 'object')
    else return value === undefined ? removeChild(text, object, property) : replaceValue(text, node, value)
  }
  return text
}

function placeItem(text: string, { list, id, value }: ItemPlacement): string {
  const root = expectType(text, readRoot(text), 'object')
  const property = findMember(text, root, list)
  if (property === undefined) return value === undefined ? text : addChild(text, root, { name: list, value: [value] })
  const array = expectType(text, readValue(property), 'array')
  const item = array.children?.find((node) => node.type === 'object' && findMember(text, node, 'id')?.children?.[1]?.value === id)
  if (item === undefined) return value === undefined ? text : addChild(text, array, { value })
  return value === undefined ? removeChild(text, array, item) : replaceValue(text, item, value)
}

/**
 * Changes our parts of a text.
 * @param text the file; an empty one has nothing
 * @throws BrokenText when the text is not what the client can read
 */
export function placeInJson(text: string, placements: readonly Placement[]): string {
  const isEmpty = text.trim() === ''
  const changed = placements.reduce(
    (all, placement) => ('path' in placement ? placeMember(all, placement) : placeItem(all, placement)),
    isEmpty ? '{}' : text,
  )
  if (!isEmpty) return changed
  return changed === '{}' ? text : `${changed}\n`
}

/** Returns our parts alone, as a file would have them. */
export const printJson = (placements: readonly Placement[]): string =>
  placeInJson(
    '',
    placements.filter(({ value }) => value !== undefined),
  )
