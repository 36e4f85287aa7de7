/** Blocks of a document, and their text in Markdown. The texts of blocks are Markdown of one line. */

import type { SkillBlock } from 'ferrule/wire'

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

/** Removes links to other places of the same documentation: a block that stands alone has none. */
const unlink = (text: string): string => text.replace(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1')

/** Returns a block for readers that have nothing but this block. */
export const standAlone = (block: Block): Block => ({
  ...block,
  ...(block.text === undefined ? {} : { text: unlink(block.text) }),
  ...(block.rows === undefined ? {} : { rows: block.rows.map((cells) => cells.map(unlink)) }),
})
