/** Checks files of strangers: the rules of every kind file, and stricter ones (docs/decisions/uploaded-kinds.md). */
import type { Mistake } from '../mistakes.ts'
import { type ReadKind, readKindStrictly } from '../read.ts'
import { checkBounds, checkSlots } from './bounds.ts'
import { checkHeaders } from './headers.ts'
import { checkHosts } from './hosts.ts'
import { checkKindNames } from './names.ts'
import { checkTexts, showSafely } from './texts.ts'

/** Whose file it is, and which names it may not have. */
export interface UploadOptions {
  /** Name of the file, for mistakes. */
  readonly name: string
  /** Slugs, ids and titles that are taken: those of all kinds that the service has for everybody. */
  readonly taken?: readonly string[]
}

/** Most mistakes in an answer. */
const mostMistakes = 200

const show = (mistakes: readonly Mistake[]): readonly Mistake[] => {
  const shown = mistakes.slice(0, mostMistakes).map(
    (one): Mistake => ({
      ...one,
      path: showSafely(one.path),
      message: showSafely(one.message),
      ...(one.near === undefined ? {} : { near: showSafely(one.near) }),
      ...(one.example === undefined ? {} : { example: showSafely(one.example) }),
    }),
  )
  const [last] = shown.slice(-1)
  const more = mistakes.length - shown.length
  return last === undefined || more === 0 ? shown : [...shown, { ...last, path: '', message: `${more} more mistakes follow` }]
}

/**
 * Checks the text of a kind that somebody uploads to a running service. Such a kind is data only: it has no rules and no regular expressions,
 * and its hosts, headers, names and sizes are bounded. All mistakes come at once. The definition is marked as `foreign`.
 */
export async function checkUploadedKind(text: string, { name, taken = [] }: UploadOptions): Promise<ReadKind> {
  const read = await readKindStrictly(text, {
    name,
    further: (file, found) => {
      checkKindNames(file, found, taken)
      checkHosts(file, found)
      checkHeaders(file, found)
      checkBounds(file, found)
      checkSlots(file, found)
      checkTexts(file, found)
    },
  })
  const definition = read.definition === undefined ? undefined : { ...read.definition, foreign: true as const }
  return { ...read, definition, mistakes: show(read.mistakes), doubts: show(read.doubts) }
}
