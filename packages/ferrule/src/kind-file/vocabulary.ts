/** The words of kind files that stand in several tables: types of fields, and what errors mean. */
import type { ErrorCode } from '../errors.ts'
import type { FieldUse } from './shape.ts'

/** What an answer can mean, with the code of the error table. `gone` and `empty` have rules of their own. */
export const errorMeanings: Readonly<Record<string, ErrorCode | 'empty'>> = {
  auth_failed: 'upstream_auth_failed',
  permission_denied: 'upstream_permission_denied',
  account_unavailable: 'upstream_account_unavailable',
  invalid_request: 'upstream_invalid_request',
  conflict: 'upstream_conflict',
  unsupported: 'upstream_unsupported',
  rate_limited: 'upstream_rate_limited',
  result_too_large: 'upstream_result_too_large',
  timeout: 'upstream_timeout',
  error: 'upstream_error',
  record_not_found: 'record_not_found',
  gone: 'record_not_found',
  position_expired: 'invalid_cursor',
  empty: 'empty',
}
/** The words of `errorMeanings`. */
export const errorWords: readonly string[] = Object.keys(errorMeanings)

interface TypeRow {
  /** Which fields can have the type; all if omitted. */
  readonly uses?: readonly FieldUse[]
  readonly about: string
}

/** The types of fields. */
export const fieldTypes = {
  string: { about: 'a text' },
  integer: { about: 'a whole number of up to 19 digits, none of which is lost' },
  number: { about: 'any other number' },
  boolean: { about: 'true or false' },
  decimal: { about: 'a number that the vendor sends as a text, such as an amount of money' },
  'date-time': { about: 'a time with its offset: 2025-03-01T10:00:00Z' },
  date: { about: 'a day: 2025-03-01' },
  'unix-time': { about: 'a time in seconds since 1970' },
  'unix-time-ms': { about: 'a time in milliseconds since 1970' },
  object: { about: 'an object whose fields are not listed' },
  any: { uses: ['record', 'any'], about: 'a value whose type differs from record to record' },
  label: { uses: ['configuration'], about: 'a part of a host: letters, digits and dashes' },
  labels: { uses: ['configuration'], about: 'one to four parts of a host with dots between them' },
  uuid: { uses: ['configuration'], about: 'a UUID' },
  digits: { uses: ['configuration'], about: 'digits only' },
  host: { uses: ['configuration'], about: 'a whole host that the account names, for api as a whole' },
  path: { uses: ['configuration'], about: 'names with slashes between them' },
  secret: { uses: ['credential'], about: 'a text that nobody sees again' },
} as const satisfies Readonly<Record<string, TypeRow>>
/** Name of a type of fields. */
export type FieldType = keyof typeof fieldTypes

/** Returns whether a text names a type of fields. */
export const isFieldType = (text: string): text is FieldType => Object.hasOwn(fieldTypes, text)
/** Lists the uses of a type that is not allowed everywhere. */
export const listUses = (type: FieldType): readonly FieldUse[] => {
  const row: TypeRow = fieldTypes[type]
  return (row.uses ?? []).filter((use) => use !== 'any')
}
/** Lists the types that fields of a use can have. */
export const listFieldTypes = (use: FieldUse): readonly string[] =>
  Object.entries(fieldTypes).flatMap(([name, row]: [string, TypeRow]) => (row.uses === undefined || row.uses.includes(use) ? [name] : []))
