/** The reference of an operator's kind as a page of `/docs`: pages of the kinds that ship are built with the console. */
import type { Kind } from 'ferrule/definition'
import { type Block, buildReference, readInline, readPlain } from 'ferrule/internal'
import { buildPage } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'

/** Returns where a link of a page leads: the web, or another page of the documentation. @returns undefined for other addresses */
function findTarget(url: string): string | undefined {
  if (/^https?:/.test(url)) return url
  return /^(?:\.\.\/)?[\w-]+\.md(?:#[\w-]+)?$/.test(url) ? url.replace('.md', '') : undefined
}

/** Prints Markdown of one line. */
const printInline = (text: string): readonly Html[] =>
  readInline(text).map(({ text: words, look, url }) => {
    const shown = look === 'code' ? html`<code>${words}</code>` : look === 'strong' ? html`<strong>${words}</strong>` : html`${words}`
    const target = url === undefined ? undefined : findTarget(url)
    return target === undefined ? shown : html`<a href="${target}" rel="noreferrer">${shown}</a>`
  })

const printers: Readonly<Record<Block['type'], (block: Block) => Html>> = {
  heading: ({ text = '' }) => html`<h3>${printInline(text)}</h3>`,
  paragraph: ({ text = '' }) => html`<p>${printInline(text)}</p>`,
  code: ({ code = '' }) => html`<pre><code>${code}</code></pre>`,
  table: ({ headers = [], rows = [] }) =>
    html`<table><thead><tr>${headers.map((each) => html`<th>${printInline(each)}</th>`)}</tr></thead><tbody>${rows.map(
      (cells) => html`<tr>${cells.map((cell) => html`<td>${printInline(cell)}</td>`)}</tr>`,
    )}</tbody></table>`,
}

const printAll = (blocks: readonly Block[]): readonly Html[] => blocks.map((block) => printers[block.type](block))

/** Prints the page of a kind. */
export function printKindPage(kind: Kind): string {
  const { title, blocks, sections } = buildReference(kind)
  return buildPage(
    `${readPlain(title)} · Ferrule`,
    html`<h1>${printInline(title)}</h1>${printAll(blocks)}${sections.map((each) => html`<h2>${each.title}</h2>${printAll(each.blocks)}`)}`,
  )
}
