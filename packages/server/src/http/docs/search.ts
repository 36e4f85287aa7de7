/** Searches the reference: entities, actions and fields of the kinds, and the HTTP routes. */
import type { Kind } from 'ferrule/definition'
import { findReferenceEntries, listReferenceEntries } from 'ferrule/internal'
import { type Html, html } from '../html/html.ts'
import { buildReference } from '../reference/reference.ts'
import { printRoutePath } from './http.ts'
import { printKindPath, readEntity } from './kind.ts'
import type { DocumentedRoute } from './operation.ts'

/** Results that are shown at most. */
const mostResults = 60

/** Something that a search finds. */
interface Found {
  readonly title: string
  readonly about: string
  /** Path of its page, with its place there. */
  readonly path: string
}

function listKindEntries(kind: Kind): Found[] {
  const reference = buildReference(kind)
  return listReferenceEntries(reference).map(({ section, part, title, about }) => {
    const entity = readEntity(section)
    const page = printKindPath(reference.id, entity)
    const place = entity !== undefined ? part : section === 'overview' ? '' : section
    return { title, about, path: place === '' ? page : `${page}#${encodeURIComponent(place)}` }
  })
}

/** Lists everything that can be found. */
export const listFound = (kinds: readonly Kind[], routes: readonly DocumentedRoute[]): readonly Found[] => [
  ...routes.map(({ id, method, path, summary }) => ({ title: `${method} ${path}`, about: summary, path: printRoutePath(id) })),
  ...kinds.flatMap(listKindEntries),
]

/** Prints what a search found. */
export function printResults(all: readonly Found[], typed: string, root: string): Html {
  const found = findReferenceEntries(all, typed, mostResults)
  const says =
    found.length === 0
      ? 'Nothing has all these words. Try fewer of them, or look at the kinds and groups below.'
      : found.length < mostResults
        ? `${found.length} found.`
        : `The first ${mostResults} are shown; more words find less.`
  return html`<section>
<h2>Found for “${typed}”</h2>
<p role="status">${says}</p>
<ul class="results">${found.map(
    ({ title, about, path }) => html`
<li><a href="${root}${path}">${title}</a><p>${about}</p></li>`,
  )}
</ul>
</section>
`
}
