/** The fields that `--fields` can choose from: an unknown one is refused before anything is asked for or changed. */
import { isObject } from '../definition/object.ts'
import type { Schema } from '../document/kind-document.ts'
import { readProperties, readTypes } from '../document/read-schema.ts'
import type { CommandContext } from './context.ts'
import { failUsage } from './failure.ts'
import type { CommandSpec } from './spec.ts'

/** Makes the schema of an object that has these members. */
export const describeMembers = (...names: readonly string[]): Schema => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
})

/** Lists the schemas that a value can have; an array has those of its elements. */
function listVariants(schema: Schema): readonly Schema[] {
  const { anyOf, items } = schema
  if (Array.isArray(anyOf)) return anyOf.filter(isObject).flatMap(listVariants)
  return isObject(items) ? listVariants(items) : [schema]
}

/** Returns whether a value of a schema can have a path. A schema that names no members allows every path. */
function allowsPath(schema: Schema, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  return listVariants(schema).some((variant) => {
    const properties = readProperties(variant)
    if (properties.length > 0) return properties.some(([name, below]) => name === first && allowsPath(below, rest))
    const types = readTypes(variant)
    return types.length === 0 || types.includes('object')
  })
}

const listNames = (schema: Schema): readonly string[] => [
  ...new Set(listVariants(schema).flatMap((variant) => readProperties(variant).map(([name]) => name))),
]

/** Checks `--fields`. @throws FerruleError `validation_failed` with the fields that there are */
export async function checkFields({ record }: Pick<CommandSpec, 'record'>, context: CommandContext): Promise<void> {
  const { fields } = context.output.options
  if (fields?.length === 0) throw failUsage('--fields names no field.', 'Write --fields id,name, or leave it out.')
  const schema = fields === undefined ? undefined : await record?.(context)
  if (fields === undefined || !isObject(schema)) return
  const unknown = fields.filter(({ segments }) => !allowsPath(schema, segments)).map(({ name }) => name)
  if (unknown.length === 0) return
  const [message, names] = [`There is no field ${unknown.join(', ')}.`, listNames(schema).join(', ')]
  throw failUsage(message, `Fields: ${names}.`)
}
