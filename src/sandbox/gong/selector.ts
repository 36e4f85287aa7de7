import { isObject } from '../http.ts'
import type { Answer } from './answers.ts'
import { refused } from './answers.ts'
import type { ContextWish } from './crm.ts'

/** What a request wants of each call beside `metaData`. */
export interface Selector extends ContextWish {
  readonly parties: boolean
  readonly media: boolean
  /** Names of the wanted parts; undefined when the block was not asked for. */
  readonly content: ReadonlySet<string> | undefined
  readonly interaction: ReadonlySet<string> | undefined
  readonly comments: boolean
}

const contexts = ['None', 'Basic', 'Extended'] as const
const timings = ['Now', 'TimeOfCall'] as const

function wanted(block: unknown): ReadonlySet<string> | undefined {
  if (!isObject(block)) return undefined
  const names = Object.keys(block).filter((name) => block[name] === true)
  return names.length > 0 ? new Set(names) : undefined
}

function contextWish(selector: Readonly<Record<string, unknown>>): ContextWish | Answer {
  const context = contexts.find((name) => name === (selector['context'] ?? 'None'))
  if (context === undefined) return refused(400, `Bad request: context must be one of ${contexts.join(', ')}`)
  const given = selector['contextTiming']
  if (given === undefined || given === null) return { context, timings: ['Now'] }
  if (context !== 'Extended') return refused(400, 'Bad request: contextTiming is allowed only with context Extended')
  const found = Array.isArray(given) ? timings.filter((name) => given.includes(name)) : []
  const right = Array.isArray(given) && given.length > 0 && new Set(given).size === found.length
  return right ? { context, timings: found } : refused(400, `Bad request: contextTiming must hold ${timings.join(' or ')}`)
}

/**
 * Reads a contentSelector; without one a call is its `metaData` only.
 *
 * @param value - the field of the body
 */
export function selectorOf(value: unknown): Selector | Answer {
  if (value !== undefined && value !== null && !isObject(value)) return refused(400, 'Bad request: contentSelector must be an object')
  const selector = isObject(value) ? value : {}
  const wish = contextWish(selector)
  if (!('context' in wish)) return wish
  const fields = isObject(selector['exposedFields']) ? selector['exposedFields'] : {}
  return {
    ...wish,
    parties: fields['parties'] === true,
    media: fields['media'] === true,
    content: wanted(fields['content']),
    interaction: wanted(fields['interaction']),
    comments: wanted(fields['collaboration'])?.has('publicComments') ?? false,
  }
}
