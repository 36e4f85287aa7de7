/** Checks of the vendor's own codes: which mean a success, and which an error; and of what says that a record is gone. */
import type { ConnectorDefinition } from './connector.ts'

/** The bounds of a range of codes; undefined for one code. */
const rangeOf = (entry: string): readonly [number, number] | undefined => {
  const [, lowest, highest] = /^(\d+)-(\d+)$/.exec(entry) ?? []
  return lowest === undefined ? undefined : [Number(lowest), Number(highest)]
}

/** Whether an entry is a code, or a range of numbers that is not empty. */
const isCodes = (entry: string): boolean => {
  const [lowest, highest] = rangeOf(entry) ?? [0, 0]
  return lowest <= highest && /^(\w+|\d+-\d+)$/.test(entry)
}

const covers = (entry: string, code: string): boolean => {
  const [lowest, highest] = rangeOf(entry) ?? []
  return lowest === undefined || highest === undefined ? entry === code : Number(code) >= lowest && Number(code) <= highest
}

/** The problems of codes, as sentences. */
export const codes = ({ problem: { code, success, partial }, errors }: ConnectorDefinition): readonly (string | false | undefined)[] => {
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

/** Only a get can be told that the very record it asked for does not exist, and only in the vendor's own words. */
export const gone = ({ errors }: ConnectorDefinition): readonly (string | false | undefined)[] =>
  errors.flatMap(({ gone: isGone, is, actions, matches, codes: entries }, index) =>
    isGone === undefined
      ? []
      : [
          (is !== 'record_not_found' || actions?.join() !== 'get') && `error ${index} says gone, but is not record_not_found of get`,
          matches === undefined && entries === undefined && `error ${index} says gone, but knows no words or codes of the vendor's`,
        ],
  )
