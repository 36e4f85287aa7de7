/** Calls for each pair of records of two streams, of which one hangs on the other: each record has one parent, so that is no pair. */
import type { Draft, Folded, Nested, Parent } from './draft.ts'
import type { Notes } from './outcome.ts'

/** Finds the value of a further stream in what the parent has; undefined for streams that do not hang on each other. */
function foldOne({ field, option, parents }: Nested, deepest: Nested): Folded | undefined {
  const [[above, ...others], [below, ...more]] = [parents, deepest.parents]
  if (above === undefined || below === undefined || others.length + more.length > 0) return undefined
  const isAbove = ({ draft, path }: Parent): boolean => draft === above.draft && path === above.path
  const folded = { field, parent: above, ...(option === undefined ? {} : { option }) }
  if (below.draft === above.draft) return { ...folded, passed: undefined }
  const own = below.draft.partition
  if (own?.parents.length === 1 && own.parents.some(isAbove)) return { ...folded, passed: own.field }
  const held = own?.folded?.find(({ parent }) => isAbove(parent))
  return held === undefined ? undefined : { ...folded, passed: held.field }
}

/**
 * Finds the stream on which the list hangs, where each other one is a parent of that one. Pairs of a record and a foreign parent are left
 * out: nothing is below them.
 */
export function foldNested(all: readonly Nested[], notes: Notes): Draft['partition'] {
  if (all.length < 2) return all[0]
  for (const deepest of all) {
    const others = all.filter((each) => each !== deepest)
    const folded = others.flatMap((each) => foldOne(each, deepest) ?? [])
    if (folded.length < others.length) continue
    notes.doubt('sync', 'guessed')
    return { ...deepest, folded }
  }
  return notes.stop('calls for each pair of records of two streams')
}
