/** Adds snake_case names to the rows of a search: typed rows of those clients read nothing else. */

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

/** Adds the names at the top of a row. A name that the row has keeps its value. */
function addNames(row: unknown): unknown {
  if (!isObject(row)) return row
  const added = Object.entries(row).flatMap(([name, value]) => {
    const snake = toSnakeCase(name)
    return Object.hasOwn(row, snake) ? [] : [[snake, value] as const]
  })
  return added.length === 0 ? row : { ...row, ...Object.fromEntries(added) }
}

/** Adds snake_case names to rows that have others. Integers keep all digits. */
export function addSnakeNames(rows: unknown): unknown {
  if (Array.isArray(rows)) return rows.map(addNames)
  if (!(rows instanceof JsonText) || !camelCase.test(rows.text)) return rows
  const parsed = parseJson(rows.text)
  return Array.isArray(parsed) ? new JsonText(writeJson(parsed.map(addNames))) : rows
}
