/** Cuts texts so that their estimate stays within a budget. */
import { writeLine } from './json.ts'
import { estimateTokens } from './token-count.ts'
import { handleTokens } from '../handles.ts'

const mark = '… [cut]'

/** Returns an index that parts no pair of surrogates. */
const toBorder = (text: string, at: number): number => {
  const code = text.charCodeAt(at - 1)
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at
}

/**
 * Finds how many characters of a text fit.
 * @param from first character
 * @returns end of the longest beginning that was found to fit; at least one character
 */
export function findFitting(text: string, from: number, maxTokens: number): number {
  if (text.length - from <= maxTokens * 8 && estimateTokens(text.slice(from)) <= maxTokens) return text.length
  let length = Math.min(text.length - from, maxTokens * 4)
  for (;;) {
    const end = toBorder(text, from + length)
    const tokens = estimateTokens(text.slice(from, end))
    if (tokens <= maxTokens || length <= 1) return Math.max(end, from + 1)
    length = Math.floor(Math.min((length * maxTokens) / tokens, length * 0.95))
  }
}

/** Cuts a text to a budget; a text that fits stays as it is. */
export function boundText(text: string, maxTokens: number): string {
  if (text.length * 3 <= maxTokens || estimateTokens(text) <= maxTokens) return text
  return text.slice(0, findFitting(text, 0, maxTokens - estimateTokens(mark))) + mark
}

/** Lengths of a name in a sentence of ours, tried one after the other, and the most tokens of it. */
const nameLengths = [60, 30, 12]
const nameTokens = 60

/** Cuts a name for a sentence of ours, and writes it as JSON: a name can hold anything. */
export function quoteName(name: string): string {
  const forms = nameLengths.map((most) => writeLine(name.length > most ? `${name.slice(0, toBorder(name, most - 1))}…` : name))
  return forms.find((form) => estimateTokens(form) <= nameTokens) ?? forms.at(-1) ?? ''
}

interface LinesToWrite {
  readonly lines: readonly string[]
  /** Number of the first line, from 0. */
  readonly at: number
  readonly maxTokens: number
  readonly writeHandle: (at: number) => Promise<string | undefined>
}

const goOn = (left: number, handle: string | undefined): string =>
  `${left} more lines. ${handle === undefined ? 'Ask for less.' : `To continue: read_more {"handle":"${handle}"}`}`

/** Writes lines. A line that is too long for an answer alone is cut. */
export async function writeLines({ lines, at, maxTokens, writeHandle }: LinesToWrite): Promise<string> {
  const left = lines.slice(at)
  const whole = left.join('\n')
  if (whole.length <= maxTokens * 8 && estimateTokens(whole) <= maxTokens) return whole
  const budget = maxTokens - estimateTokens(goOn(lines.length, '')) - handleTokens - 1
  const shown: string[] = []
  let tokens = 0
  for (const line of left) {
    const cost = estimateTokens(line) + 1
    if (tokens + cost > budget) break
    tokens += cost
    shown.push(line)
  }
  if (shown.length === 0) shown.push(boundText(left[0] ?? '', budget))
  const end = at + shown.length
  return end >= lines.length ? shown.join('\n') : [...shown, goOn(lines.length - end, await writeHandle(end))].join('\n')
}
