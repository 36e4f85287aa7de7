/** Checks of conditions on records. */
import type { Sentences } from './check-codes.ts'
import type { EntityDefinition, Operation } from './entity.ts'
import { type Field, type Fields, hasField } from './fields.ts'
import { findField, formatPlainType } from './plain-schema.ts'
import { type Condition, readSetting } from './sync.ts'

const most = { conditions: 10, values: 50 }

const isNumber = (field: Field | undefined): boolean => field === undefined || ['integer', 'number', 'any'].includes(formatPlainType(field))

/** Finds what is wrong with a condition, beside the name of its field. @param record fields of the records that it is for */
export function checkCondition(record: Fields | undefined, { field, is, exists, above, below }: Condition): Sentences {
  const said = [is, exists, above ?? below].filter((each) => each !== undefined)
  const count = Array.isArray(is) ? is.length : 1
  return [
    said.length > 1 && `says several things of ${field}`,
    (count < 1 || count > most.values) && `compares ${field} with ${count} values: 1 to ${most.values} are allowed`,
    (above ?? below) !== undefined && !isNumber(findField(record ?? {}, field)) && `compares ${field}, which is not a number`,
    above !== undefined && below !== undefined && !(above < below) && `wants ${field} above ${above} and below ${below}, which nothing is`,
  ]
}

interface ListContext {
  readonly definition: Pick<EntityDefinition, 'record' | 'of'>
  readonly configuration: Fields
  readonly isList: boolean
}

/** Finds what is wrong with the conditions by which a list leaves out records. */
export function checkWhere({ where }: Operation, { definition: { record = {}, of }, configuration, isList }: ListContext): Sentences {
  if (where === undefined) return []
  return [
    !isList && 'leaves out records, which only a list does',
    // A sync that leaves out a part would delete what it is a part of.
    of !== undefined && `leaves out parts of ${of}`,
    (where.length < 1 || where.length > most.conditions) && `leaves out by ${where.length} conditions: 1 to ${most.conditions} are allowed`,
    ...where.flatMap((each) => {
      const setting = readSetting(each)
      return [
        !hasField(record, each.field) && `leaves out by ${each.field}, which is not a field of the record`,
        setting !== undefined && !(setting in configuration) && `leaves out by ${setting}, which is not a configuration field`,
        ...checkCondition(record, each).map((sentence) => sentence && `leaves out by a condition that ${sentence}`),
      ]
    }),
  ]
}
