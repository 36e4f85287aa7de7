/** The body of an execute request: its fields, and the check of what a client sent. */
import { bool, type Fields, int, list, open, opt, orNull, str } from '../definition/fields.ts'
import { validationFailed } from '../engine/credentials.ts'
import { validatorOf } from '../engine/schema.ts'

const pathList = (about: string) =>
  opt(orNull(list(str('Dot path, for example metaData.id', { minLength: 1, maxLength: 500 }), about, { maxItems: 1_000 })))

/** Fields of an execute request. The parameters are checked later, against their operation. */
export const executeFields = {
  entity: str('Entity, for example calls', { maxLength: 200 }),
  action: str('Action, for example list', { maxLength: 200 }),
  params: opt(orNull(open('Parameters of the action; may be left out when none is required'))),
  select_fields: pathList('Return only these fields of every record; wins over exclude_fields. Arrays fan out: a.b and a[].b are the same'),
  exclude_fields: pathList('Leave these fields of every record out'),
  max_age: opt(
    orNull(
      int('Of context_store_search: the copy may be so many seconds old. It is refreshed first when it is older; other actions read live', {
        minimum: 0,
      }),
    ),
  ),
  allow_partial: opt(
    orNull(
      bool(
        'Of context_store_search: what is there is enough while the copy is filled for the first time; context_store.complete is false then',
      ),
    ),
  ),
  skip_truncation: opt(orNull(bool('false: texts of more than 2,000 characters are cut in lists, and truncated_fields names them'))),
  intent: opt(orNull(str('Why the call is made; it does not change the answer', { maxLength: 512 }))),
} as const satisfies Fields

/** A checked execute request. */
export interface ExecuteRequest {
  readonly entity: string
  readonly action: string
  readonly params?: Readonly<Record<string, unknown>> | null
  readonly select_fields?: readonly string[] | null
  readonly exclude_fields?: readonly string[] | null
  readonly max_age?: number | null
  readonly allow_partial?: boolean | null
  readonly skip_truncation?: boolean | null
  readonly intent?: string | null
}

const validator = validatorOf(executeFields)

/** The validator has just proven it; TypeScript cannot see that. */
const isProven = (_body: unknown): _body is ExecuteRequest => true

/**
 * Checks the body of an execute request.
 * @throws FerruleError `validation_failed` with the place of every problem; unknown members are problems
 */
export function readExecuteRequest(body: unknown): ExecuteRequest {
  const problems = validator.problems(body)
  if (problems.length > 0 || !isProven(body)) throw validationFailed(problems)
  return body
}
