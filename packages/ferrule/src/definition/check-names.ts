/** Checks the names and the steps of paths in a definition: none is a name that JavaScript uses itself. */
import type { Sentences } from './check-codes.ts'
import { isObject, refusedNames } from './object.ts'

/** Keys whose values are sentences, patterns or values of the vendor's, and no names. */
const free: ReadonlySet<string> = new Set([
  ...['about', 'title', 'category', 'documentation', 'description', 'says', 'menu', 'role', 'who', 'hint', 'onePage'],
  ...['enum', 'default', 'const', 'examples', 'x-known', 'pattern', 'matches', 'contains', 'codes', 'is', 'success', 'partial'],
])

const findStep = (text: string): string | undefined =>
  /\s/.test(text) ? undefined : text.split(/[.:!?[\]]+/).find((step) => refusedNames.has(step))

const say = (at: string, text: string): Sentences => {
  const step = findStep(text)
  return [
    step !== undefined &&
      `has the path ${text} at ${at}, and ${step} is a name that JavaScript uses itself: take the object around it, or leave it out`,
  ]
}

/** Finds names and paths with a step that JavaScript uses itself. @param at where the value stands */
export function checkNames(value: unknown, at = ''): Sentences {
  if (typeof value === 'string') return say(at, value)
  if (Array.isArray(value)) return value.flatMap((inner) => checkNames(inner, at))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = at === '' ? name : `${at}.${name}`
    return [...say(at === '' ? 'the top' : at, name), ...(free.has(name) ? [] : checkNames(inner, below))]
  })
}
