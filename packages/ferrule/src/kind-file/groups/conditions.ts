/** The keys of conditions on records. */
import { either, flag, type KeyGroup, key, keys, list, map, type Shape, scalar, text } from '../shape.ts'

const least = Number.MIN_SAFE_INTEGER

/** Builds the shape of conditions on at most so many fields. */
const conditions = (most: number): Shape => either(text('criterion'), map('path', either(scalar, list(scalar), keys('test')), most))

/** A condition on one field. */
export const condition = conditions(1)

/** The row of the table for what a list leaves out. */
export const whereRow = key(
  'where',
  conditions(10),
  'Which records of a list count: a field, or fields with a value, several, or a test; {name} is a value of configuration',
  { example: 'where: { type: [file, link], size: { above: 0 } }', without: 'all of them' },
)

/** The row of the table for the parents that a sync calls a list for. */
export const eachWhereRow = key(
  'where',
  condition,
  'Field, or field and value, of the records of each that are called for; {name} is a value of configuration',
  { example: 'where: { is_member: true }', without: 'all of them' },
)

/** What a field is tested for. */
export const conditionGroups: Readonly<Record<string, KeyGroup>> = {
  test: {
    title: 'a test of a field',
    keys: [
      key('exists', flag, 'True: the field is there, and not null; false: it is not', { example: 'exists: true' }),
      key('not', either(scalar, list(scalar)), 'The value, or values, that it does not have', { example: 'not: draft' }),
      key('above', { is: 'number', least }, 'The number that it is above', { example: 'above: 0' }),
      key('below', { is: 'number', least }, 'The number that it is below', { example: 'below: 100' }),
    ],
  },
}
