/** Writes JSON Schemas as short lines: a model reads them with a third of the tokens. */

import { isObject } from '../definition/object.ts'
import { isRequired, readProperties, readTypes } from '../document/schema.ts'
import { writeLine } from './answers/json.ts'
import type { JsonSchema } from './types.ts'

/** Maximum number of values that a type lists. */
const mostChoices = 30

const readItems = ({ items }: JsonSchema): JsonSchema | undefined => (isObject(items) ? items : undefined)

const readChoices = (schema: JsonSchema): readonly unknown[] | undefined => [schema['enum'], schema['x-known-values']].find(Array.isArray)

/** Formats a type: `string`, `date-time`, `"a" | "b"`, `integer 1..100`, `string[]`. */
export function formatType(schema: JsonSchema): string {
  const choices = readChoices(schema)?.filter((choice) => choice !== null)
  if (choices !== undefined && choices.length > 0)
    return choices.slice(0, mostChoices).map(writeLine).join(' | ') + (choices.length > mostChoices ? ' | …' : '')
  if ('const' in schema) return writeLine(schema['const'])
  const [type = 'any'] = readTypes(schema).filter((each) => each !== 'null')
  if (type === 'array') {
    const inner = formatType(readItems(schema) ?? {})
    return `${inner.includes(' ') ? `(${inner})` : inner}[]`
  }
  const { format, minimum, maximum } = schema
  const range = typeof minimum === 'number' || typeof maximum === 'number' ? ` ${minimum ?? ''}..${maximum ?? ''}` : ''
  return `${typeof format === 'string' ? format : type}${range}`
}

/** How schemas are written. */
export interface SchemaForm {
  /** Levels of objects that are written out. */
  readonly levels: number
  /** True: parameters, where `?` marks those that can be left out. */
  readonly isInput: boolean
  /** Names of the first level that get a `*`. */
  readonly marked?: ReadonlySet<string>
}

/** Finds the object schema below a field: its own, or that of its items. */
function findInner(schema: JsonSchema): JsonSchema | undefined {
  if (isObject(schema['properties'])) return schema
  const items = readItems(schema)
  return items === undefined ? undefined : findInner(items)
}

/** Writes the properties of an object schema, a line each, indented by their depth. */
export function writeProperties(schema: JsonSchema | null, { levels, isInput, marked }: SchemaForm, indent = '  '): readonly string[] {
  return readProperties(schema).flatMap(([name, field]) => {
    const optional = isInput && !isRequired(schema, name) ? '?' : ''
    const mark = marked?.has(name) === true ? '*' : ''
    const about = typeof field['description'] === 'string' ? `: ${field['description']}` : ''
    const inner = levels > 1 ? findInner(field) : undefined
    const below = inner === undefined ? [] : writeProperties(inner, { levels: levels - 1, isInput }, `${indent}  `)
    return [`${indent}${name}${optional}${mark} ${formatType(field)}${about}`, ...below]
  })
}
