/** What a benchmark reports. */
import { rounded } from './rounds.ts'

/** What was measured on both sides, and what else is worth knowing. */
export interface Figures {
  readonly name: string
  readonly unit: string
  readonly ours: number
  readonly baseline: number
  readonly [extra: string]: number | string
}

/** One line of the output. `ratio`: larger is better. */
export interface Result extends Figures {
  readonly ratio: number
}

const resultOf = ({ name, ours, baseline, ...others }: Figures, ratio: number): Result => {
  const rest = Object.entries(others).map(([key, value]) => [key, typeof value === 'number' ? rounded(value) : value] as const)
  return { name, ours: rounded(ours), baseline: rounded(baseline), ratio: rounded(ratio), unit: others.unit, ...Object.fromEntries(rest) }
}

/** A result where more is better: a rate. */
export const rate = (figures: Figures): Result => resultOf(figures, figures.ours / figures.baseline)

/** A result where less is better: a time. */
export const time = (figures: Figures): Result => resultOf(figures, figures.baseline / figures.ours)
