/** The terms of a filter's text, and the JSON that they become. */
import { filterLimits } from '../../definition/search.ts'

/** A condition of a filter in JSON: operators, each with what it applies to. */
export type FilterCondition = Readonly<Record<string, unknown>>

/** One term: a comparison with a value, or an operator over other terms. */
export interface Term {
  /** Index of the term in the text. */
  readonly at: number
  readonly operator: string
  /** Path of a comparison, and of `any`. */
  readonly field?: string
  /** Of a comparison. */
  readonly value?: unknown
  /** Of `and`, `or`, `not` and `any`. */
  readonly of?: readonly Term[]
}

/** An operator of an object of the JSON, with its field. */
interface Entry extends Omit<Term, 'of'> {
  readonly of: readonly Level[]
}

/** An object of the JSON: what the service counts as one level. */
interface Level {
  readonly entries: readonly Entry[]
  /** Number of levels from here to the deepest one. */
  readonly height: number
}

/** Makes the error of a filter that is too deep. @param at index in the text of the first term below the deepest level */
type RefuseDepth = (at: number) => Error

const findHighest = (levels: readonly Level[]): number => levels.reduce((most, { height }) => Math.max(most, height), 0)

const buildLevel = (entries: readonly Entry[]): Level => ({ entries, height: 1 + findHighest(entries.flatMap(({ of }) => of)) })

/** Makes an object for each term, as it is written: `a and b` becomes a list of two. */
const buildPlain = ({ of = [], ...term }: Term): Level => buildLevel([{ ...term, of: of.map(buildPlain) }])

/** Returns the conditions that hold together, out of lists within lists. The empty list holds always, so it disappears. */
const flatten = (term: Term): readonly Term[] => (term.operator === 'and' ? (term.of ?? []).flatMap(flatten) : [term])

/** Names the place of an entry within an object, where only one entry can stand. */
const placeEntry = ({ operator, field }: Entry): string => JSON.stringify([operator, field])

/**
 * Makes one object for all conditions that hold together, which saves the level of their list. Of two conditions for the same place the
 * one with more levels stands there. The others form a list. So a filter that was printed never becomes deeper than its original.
 */
function buildCompact(term: Term): Level {
  const entries = flatten(term).map(({ of = [], ...each }): Entry => ({ ...each, of: of.map(buildCompact) }))
  const chosen = new Map<string, Entry>()
  for (const entry of entries) {
    const other = chosen.get(placeEntry(entry))
    if (other === undefined || findHighest(entry.of) > findHighest(other.of)) chosen.set(placeEntry(entry), entry)
  }
  const top = entries.filter((entry) => chosen.get(placeEntry(entry)) === entry)
  const rest = entries.filter((entry) => chosen.get(placeEntry(entry)) !== entry)
  const isListed = rest.length > 0 || top.length === 0
  return buildLevel(isListed ? [...top, { at: term.at, operator: 'and', of: rest.map((entry) => buildLevel([entry])) }] : top)
}

/** Prints one object. @param depth its level, the filter's own is 1 */
function writeLevel({ entries }: Level, depth: number, refuse: RefuseDepth): FilterCondition {
  if (depth > filterLimits.deepest) throw refuse(Math.min(...entries.map(({ at }) => at)))
  const writeOperand = ({ operator, of, value }: Entry): unknown => {
    const conditions = of.map((level) => writeLevel(level, depth + 1, refuse))
    if (operator === 'and' || operator === 'or') return conditions
    return operator === 'not' || operator === 'any' ? conditions[0] : value
  }
  const operators = [...new Set(entries.map(({ operator }) => operator))]
  const writeOperator = (operator: string): unknown => {
    const same = entries.filter((entry) => entry.operator === operator)
    const fields = same.flatMap((entry) => (entry.field === undefined ? [] : [[entry.field, writeOperand(entry)] as const]))
    return fields.length > 0 ? Object.fromEntries(fields) : same.map(writeOperand)[0]
  }
  return Object.fromEntries(operators.map((operator) => [operator, writeOperator(operator)]))
}

/**
 * Makes the JSON of a filter. Conditions joined by `and` become a list. In a filter that would be too deep they become one object.
 * @param refuse makes the error of a filter that is too deep in that form too
 */
export function writeFilter(filter: Term, refuse: RefuseDepth): FilterCondition {
  const plain = buildPlain(filter)
  return writeLevel(plain.height <= filterLimits.deepest ? plain : buildCompact(filter), 1, refuse)
}
