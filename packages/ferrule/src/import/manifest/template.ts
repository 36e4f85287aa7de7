/** Reads the texts of manifests: plain slots such as `{{ config['key'] }}`. Everything else in an expression is logic, which nobody guesses. */

import { readExpression, readSlot, type Slot, type TemplatePart } from './expression.ts'

export { type Choice, readSlot, type Slot, type TemplatePart } from './expression.ts'

/** A text with its slots. */
export type Template = readonly TemplatePart[]

/** Finds the end of an expression that begins at `{{`: braces of maps within it are part of it. */
const findEnd = (source: string, from: number): number => {
  const end = source.indexOf('}}', from)
  return end < 0 ? source.length : source.startsWith('}', end + 2) && /\{[^{}]*$/.test(source.slice(from + 2, end)) ? end + 1 : end
}

/** Reads a text with its slots. */
export function readTemplate(source: string): Template {
  if (/\{%|\{#/.test(source)) return [{ is: 'logic', text: source.trim() }]
  const parts: TemplatePart[] = []
  let at = 0
  for (let open = source.indexOf('{{'); open >= 0; open = source.indexOf('{{', at)) {
    const end = findEnd(source, open)
    if (open > at) parts.push({ is: 'text', text: source.slice(at, open) })
    parts.push(...readExpression(source.slice(open + 2, end).replace(/^-|-$/g, '')))
    at = end + 2
  }
  if (at < source.length) parts.push({ is: 'text', text: source.slice(at) })
  return joinTexts(parts.filter((part) => part.is !== 'text' || part.text !== ''))
}

/** Joins texts that stand beside each other. */
export const joinTexts = (parts: readonly TemplatePart[]): Template =>
  parts.reduce<TemplatePart[]>((joined, part) => {
    const last = joined.at(-1)
    if (last?.is === 'text' && part.is === 'text') joined[joined.length - 1] = { is: 'text', text: last.text + part.text }
    else joined.push(part)
    return joined
  }, [])

/** Finds the first expression that is no plain slot. */
export function findLogic(template: Template): string | undefined {
  const found = template.find((part) => part.is === 'logic' || part.is === 'choice')
  if (found?.is === 'choice') return `a choice by ${found.by.path.join('.')}`
  return found?.is === 'logic' ? found.text : undefined
}

/** Lists the slots of a text. */
export const listSlots = (template: Template): readonly Slot[] => template.filter((part) => part.is === 'slot')

/** Returns the text of a template without slots; undefined if it has any. */
export const readPlain = (template: Template): string | undefined =>
  template.every((part) => part.is === 'text') ? template.map((part) => (part.is === 'text' ? part.text : '')).join('') : undefined

/** Writes a text with slots of our own. @param name names a slot */
export const writeTemplate = (template: Template, name: (slot: Slot) => string): string =>
  template.map((part) => (part.is === 'slot' ? name(part) : part.is === 'text' ? part.text : '')).join('')

const parameter = /\{\{-?\s*([^{}]*?)\s*-?\}\}/g

/** Puts the values of `$parameters` into a text. */
export function fillParameters(source: string, values: Readonly<Record<string, unknown>>): string {
  return source.replace(parameter, (whole, expression: string) => {
    const slot = readSlot(expression)
    const [name] = slot?.path ?? []
    if (slot === undefined || !/^(parameters|options)$/.test(slot.root) || slot.path.length !== 1) return whole
    const value = values[String(name)] ?? slot.otherwise ?? ''
    return typeof value === 'object' ? whole : String(value)
  })
}
