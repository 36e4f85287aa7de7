/** The body of an execute request. */
import { bool, type Fields, int, list, obj, open, opt, orNull, str } from '../definition/index.ts'
import type { Wire } from './words.ts'

const pathList = (about: string) =>
  opt(orNull(list(str('Dot path, for example metaData.id', { minLength: 1, maxLength: 500 }), about, { maxItems: 1_000 })))

/** Maximum of `max_age` in seconds, more than thirty years. A longer number may be no integer of a double. */
export const longestAge = 1_000_000_000

/** Fields of an execute request. The parameters are checked later, against their operation. */
export const executeFields = {
  entity: str('Entity, for example calls', { maxLength: 200 }),
  action: str('Action, for example list', { maxLength: 200 }),
  params: opt(orNull(open('Parameters of the action; can be left out when none is required'))),
  select_fields: pathList('Return only these fields of every record; wins over exclude_fields. Arrays fan out: a.b and a[].b are the same'),
  exclude_fields: pathList('Leave out these fields of every record'),
  max_age: opt(
    orNull(
      int('For context_store_search: maximum age of the copy in seconds. An older copy is refreshed first; other actions read live', {
        minimum: 0,
        maximum: longestAge,
      }),
    ),
  ),
  allow_partial: opt(
    orNull(
      bool('For context_store_search: a part of the records is enough while the first sync runs; context_store.complete is false then'),
    ),
  ),
  skip_truncation: opt(orNull(bool('false: strings of more than 2,000 characters are cut in lists, and truncated_fields names them'))),
  intent: opt(orNull(str('Purpose of the call; it does not change the answer', { maxLength: 512 }))),
} as const satisfies Fields

/** The body of an execute request. */
export const executeInput = obj(executeFields, 'A call')
/** An execute request. */
export type ExecuteRequest = Wire<typeof executeInput>
