/**
 * The contract of `context_store_aggregate`, the same for every searchable entity: its measures and units of time, each stated once. The
 * parser, the API's document and the client follow from the tables. Meaning: docs/decisions/aggregates.md
 */

/** Functions of a measure that take a field, each with its sentence. */
const functions = {
  sum: 'Sum, exact to the last digit',
  avg: 'Average, rounded to 20 digits after the point',
  min: 'Least value',
  max: 'Greatest value',
  distinct: 'Number of different values, compared as eq does',
  median: 'The value in the middle; of two the smaller one',
  percentile: 'The first value that so great a part of the values does not exceed; `at` is the part, 0 to 1',
} as const satisfies Readonly<Record<string, string>>

/** Function of a measure that takes a field. */
export type MeasureFunction = keyof typeof functions
/** The functions of measures with their sentences. */
export const measureFunctions: Readonly<Record<MeasureFunction, string>> = functions

/** Returns whether a name is a function of a measure that takes a field. */
export const isMeasureFunction = (name: string): name is MeasureFunction => Object.hasOwn(functions, name)

/** The measure that counts records. */
export const countMeasure = 'count'

/** Units of time that groups take, each with a group's value as the answer writes it. */
const units = {
  year: '2025',
  quarter: '2025-Q1',
  month: '2025-03',
  week: '2025-W10',
  day: '2025-03-01',
  hour: '2025-03-01T13:00:00+01:00',
} as const satisfies Readonly<Record<string, string>>

/** A unit of time that groups take. */
export type TimeUnit = keyof typeof units
/** The units of time with a group's value as the answer writes it. */
export const timeUnits: Readonly<Record<TimeUnit, string>> = units

/** Returns whether a name is a unit of time. */
export const isTimeUnit = (name: unknown): name is TimeUnit => typeof name === 'string' && Object.hasOwn(units, name)

/** Limits: groups of all pages, keys of `group_by`, measures, bounds of ranges, and characters of a name. */
export const aggregateLimits = { mostGroups: 10_000, mostKeys: 8, mostMeasures: 32, mostBounds: 100, longestName: 60 } as const
