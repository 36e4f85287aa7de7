/** Rows of a search as typed rows of those clients read them: names in snake_case, and objects where an object is documented. */

import type { Field, Kind } from 'ferrule/definition'
import { JsonText, parseJson, writeJson } from 'ferrule/engine'
import { isObject } from 'ferrule/internal'

/** Matches a name in camelCase anywhere in the JSON. Most kinds have none, and their rows are not parsed. */
const camelCase = /"[a-z]+\d*[A-Z]\w*":/

/** Converts a name: `emailAddress` → `email_address`. */
export const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()

const isListedObject = (field: Field): boolean => {
  const type: unknown = Reflect.get(field, 'type')
  return Array.isArray(type) && type.includes('object') && type.includes('array')
}

/** Finds the fields that are documented as an object, and that the vendor sends as a list. Entities of one name share them over kinds. */
export const findListedObjects = (kinds: readonly Kind[], entity: unknown): ReadonlySet<string> =>
  new Set(
    kinds.flatMap(({ definition }) => {
      const fields = Object.entries(definition.entities[String(entity)]?.context_store_search ?? {})
      return fields.flatMap(([name, field]) => (isListedObject(field) ? [name] : []))
    }),
  )

/** Adds names at the top of a row; a name that the row has keeps its value. A list where an object is documented becomes `{ items }`. */
function adaptRow(row: unknown, objects: ReadonlySet<string>): unknown {
  if (!isObject(row)) return row
  const own = Object.entries(row).map(
    ([name, value]) => [name, objects.has(name) && Array.isArray(value) ? { items: value } : value] as const,
  )
  const added = own.flatMap(([name, value]) => {
    const snake = toSnakeCase(name)
    return Object.hasOwn(row, snake) ? [] : [[snake, value] as const]
  })
  return Object.fromEntries([...own, ...added])
}

/**
 * Changes rows whose names or values those clients cannot read. Integers keep all digits.
 * @param objects names of `findListedObjects`
 */
export function adaptRows(rows: unknown, objects: ReadonlySet<string>): unknown {
  if (Array.isArray(rows)) return rows.map((row) => adaptRow(row, objects))
  if (!(rows instanceof JsonText) || !(objects.size > 0 || camelCase.test(rows.text))) return rows
  const parsed = parseJson(rows.text)
  return Array.isArray(parsed) ? new JsonText(writeJson(parsed.map((row) => adaptRow(row, objects)))) : rows
}
