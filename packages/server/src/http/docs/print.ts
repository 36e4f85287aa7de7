/** Prints blocks of documents as HTML. */
import { type InlinePiece, readInline } from 'ferrule/internal'
import { type Html, type HtmlPart, html } from '../html/html.ts'
import type { Block } from '../reference/blocks.ts'

/** Finds the address behind a word that stands as code in the first column of a table; undefined: it is no link. */
export type FindAddress = (word: string) => string | undefined

const nowhere: FindAddress = () => undefined

function printPiece({ text, look, url }: InlinePiece): HtmlPart {
  const shown = look === 'code' ? html`<code>${text}</code>` : look === 'strong' ? html`<strong>${text}</strong>` : text
  return url?.startsWith('https://') === true ? html`<a href="${url}" rel="noreferrer">${shown}</a>` : shown
}

/** Prints Markdown of one line. */
export const printInline = (text: string): HtmlPart => readInline(text).map(printPiece)

/** Prints the first cell of a row, which names what the row is about. */
function printName(text: string, findAddress: FindAddress): HtmlPart {
  const [piece, ...others] = readInline(text)
  const href = piece?.look === 'code' && others.length === 0 ? findAddress(piece.text) : undefined
  return href === undefined ? printInline(text) : html`<a href="${href}"><code>${piece?.text}</code></a>`
}

/** Prints a table. It scrolls by itself on a narrow screen, so the keyboard reaches it. */
const printTable = ({ headers = [], rows = [] }: Block, findAddress: FindAddress): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${headers[0] ?? 'Table'} and ${headers.at(-1) ?? 'more'}">
<table>
<thead><tr>${headers.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([name = '', ...cells]) => html`
<tr><td>${printName(name, findAddress)}</td>${cells.map((each) => html`<td>${printInline(each)}</td>`)}</tr>`,
  )}
</tbody>
</table>
</div>
`

/** Prints an example. */
export const printCode = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>
`

const printers: Readonly<Record<Block['type'], (block: Block, findAddress: FindAddress) => Html>> = {
  heading: ({ text = '' }) => html`<h3>${printInline(text)}</h3>
`,
  paragraph: ({ text = '' }) => html`<p>${printInline(text)}</p>
`,
  code: ({ code = '' }) => printCode(code),
  table: printTable,
}

/** Prints blocks. Their headings stand below the parts of a page. */
export const printHtmlBlocks = (blocks: readonly Block[], findAddress: FindAddress = nowhere): HtmlPart =>
  blocks.map((block) => printers[block.type](block, findAddress))

/** Prints a part of a page. Its heading has an address of its own. */
export const printPart = (id: string, title: string, content: HtmlPart): Html => html`<section id="${id}">
<h2>${printInline(title)}<a class="anchor" href="#${id}" aria-label="Link to ${title.replaceAll('`', '')}">#</a></h2>
${content}</section>
`
