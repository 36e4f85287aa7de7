/** Blocks of a document, and their text in Markdown. The texts of blocks are Markdown of one line. */
import { isObject } from '../definition/object.ts'
import type { SkillBlock } from '../wire/definitions.ts'
import type { Schema } from './kind-document.ts'

/** One block of a document. */
export type Block = SkillBlock

/** Makes a heading. @param level from 1 */
export const heading = (level: number, text: string): Block => ({ type: 'heading', level, text })
/** Makes a paragraph. */
export const paragraph = (text: string): Block => ({ type: 'paragraph', text })
/** Makes an example. */
export const code = (language: string, text: string): Block => ({ type: 'code', language, code: text })
/** Makes a table. */
export const table = (headers: readonly string[], rows: readonly (readonly string[])[]): Block => ({ type: 'table', headers, rows })

/** Escapes the content of a table's cell. Code needs no escapes but that of the table. */
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found))
    .replaceAll('\n', ' ')
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`

const printTable = ({ headers = [], rows = [] }: Block): string =>
  [row(headers), `| ${headers.map(() => '---').join(' | ')} |`, ...rows.map(row)].join('\n')

const printers: Readonly<Record<Block['type'], (block: Block) => string>> = {
  heading: ({ level = 1, text = '' }) => `${'#'.repeat(level)} ${text}`,
  paragraph: ({ text = '' }) => text,
  code: ({ language = '', code: example = '' }) => `\`\`\`${language}\n${example}\n\`\`\``,
  table: printTable,
}

/** Prints blocks as Markdown. */
export const printBlocks = (blocks: readonly Block[]): string => blocks.map((block) => printers[block.type](block)).join('\n\n')

/** Removes links to other sections of the same documentation: a block that stands alone has none. */
const unlink = (text: string): string => text.replace(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1')

/** Returns a block for readers that have nothing but this block. */
export const standAlone = (block: Block): Block => ({
  ...block,
  ...(block.text === undefined ? {} : { text: unlink(block.text) }),
  ...(block.rows === undefined ? {} : { rows: block.rows.map((cells) => cells.map(unlink)) }),
})

/** One field of a schema, for a table. */
export interface FieldRow {
  /** Dotted, `[]` for the elements of an array. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly about: string
}

/** Links to the section of a named schema, in Markdown. */
export const printRecordLink = (name: string): string => `[${name}](#${name.toLowerCase()})`

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

const listAlternatives = (schema: Schema): readonly Schema[] =>
  [schema['anyOf'], schema['oneOf']].flatMap((each) => (Array.isArray(each) ? each.filter(isObject) : []))

/** Formats the types that a value can have, each once. */
function formatAlternatives(alternatives: readonly Schema[]): string {
  const types = [...new Set(alternatives.map(formatType))]
  const named = types.filter((type) => type !== 'null').join(' or ')
  return types.includes('null') ? `${named}, or null` : named
}

function formatType(schema: Schema): string {
  const { $ref: reference } = schema
  if (typeof reference === 'string') return printRecordLink(reference.split('/').at(-1) ?? '')
  if (schema['format'] === 'int64') return 'integer'
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ')
  const alternatives = listAlternatives(schema)
  if (alternatives.length > 0) return formatAlternatives(alternatives)
  const types = texts(schema['type'])
  if (types.length === 1 && types[0] === 'null') return 'null'
  const nullable = types.includes('null') ? ', or null' : ''
  const type = types.filter((each) => each !== 'null').join(' or ') || 'any'
  const items = isObject(schema['items']) ? ` of ${formatType(schema['items'])}` : ''
  const format = typeof schema['format'] === 'string' ? ` (${schema['format']})` : ''
  return `${type}${items}${format}${nullable}`
}

function below(schema: Schema, path: string): FieldRow[] {
  if (isObject(schema['properties'])) return fieldRows(schema, `${path}.`)
  if (isObject(schema['items'])) return below(schema['items'], `${path}[]`)
  return listAlternatives(schema).flatMap((each) => below(each, path))
}

/** All fields of an object schema, outer ones before the fields within them. */
export function fieldRows(schema: unknown, prefix = ''): FieldRow[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return []
  const required = texts(schema['required'])
  return Object.entries(schema['properties']).flatMap(([name, part]) => {
    if (!isObject(part)) return []
    const path = prefix + name
    const deprecated = part['deprecated'] === true ? ' (deprecated)' : ''
    const about = `${typeof part['description'] === 'string' ? part['description'] : ''}${deprecated}`
    return [{ path, type: formatType(part), required: required.includes(name), about }, ...below(part, path)]
  })
}
