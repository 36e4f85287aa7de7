/** Parameters as those clients write them: their typed objects have names in snake_case where a vendor's are in camelCase. */

import type { Field, Kind, LiveAction } from 'ferrule/definition'
import { isObject, liveActions, readInnerFields } from 'ferrule/internal'
import { toSnakeCase } from './search-rows.ts'

const isLive = (action: unknown): action is LiveAction => liveActions.some((each) => each === action)

/** Renames the keys that a field does not know and knows in another case: `from_date_time` → `fromDateTime`. */
function renameKeys(value: unknown, fields: readonly Field[]): unknown {
  const inner = fields.map(readInnerFields)
  if (Array.isArray(value)) {
    const items = inner.flatMap(({ items }) => (items === undefined ? [] : [items]))
    return items.length === 0 ? value : value.map((each) => renameKeys(each, items))
  }
  const known = inner.flatMap(({ properties }) => Object.entries<Field>(properties))
  if (!isObject(value) || known.length === 0) return value
  const names = new Set(known.map(([name]) => name))
  const renamed = Object.entries(value).map(([name, given]): [string, unknown] => {
    const own = names.has(name) ? name : ([...names].find((each) => toSnakeCase(each) === name && !Object.hasOwn(value, each)) ?? name)
    return [
      own,
      renameKeys(
        given,
        known.filter(([each]) => each === own).map(([, field]) => field),
      ),
    ]
  })
  return Object.fromEntries(renamed)
}

/**
 * Gives the parameters of a call the names of the documents, at every depth. A name that is known as it is stays; an unknown one stays too,
 * so that its refusal names what the client sent.
 * @param kinds kinds of the service; entities of one name share their parameters over kinds
 * @param body of an execution
 */
export function renameParams(kinds: readonly Kind[], body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { entity, action, params } = body
  if (!isLive(action) || !isObject(params)) return body
  const operations = kinds.flatMap(({ definition }) => definition.entities[String(entity)]?.[action] ?? [])
  const fields = operations.map((operation): Field => ({ properties: operation.params }))
  return { ...body, params: renameKeys(params, fields) }
}
