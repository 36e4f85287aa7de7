/** Finds the place in the file of a problem of the long form. */
import { isObject } from '../definition/object.ts'
import type { Steps } from './check-tree.ts'

/** First words of problems of the connection, and where the file has what they speak of. `$1` is the first group. */
const sections: readonly (readonly [RegExp, Steps])[] = [
  [/^credentials ([\w-]+)/, ['auth', '$1']],
  [/^configuration ([\w-]+)/, ['configuration', '$1']],
  [/^page (\S+)/, ['pages', '$1']],
  [/^error (\d+)/, ['errors', 'rows', '$1']],
  [/^origin oauth|consent/, ['auth']],
  [/origin other/, ['elsewhere']],
  [/^origin|^base/, ['api']],
  [/^prefix/, ['path']],
  [/^(a rate|a bucket|limits|other rates)/, ['limits']],
  [/^the check/, ['check']],
  [/^the account/, ['account']],
  [/^webhooks (\S+) (?:is|does|names|has|reads)\b/, ['webhooks', 'events', '$1']],
  [/^webhooks (\S+): /, ['webhooks', 'events', '$1']],
  [/^webhooks/, ['webhooks']],
  [/^the slug|^the id/, ['kind']],
  [/codes? of/, ['errors']],
]

/** Words of problems for a part of an operation or a sync, and the key of the file. */
const parts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^key /, ['key']],
  [/^from /, ['from']],
  [/^refers /, ['refers']],
  [/^title /, ['title']],
  [/^summary /, ['summary']],
  [/^link /, ['link']],
  [/^searchable|^projects/, ['search']],
  [/^(path slot|call)/, ['call']],
  [/^(send|parameter|.* is filled)/, ['params', 'body']],
  [/^constant/, ['always']],
  [/^default/, ['defaults']],
  [/^page/, ['pages']],
  [/^outer/, ['outer']],
  [/rows within rows/, ['at']],
  [/keyed/, ['keyed']],
  [/^leaves out/, ['where']],
  [/^only a list has the format/, ['format']],
  [/^rows of/, ['at', 'keyed']],
  [/^(is fed|is walked|takes|is called|is within|is under|sends|remembers|looks|goes on|begins|has windows)/, ['sync']],
]

/** Finds the deepest value below some steps whose key or text stands in a sentence. */
function findNamed(value: unknown, sentence: ReadonlySet<string>, steps: Steps): Steps | undefined {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  for (const [key, inner] of entries) {
    const below = [...steps, String(key)]
    const deeper = findNamed(inner, sentence, below)
    if (deeper !== undefined) return deeper
    if (sentence.has(String(key)) || (typeof inner === 'string' && sentence.has(inner))) return below
  }
  return undefined
}

const getIn = (value: unknown, steps: Steps): unknown =>
  steps.reduce<unknown>((inner, step) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : undefined), value)

/**
 * Finds where a problem is.
 * @param problem a sentence of `findProblems`: `kind.entity.action: sentence`
 * @param file the file as plain data
 * @returns the steps to the value, and the sentence
 */
export function findProblemSteps(problem: string, file: unknown): { readonly steps: Steps; readonly sentence: string } {
  const [, at = '', sentence = problem] = /^([^:\s]+): ([\s\S]*)$/.exec(problem) ?? []
  const [, entity, action] = at.split('.')
  const [, path] = /^has the path (\S+)/.exec(sentence) ?? []
  if (path !== undefined) {
    const from = entity === undefined ? [] : ['entities', entity]
    return { steps: findNamed(getIn(file, from), new Set([path]), from) ?? from, sentence }
  }
  const words = new Set(sentence.split(/[\s,]+/))
  if (entity === undefined) {
    const [pattern, section] = sections.find(([each]) => each.test(sentence)) ?? []
    const group = pattern?.exec(sentence)?.[1] ?? ''
    return { steps: (section ?? []).map((step) => (step === '$1' ? group : step)), sentence }
  }
  const base = ['entities', entity, ...(action === undefined ? [] : [action])]
  const keys = parts.find(([each]) => each.test(sentence))?.[1] ?? []
  const key = keys.find((each) => getIn(file, [...base, each]) !== undefined)
  const from = key === undefined ? base : [...base, key]
  return { steps: findNamed(getIn(file, from), words, from) ?? from, sentence }
}
