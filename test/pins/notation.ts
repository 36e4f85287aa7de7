/** A short notation of JSON Schemas, for pins that people read. */
type Json = ReturnType<typeof JSON.parse>

const oneLine = (schema: Json): string => {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
  if (schema.type === 'null') return 'null'
  if (schema.anyOf !== undefined) return schema.anyOf.map(oneLine).join(' | ')
  if (schema.enum !== undefined) return [...schema.enum, ...(nullable(schema) ? ['null'] : [])].join(' | ')
  const name = schema.format ?? [schema.type].flat().find((type: string) => type !== 'null') ?? 'any'
  const shown = name === 'array' ? `[${oneLine(schema.items)}]` : name === 'object' ? notateObject(schema) : name
  return nullable(schema) ? `${shown} | null` : shown
}
const nullable = (schema: Json): boolean => Array.isArray(schema.type) && schema.type.includes('null')
const notateObject = (schema: Json): string => {
  if (schema.properties === undefined) return 'object'
  const members = Object.entries(schema.properties).map(
    ([name, each]) => `${name}${(schema.required ?? []).includes(name) ? '' : '?'}: ${oneLine(each)}`,
  )
  return `{ ${members.toSorted().join(', ')} }`
}

/** Members that fit into one line. */
const few = 4

/** Writes a schema by its members in order: `name: type`, `?` for optional members. Small schemas are one line. */
export function notate(schema: Json): string | Readonly<Record<string, string>> {
  if (schema.properties === undefined || Object.keys(schema.properties).length <= few) return oneLine(schema)
  const members = Object.entries(schema.properties).map(([name, each]) => [
    `${name}${(schema.required ?? []).includes(name) ? '' : '?'}`,
    oneLine(each),
  ])
  return Object.fromEntries(members.toSorted())
}
