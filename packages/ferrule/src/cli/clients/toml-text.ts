/**
 * Changes our table of a file of TOML. A library reads the whole text before and after. Our own code writes lines of our table only: no
 * maintained library keeps the comments of others.
 */
import { isDeepStrictEqual } from 'node:util'
import { parse, stringify, TomlError, type TomlTable } from 'smol-toml'
import { isObject } from '../../definition/object.ts'
import type { MemberPlacement, Placement } from './entry.ts'
import { BrokenText, findPosition } from './position.ts'

const read = (text: string): TomlTable => {
  try {
    return parse(text, { integersAsBigInt: true })
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    // The later lines of the message quote the file.
    const [first = ''] = thrown.message.split('\n')
    throw new BrokenText(first.replace(/^Invalid TOML document: /, ''), { line: thrown.line, column: thrown.column })
  }
}

const isWhole = (text: string): boolean => {
  try {
    return parse(text) !== undefined
  } catch {
    return false
  }
}

/** Reads the names of a header such as `[a."b c"]`; undefined: the line has no header. */
function readHeader(line: string): readonly string[] | undefined {
  if (!/^[ \t]*\[/.test(line) || !isWhole(line)) return undefined
  const names: string[] = []
  for (let value: unknown = parse(line); isObject(value) || Array.isArray(value); ) {
    const [entry] = Object.entries(value)
    if (entry === undefined) break
    if (!Array.isArray(value)) names.push(entry[0])
    value = entry[1]
  }
  return names
}

/** Lines of one table, with their ends. */
interface Block {
  readonly names: readonly string[]
  readonly lines: readonly string[]
}

/** Splits a text at its headers. A line within a string or a list looks like a header too; what precedes it is not whole. */
function splitTables(text: string): readonly Block[] {
  const blocks: { names: readonly string[]; lines: string[] }[] = [{ names: [], lines: [] }]
  let before = ''
  for (const line of text.split(/(?<=\n)/)) {
    const names = readHeader(line)
    if (names !== undefined && isWhole(before)) blocks.push({ names, lines: [] })
    blocks.at(-1)?.lines.push(line)
    before += line
  }
  return blocks
}

const startsWith = (names: readonly string[], path: readonly string[]): boolean => path.every((name, index) => names[index] === name)

/** Returns the lines after the last value of a table: they are about what follows. */
function takeTail({ lines }: Block): readonly string[] {
  const last = lines.findLastIndex((line) => !/^[ \t]*(#.*)?\r?\n?$/.test(line))
  return lines.slice(last + 1)
}

const readAt = (table: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), table)

/** Returns a table with another value at a path; undefined: without it. */
function writeAt(table: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const { [name]: old, ...others } = isObject(table) ? table : {}
  const written = rest.length === 0 ? value : writeAt(old, rest, value)
  const isGone = written === undefined || (value === undefined && old === undefined)
  return isGone ? others : { ...others, [name]: written }
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)))

const format = ({ path, value }: MemberPlacement, line: string): string => stringify(Object(wrap(path, value))).replaceAll('\n', line)

const wrap = (names: readonly string[], value: unknown): unknown => names.reduceRight((inner, name) => ({ [name]: inner }), value)

/** Writes our table where the old one is, else at the end. */
function rewrite(text: string, placement: MemberPlacement): string {
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const blocks = splitTables(text)
  const first = blocks.findIndex(({ names }) => startsWith(names, placement.path))
  const own = placement.value === undefined ? '' : format(placement, line)
  if (first < 0) return `${text}${text === '' || text.endsWith('\n') ? '' : line}${text.trim() === '' ? '' : line}${own}`
  const kept = blocks.map((block, index) => {
    if (!startsWith(block.names, placement.path)) return block.lines.join('')
    const isInside = startsWith(blocks[index + 1]?.names ?? [], placement.path)
    const tail = takeTail(block).filter((each) => !isInside || each.trim() !== '')
    return `${index === first ? own : ''}${tail.join('')}`
  })
  const before = kept.slice(0, first).join('')
  const after = kept.slice(first).join('')
  return `${own === '' && after.trim() === '' ? before.replace(/(\n|^)\r?\n$/, '$1') : before}${after}`
}

/**
 * Changes our table of a text.
 * @throws BrokenText when the text is no TOML, or holds our entry in another form than a table of its own
 */
export function placeInToml(text: string, placements: readonly Placement[]): string {
  return placements.reduce((all, placement) => ('path' in placement ? placeTable(all, placement) : all), text)
}

function placeTable(text: string, placement: MemberPlacement): string {
  const { path, value } = placement
  const before = read(text)
  const old = readAt(before, path)
  if (isDeepStrictEqual(plain({ old }), plain({ old: value }))) return text
  const changed = rewrite(text, placement)
  const expected = plain(writeAt(before, path, value))
  const [name = ''] = path
  if (isWhole(changed) && isDeepStrictEqual(dropEmpty(plain(read(changed)), name), dropEmpty(expected, name))) return changed
  throw new BrokenText(`The entry ${path.join('.')} is not a table of its own`, findPosition(text, Math.max(text.indexOf(name), 0)))
}

/** Leaves an empty container out: a table without a header is not there. */
function dropEmpty(table: unknown, name: string): unknown {
  const { [name]: container, ...others } = isObject(table) ? table : {}
  return container === undefined || (isObject(container) && Object.keys(container).length === 0) ? others : { ...others, [name]: container }
}

/** Returns our table alone. */
export const printToml = (placements: readonly Placement[]): string => placeInToml('', placements)
