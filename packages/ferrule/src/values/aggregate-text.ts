/**
 * Parses groups and measures written as text, as commands and agents give them (docs/search.md): `month(started, Europe/Berlin)`,
 * `minutes=sum(duration)`. The results are what `context_store_aggregate` takes.
 */
import { failValidation, moveProblems } from '../errors.ts'
import { countMeasure, isMeasureFunction, isTimeUnit, measureFunctions, timeUnits } from './aggregates.ts'
import { type Token, Tokens } from './filter/lexer.ts'
import { refuse, shorten } from './filter/refusals.ts'

type GroupKey = string | { readonly field: string; readonly [part: string]: unknown }
/** A measure: `count`, or a function with a field. */
type Measure = string | Readonly<Record<string, unknown>>

/** A text: `path`, or `word(path, argument, …)`, either with `name=` before it. */
interface Form {
  readonly text: string
  readonly name: string | undefined
  /** Word before the parenthesis, in lower case; undefined: the text is a path. */
  readonly word: string | undefined
  readonly path: string
  readonly args: readonly Token[]
}

const quoted = 'a name of another form stands in backquotes'

function takePath(tokens: Tokens): string {
  if (tokens.next.type !== 'path') throw tokens.refuseNext('a name', tokens.next.type === 'end' ? undefined : quoted)
  return tokens.take().text
}

function takeArguments(tokens: Tokens): readonly Token[] {
  const args: Token[] = []
  while (tokens.takeIf(',')) {
    if (['sign', 'end'].includes(tokens.next.type)) throw tokens.refuseNext('a value')
    args.push(tokens.take())
  }
  if (!tokens.takeIf(')')) throw tokens.refuseNext('a comma or )')
  return args
}

function readForm(text: string): Form {
  const tokens = new Tokens(text)
  const first = takePath(tokens)
  const name = tokens.takeIf('=') ? first : undefined
  const path = name === undefined ? first : takePath(tokens)
  const isCall = tokens.next.text === '('
  if (isCall && path.toLowerCase() === countMeasure)
    throw tokens.refuseNext('the end', 'count counts records and takes no field; distinct(field) counts different values')
  const form = tokens.takeIf('(')
    ? { text, name, word: path.toLowerCase(), path: takePath(tokens), args: takeArguments(tokens) }
    : { text, name, word: undefined, path, args: [] }
  if (tokens.next.type !== 'end') throw tokens.refuseNext('the end', 'a name of its own stands first: total=sum(duration)')
  return form
}

/** Refuses more arguments than a word takes. */
function checkCount({ text, word, args }: Form, most: number): void {
  const extra = args[most]
  if (extra !== undefined) throw refuse(text, extra.at, `${word} takes ${most === 0 ? 'a field only' : 'one value beside the field'}`)
}

function readNumber(text: string, { type, value, at, text: written }: Token): unknown {
  if (type === 'value' && value !== null && ['number', 'bigint', 'string'].includes(typeof value)) return value
  throw refuse(text, at, `expected a number, found ${shorten(written)}`)
}

function parseGroup(given: string): GroupKey {
  const form = readForm(given)
  const { text, name, word, path: field, args } = form
  const as = name === undefined ? {} : { as: name }
  if (word === undefined) return name === undefined ? field : { field, ...as }
  if (word === 'ranges') return { field, ranges: args.map((each) => readNumber(text, each)), ...as }
  if (!isTimeUnit(word))
    throw refuse(text, 0, `${shorten(word)} makes no groups; write a field, ranges, ${Object.keys(timeUnits).join(', ')}`)
  checkCount(form, 1)
  const [zone] = args
  const named = typeof zone?.value === 'string' ? zone.value : zone?.text
  return { field, by: word, ...(named === undefined ? {} : { time_zone: named }), ...as }
}

/** Names a measure that has no name: `sum_duration`. */
const nameMeasure = ({ word, path, args }: Form): string =>
  [word, path, ...args.map(({ text }) => text)].join('_').replaceAll(/\W+/g, '_').replace(/_+$/, '')

function parseMeasure(given: string): readonly [name: string, measure: Measure] {
  const form = readForm(given)
  const { text, name, word, path, args } = form
  if (word === undefined && path.toLowerCase() === countMeasure) return [name ?? countMeasure, countMeasure]
  if (word === undefined || !isMeasureFunction(word))
    throw refuse(
      text,
      0,
      `${shorten(word ?? path)} measures nothing; write ${countMeasure}, or ${Object.keys(measureFunctions).join(', ')} with a field: sum(duration)`,
    )
  checkCount(form, word === 'percentile' ? 1 : 0)
  const [at] = args
  if (word !== 'percentile') return [name ?? nameMeasure(form), { [word]: path }]
  if (at === undefined) throw refuse(text, text.length, 'percentile needs a part from 0 to 1: percentile(duration, 0.95)')
  return [name ?? nameMeasure(form), { percentile: path, at: readNumber(text, at) }]
}

/**
 * Parses groups: `direction`, `month(started, Europe/Berlin)`, `ranges(duration, 60, 600)`, with a name `at=day(started)`.
 * @throws FerruleError `validation_failed` with the number of the text and its column
 */
export const parseGroups = (texts: readonly string[]): readonly GroupKey[] =>
  texts.map((text, index) => moveProblems(`/group_by/${index}`, () => parseGroup(text)))

/**
 * Parses measures: `count`, `sum(duration)`, `late=percentile(duration, 0.95)`. Without a name one is called `sum_duration`.
 * @returns the measures by their names; undefined without any
 * @throws FerruleError `validation_failed` as `parseGroups`, and for two of one name
 */
export function parseMeasures(texts: readonly string[]): Readonly<Record<string, Measure>> | undefined {
  const measures = texts.map((text, index) => moveProblems(`/measures/${index}`, () => parseMeasure(text)))
  const names = measures.map(([name]) => name)
  const twice = names.findIndex((name, index) => names.indexOf(name) < index)
  if (twice >= 0)
    throw failValidation([
      {
        field: `/measures/${twice}`,
        message: `has the name of another one, ${names[twice]}: write another name first, name=${texts[twice]}`,
        error_code: 'conflict',
      },
    ])
  return measures.length === 0 ? undefined : Object.fromEntries(measures)
}

/** Lists the names that rows of an aggregate have. */
export const listAggregateNames = (
  groups: readonly GroupKey[],
  measures: Readonly<Record<string, Measure>> | undefined,
): readonly string[] => [
  ...groups.map((group) => (typeof group === 'string' ? group : String(group['as'] ?? group.field))),
  ...Object.keys(measures ?? { [countMeasure]: countMeasure }),
]
