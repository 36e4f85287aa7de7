/** Cuts texts so that their estimate stays within a budget. */
import { estimateTokens } from './tokens.ts'

const mark = '… [cut]'

/** Returns a place that parts no pair of surrogates. */
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

/** Cuts a name for a sentence of ours, and writes it as JSON: a name can hold anything. */
export const quoteName = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, toBorder(name, 59))}…` : name)
