/** The pages of a kind: its overview with credentials and configuration, and one page for each entity. */
import type { Kind } from 'ferrule/definition'
import { findTrial, type ReferenceExample, type ReferenceSection, splitSection } from 'ferrule/internal'
import { endpoints } from 'ferrule/wire'
import { type Html, type HtmlPart, html } from '../html/html.ts'
import { buildReference } from '../reference/reference.ts'
import { printCurl } from './curl.ts'
import { type DocsLink, type DocsPage, printLinks } from './frame.ts'
import { printCode, printHtmlBlocks, printInline, printPart } from './print.ts'

/** Prints the path of a kind's page, or of its entity's. */
export const printKindPath = (kind: string, entity?: string): string =>
  ['docs/kinds', kind, ...(entity === undefined ? [] : [entity])].map((step, at) => (at === 0 ? step : encodeURIComponent(step))).join('/')

const entityPrefix = 'entity:'

/** Returns the entity that a section of the reference is about; undefined: it is about the kind. @param id of the section */
export const readEntity = (id: string): string | undefined => (id.startsWith(entityPrefix) ? id.slice(entityPrefix.length) : undefined)

/** A kind, and the way back from the page. */
interface Of {
  readonly kind: Kind
  readonly root: string
}

function listEntities({ kind, root }: Of, current?: string): readonly DocsLink[] {
  const { definition } = kind
  return Object.keys(definition.entities).map((entity) => ({
    href: `${root}${printKindPath(definition.kind, entity)}`,
    label: entity,
    isCurrent: entity === current,
  }))
}

/** Prints the call of an operation, and the way to try it. */
function printExample(example: ReferenceExample, { kind, root }: Of): Html {
  const { path, params } = findTrial(kind.definition.kind, example)
  const { method, path: url } = endpoints.execute
  const name = `${example.entity} ${example.action}`
  const output = example.action === 'download' ? example.entity : undefined
  return html`<p><a href="${root}console${path}?${new URLSearchParams(params).toString()}">Try ${name} in the console</a></p>
${printCode(printCurl({ method, path: url, hasToken: true, output, body: example }))}`
}

/** Builds the page of an entity; undefined: the kind has none of this name. */
export function buildEntityPage(of: Of, entity: string): DocsPage | undefined {
  const { kind, root } = of
  const { id, title: kindTitle, sections, examples } = buildReference(kind)
  const section = sections.find((each) => readEntity(each.id) === entity)
  if (section === undefined) return undefined
  const [about, ...parts] = splitSection(section)
  const printOperation = (action: string): HtmlPart =>
    examples.filter((each) => each.entity === entity && each.action === action).map((each) => printExample(each, of))
  const main = html`<p class="path"><a href="${root}docs">Reference</a> › <a href="${root}${printKindPath(id)}">${kindTitle}</a></p>
<h1>${entity}</h1>
${printHtmlBlocks(about?.blocks ?? [])}${parts.map((part) =>
  printPart(part.id, part.title, [printHtmlBlocks(part.blocks), printOperation(part.id)]),
)}`
  const here = parts.map((part) => ({ href: `#${part.id}`, label: part.title }))
  return {
    ...{ title: `${entity} · ${kindTitle} · Ferrule`, root, main },
    aside: html`${printLinks('On this page', here)}${printLinks(`Entities of ${kindTitle}`, listEntities(of, entity))}`,
  }
}

/** Builds the page of a kind. */
export function buildKindPage(of: Of): DocsPage {
  const { kind, root } = of
  const { id, title, sections } = buildReference(kind)
  const findAddress = (word: string) => (Object.hasOwn(kind.definition.entities, word) ? `${root}${printKindPath(id, word)}` : undefined)
  const [overview, ...others] = sections.filter((section) => readEntity(section.id) === undefined)
  const printSection = (section: ReferenceSection) => printPart(section.id, section.title, printHtmlBlocks(section.blocks))
  const main = html`<p class="path"><a href="${root}docs">Reference</a></p>
<h1>${printInline(overview?.title ?? title)}</h1>
${printHtmlBlocks(overview?.blocks ?? [], findAddress)}${others.map(printSection)}`
  const here = others.map((section) => ({ href: `#${section.id}`, label: section.title }))
  const aside = html`${printLinks('On this page', here)}${printLinks(`Entities of ${title}`, listEntities(of))}`
  return { title: `${title} · Ferrule`, root, main, aside }
}
