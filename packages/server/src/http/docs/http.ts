/** The pages of the HTTP routes, from the API's document. */
import { type Kind, obj } from 'ferrule/definition'
import { isObject, splitSection, toPlainSchema } from 'ferrule/internal'
import { endpoints, executeFields } from 'ferrule/wire'
import { type Html, html } from '../html/html.ts'
import { type JsonObject, tags } from '../openapi/types.ts'
import { type DocsPage, printLinks } from './frame.ts'
import { printKindPath } from './kind.ts'
import { type DocumentedRoute, describeRoute, listRoutes, resolveParts } from './operation.ts'
import { printHtmlBlocks, printInline, printPart } from './print.ts'

/** Prints the path of a route's page. */
export const printRoutePath = (id: string): string => `docs/http/${encodeURIComponent(id)}`

/** Prints the id of a group on the first page. */
export const printGroupId = (tag: string): string => tag.replaceAll(' ', '-')

/** The two schemas of execute without kinds: parameters and records of each operation are on the pages of the kinds. */
const executeSchemas = { ExecuteRequest: toPlainSchema(obj(executeFields, 'A call')), ExecuteAnswer: {} }

const readObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** What a page stands in. */
interface Around {
  readonly root: string
  readonly kinds: readonly Kind[]
}

const printKinds = ({ root, kinds }: Around): Html => html`<p>Entities, actions, parameters and records of each kind:</p>
<ul>${kinds.map(
  ({ definition }) => html`
<li><a href="${root}${printKindPath(definition.kind)}">${definition.title}</a></li>`,
)}
</ul>
`

/** The routes of the service. */
export class RoutePages {
  readonly routes: readonly DocumentedRoute[]
  readonly #document: JsonObject

  /** @param document of the API, without kinds: its parts are small then */
  constructor(document: JsonObject) {
    const components = readObject(document['components'])
    this.#document = { components: { ...components, schemas: { ...readObject(components['schemas']), ...executeSchemas } } }
    this.routes = listRoutes(document)
  }

  /** Prints the routes by their groups. */
  printGroups(root: string): Html[] {
    return Object.entries(tags).map(([tag, about]) => {
      const rows = this.#listOf(tag).map(
        ({ id, method, path, summary }) => html`
<tr><td><code>${method}</code></td><td><a href="${root}${printRoutePath(id)}"><code>${path}</code></a></td><td>${printInline(summary)}</td></tr>`,
      )
      const list = html`<p>${about}.</p>
<div class="wide" tabindex="0" role="region" aria-label="Routes: ${tag}">
<table>
<thead><tr><th scope="col">Method</th><th scope="col">Path</th><th scope="col">What it does</th></tr></thead>
<tbody>${rows}
</tbody>
</table>
</div>
`
      return printPart(printGroupId(tag), tag, list)
    })
  }

  /** Builds the page of a route; undefined: no route has this id. */
  build(id: string, around: Around): DocsPage | undefined {
    const route = this.routes.find((each) => each.id === id)
    if (route === undefined) return undefined
    const { method, path, summary, tag } = route
    const { root } = around
    const main = html`<p class="path"><a href="${root}docs">Reference</a> › <a href="${root}docs#${printGroupId(tag)}">${tag}</a></p>
<h1>${printInline(summary)}</h1>
<p><code>${method} ${path}</code></p>
${path === endpoints.execute.path ? printKinds(around) : undefined}${this.#printParts(route)}`
    const neighbours = this.#listOf(tag).map((each) => ({
      ...{ href: `${root}${printRoutePath(each.id)}`, label: each.summary, isCurrent: each.id === id },
    }))
    return { title: `${summary} · Ferrule`, root, main, aside: printLinks(`Routes: ${tag}`, neighbours) }
  }

  #listOf(tag: string): readonly DocumentedRoute[] {
    return this.routes.filter((route) => route.tag === tag)
  }

  #printParts(route: DocumentedRoute) {
    const operation = readObject(resolveParts(route.operation, this.#document))
    const blocks = describeRoute({ ...route, operation })
    return splitSection({ id: route.id, title: route.summary, summary: '', blocks: [...blocks] }).map((part) =>
      part.title === '' ? printHtmlBlocks(part.blocks) : printPart(part.id, part.title, printHtmlBlocks(part.blocks)),
    )
  }
}
