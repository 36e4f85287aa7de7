/** Changes our parts of a file of JSON with comments. Everything else stays as it is, byte for byte. */
import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  createScanner,
  format,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Placement } from './clients.ts'

/** A text is not in the form of its file. It quotes nothing: the files of clients hold secrets of others. */
export class BrokenText extends Error {
  override readonly name = 'BrokenText'

  /** @param offset of the fault in the text */
  constructor(message: string, text: string, offset: number) {
    const before = text.slice(0, offset)
    super(`line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}: ${message}`)
  }
}

const words = (code: string): string => code.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function readRoot(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) throw new BrokenText(words(printParseErrorCode(first.error)), text, first.offset)
  if (root === undefined) throw new BrokenText('No value', text, 0)
  return expectType(text, root, 'object')
}

function expectType(text: string, node: Node, type: Placement['form']): Node {
  if (node.type !== type) throw new BrokenText(`No ${type === 'object' ? 'object' : 'list'}`, text, node.offset)
  return node
}

/** Finds the value of a member. @throws BrokenText when the object has it twice: clients would read either */
function findValue(text: string, object: Node, name: string): Node | undefined {
  const [found, again] = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name)
  if (again !== undefined) throw new BrokenText(`A second member "${name}"`, text, again.offset)
  return found?.children?.[1]
}

function findNode(text: string, container: Node, { form, name }: Placement): Node | undefined {
  if (form === 'object') return findValue(text, container, name)
  return container.children?.find((item) => item.type === 'object' && findValue(text, item, 'id')?.value === name)
}

/** Puts a value in, or replaces the old one, with the file's own indentation. What is new comes first: then no neighbour gets a comma. */
function setValue(text: string, path: JSONPath, value: object, isNew: boolean): string {
  // Without formatting: the library formats the neighbours on the same line as well.
  const [edit] = modify(text, path, value, { getInsertionIndex: () => 0, isArrayInsertion: isNew })
  if (edit === undefined) return text
  const { offset, length, content } = edit
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /\{\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? ''
  const line = eol + outer + (isNew ? unit : '')
  const own = applyEdits(content, format(content, undefined, { eol: '\n', insertSpaces: true, tabSize: 1 }))
  const indented = own.replaceAll(/\n( *)/g, (_, levels: string) => line + unit.repeat(levels.length))
  if (!isNew) return applyEdits(text, [{ offset, length, content: indented }])
  const end = content.endsWith(',') || /^[ \t]*\r?\n/.test(text.slice(offset)) ? '' : eol + outer
  return applyEdits(text, [{ offset, length, content: line + indented + end }])
}

/** Finds the comma after a node, over blanks and comments. */
function findComma(text: string, node: Node | undefined): number | undefined {
  if (node === undefined) return undefined
  const scanner = createScanner(text, true)
  scanner.setPosition(node.offset + node.length)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/** Cuts a member or an item out, with its comma and the line before it. Comments around it stay: `modify` deletes them. */
function cut(text: string, container: Node, child: Node): string {
  const [open, close] = [container.offset + 1, container.offset + container.length - 1]
  const end = child.offset + child.length
  const children = container.children ?? []
  const own = findComma(text, child)
  const comma = own ?? findComma(text, children[children.indexOf(child) - 1])
  const before = text.slice(open, child.offset)
  const blanks = /[ \t]*$/.exec(before)?.[0] ?? ''
  const line = /\r?\n[ \t]*$/.exec(before)?.[0] ?? blanks
  // The end of the line stays where a line comment would swallow what follows.
  const rest = text.slice(own === undefined ? end : own + 1)
  const isSafe = !/\/\/.*$/.test(before.slice(0, before.length - line.length)) || /^[ \t]*\r?\n/.test(rest)
  const from = child.offset - (isSafe ? line : blanks).length
  const changed = applyEdits(text, [
    { offset: from, length: end - from, content: '' },
    ...(comma === undefined ? [] : [{ offset: comma, length: 1, content: '' }]),
  ])
  const inside = changed.slice(open, close + changed.length - text.length)
  return inside.trim() === '' ? changed.slice(0, open) + changed.slice(open + inside.length) : changed
}

function insert(text: string, placement: Placement): string {
  const { container: holder, form, name, value } = placement
  const found = findValue(text, readRoot(text), holder)
  const container = found && expectType(text, found, form)
  const node = container && findNode(text, container, placement)
  if (container === undefined || node === undefined)
    return value === undefined ? text : setValue(text, [holder, form === 'array' ? 0 : name], value, true)
  const child = form === 'array' ? node : (node.parent ?? node)
  if (value === undefined) return cut(text, container, child)
  // The library's objects have no prototype.
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(getNodeValue(node))), value)) return text
  return setValue(text, [holder, form === 'array' ? (container.children ?? []).indexOf(node) : name], value, false)
}

/**
 * Changes our parts of a text.
 * @param text the file; an empty one has nothing
 * @throws BrokenText when the text is not what the client can read
 */
export function insertInJson(text: string, placements: readonly Placement[]): string {
  const isEmpty = text.trim() === ''
  const changed = placements.reduce(insert, isEmpty ? '{}' : text)
  if (!isEmpty) return changed
  return changed === '{}' ? text : `${changed}\n`
}
