/** Checks of the vendor's own codes (success or error), and of the rules for records that do not exist. */
import type { ConnectorDefinition } from './connector.ts'

/** What checks return: a sentence for each problem; false or undefined where all is well. */
export type Sentences = readonly (string | false | undefined)[]

/** Parses a range of codes into its bounds; undefined for a single code. */
const parseRange = (entry: string): readonly [number, number] | undefined => {
  const [, lowest, highest] = /^(\d+)-(\d+)$/.exec(entry) ?? []
  return lowest === undefined ? undefined : [Number(lowest), Number(highest)]
}

/** Returns whether an entry is a code, or a non-empty range of numbers. */
const isCodes = (entry: string): boolean => {
  const [lowest, highest] = parseRange(entry) ?? [0, 0]
  return lowest <= highest && /^(\w+|\d+-\d+)$/.test(entry)
}

const covers = (entry: string, code: string): boolean => {
  const [lowest, highest] = parseRange(entry) ?? []
  return lowest === undefined || highest === undefined ? entry === code : Number(code) >= lowest && Number(code) <= highest
}

/** Finds the problems of a kind's codes. @returns sentences; falsy entries are no problems */
export const checkCodes = ({ problem: { code, success, partial }, errors }: ConnectorDefinition): Sentences => {
  const successes = [...(success ?? []), ...(partial ?? [])]
  return [
    (success ?? partial) !== undefined && code === undefined && 'has codes of a success, but does not say where they are',
    success?.length === 0 && 'has a list of the codes of a success that is empty',
    partial !== undefined && success === undefined && 'has codes of a success that is not whole, and none of a whole one',
    ...errors.flatMap(({ codes: entries = [] }, index) => [
      entries.length > 0 && code === undefined && `error ${index} has codes, but the kind does not say where they are`,
      ...entries.map((entry) => !isCodes(entry) && `error ${index} has ${entry}, which is neither a code nor a range`),
      ...entries.map((entry) => successes.some((one) => covers(entry, one)) && `error ${index} has ${entry}, which is a success`),
    ]),
  ]
}

/** Finds the problems of rows that say `gone`: only for `get`, and only with the vendor's own words or codes. */
export const checkGone = ({ errors }: ConnectorDefinition): Sentences =>
  errors.flatMap(({ gone: isGone, is, actions, matches, contains, codes: entries }, index) =>
    isGone === undefined
      ? []
      : [
          (is !== 'record_not_found' || actions?.join() !== 'get') && `error ${index} says gone, but is not record_not_found of get`,
          (matches ?? contains) === undefined &&
            entries === undefined &&
            `error ${index} says gone, but knows no words or codes of the vendor's`,
        ],
  )
