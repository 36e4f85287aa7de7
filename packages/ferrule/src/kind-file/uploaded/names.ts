/** Names that no uploaded kind may have: those of other kinds, and words of addresses. */
import { foldKindName } from '../../values/texts.ts'
import type { Findings } from '../check-tree.ts'
import { findAt } from './visit.ts'

/** Words that stand in addresses beside the slug of a kind, or that mean all uploaded kinds. */
const words: ReadonlySet<string> = new Set(
  ['own', 'all', 'any', 'none', 'new', 'check', 'try', 'test', 'versions', 'version', 'publish', 'compare', 'upload', 'uploads'].concat(
    ...['kind', 'kinds', 'connector', 'connectors', 'definition', 'definitions', 'sandbox', 'custom', 'ferrule', 'recordings', 'import'],
    ...['search', 'execute', 'openapi', 'docs', 'health', 'me', 'admin'],
  ),
)

/** Folds a name as it looks: other forms of letters are the letters, and signs without a width are nothing. */
const fold = (name: string): string =>
  foldKindName(
    name
      .normalize('NFKC')
      .replaceAll(/\p{Cf}/gu, '')
      .trim(),
  )

/**
 * Notes a slug or a title that is taken.
 * @param taken slugs, ids and titles of kinds that nobody may replace
 */
export function checkKindNames(file: unknown, found: Findings, taken: readonly string[]): void {
  const others = new Set(taken.map(fold))
  for (const place of ['kind', 'title'])
    for (const { steps, value } of findAt(file, place)) {
      if (typeof value !== 'string') continue
      const example = place === 'kind' ? 'kind: our-acme' : 'title: Our Acme'
      if (others.has(fold(value))) found.note(steps, { message: `${value} is the name of another kind already`, example })
      else if (place === 'kind' && words.has(fold(value)))
        found.note(steps, { message: `${value} is a word of the service itself`, example })
    }
}
