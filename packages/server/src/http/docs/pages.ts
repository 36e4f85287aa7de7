/** The pages at /docs: the reference of every kind and of the HTTP routes, for people. */
import type { Kind } from 'ferrule/definition'
import { html } from '../html/html.ts'
import type { JsonObject } from '../openapi/types.ts'
import { type DocsPage, printFrame, printLinks } from './frame.ts'
import { printGroupId, RoutePages } from './http.ts'
import { buildEntityPage, buildKindPage, printKindPath } from './kind.ts'
import { listFound, printResults } from './search.ts'

/** Characters of a search that count. */
const mostTyped = 200

/** A printed page. */
export interface PrintedPage {
  readonly text: string
  readonly status: 200 | 404
}

/** Prints the pages. What is read from the kinds and the routes is kept, printed pages are not. */
export class DocsPages {
  readonly #kinds: readonly Kind[]
  readonly #readDocument: () => JsonObject
  #routePages: RoutePages | undefined
  #found: ReturnType<typeof listFound> | undefined

  /** @param readDocument builds the API's document without kinds; called once, with the first page */
  constructor(kinds: readonly Kind[], readDocument: () => JsonObject) {
    this.#kinds = kinds
    this.#readDocument = readDocument
  }

  /** Prints the first page, with what a search found. */
  printStart(typed = ''): PrintedPage {
    const root = './'
    const sought = typed.slice(0, mostTyped).trim()
    const rows = this.#kinds.map(
      ({ definition: { kind, title, about, entities } }) => html`
<tr><td><a href="${root}${printKindPath(kind)}">${title}</a></td><td>${String(Object.keys(entities).length)}</td><td>${about}</td></tr>`,
    )
    const main = html`<h1>Reference</h1>
<p>One operation over every external system: execute an action on an entity with parameters. The console runs each of them; <a href="${root}openapi.json">openapi.json</a> is the same for machines.</p>
${sought === '' ? undefined : printResults(this.#listFound(), sought, root)}<section id="kinds">
<h2>Kinds</h2>
<div class="wide" tabindex="0" role="region" aria-label="Kinds">
<table>
<thead><tr><th scope="col">Kind</th><th scope="col">Entities</th><th scope="col">What it is</th></tr></thead>
<tbody>${rows}
</tbody>
</table>
</div>
</section>
${this.#readRoutes().printGroups(root)}`
    const groups = [...new Set(this.#readRoutes().routes.map(({ tag }) => tag))]
    const links = groups.map((tag) => ({ href: `#${printGroupId(tag)}`, label: tag }))
    const aside = printLinks('On this page', [{ href: '#kinds', label: 'Kinds' }, ...links])
    return this.#print({ title: 'Reference · Ferrule', root, main, aside, typed: sought })
  }

  /** Prints the page of a kind. @param slug of the kind */
  printKind(slug: string): PrintedPage {
    const [kind, root] = [this.#findKind(slug), '../../']
    return this.#print(kind === undefined ? undefined : buildKindPage({ kind, root }), root)
  }

  /** Prints the page of an entity. */
  printEntity(slug: string, entity: string): PrintedPage {
    const [kind, root] = [this.#findKind(slug), '../../../']
    return this.#print(kind === undefined ? undefined : buildEntityPage({ kind, root }, entity), root)
  }

  /** Prints the page of a route. @param id of the operation in the API's document */
  printRoute(id: string): PrintedPage {
    const root = '../../'
    return this.#print(this.#readRoutes().build(id, { root, kinds: this.#kinds }), root)
  }

  #print(page: DocsPage | undefined, root = './'): PrintedPage {
    if (page !== undefined) return { text: printFrame(page), status: 200 }
    const main = html`<h1>There is no such page</h1>
<p>The address names no kind, entity or route of this service. Search for it above, or begin at <a href="${root}docs">the first page</a>.</p>`
    return { text: printFrame({ title: 'There is no such page · Ferrule', root, main }), status: 404 }
  }

  #findKind(slug: string): Kind | undefined {
    return this.#kinds.find(({ definition }) => definition.kind === slug)
  }

  #readRoutes(): RoutePages {
    this.#routePages ??= new RoutePages(this.#readDocument())
    return this.#routePages
  }

  #listFound() {
    this.#found ??= listFound(this.#kinds, this.#readRoutes().routes)
    return this.#found
  }
}
