/** Writes an answer of lines: those that fit, and a handle to the rest. */
import { handleTokens } from '../handles.ts'
import { boundText } from './bounds.ts'
import { estimateTokens } from './tokens.ts'

/** Lines to answer. */
export interface LinesToWrite {
  readonly lines: readonly string[]
  /** Number of the first line, from 0. */
  readonly at: number
  readonly maxTokens: number
  /** Makes the handle of a line. */
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
