/** Prints TypeScript declarations of a kind: parameters, records and searchable fields of each entity, and the kind for `connect`. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { type EntityDefinition, listLiveActions, type Operation } from '../definition/entity.ts'
import { type Field, type Fields, isExactInteger, isOptional } from '../definition/fields.ts'
import { findShape } from '../definition/page.ts'

const quote = (value: unknown): string => {
  const text = JSON.stringify(value)
  return typeof value === 'string' && !/['\\]/.test(text) ? `'${text.slice(1, -1)}'` : text
}
const noFields = 'Record<never, never>'
const indent = (text: string): string => text.replaceAll('\n', '\n  ')
const printName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))
/** Prints a comment. A sentence of a file must not end it. */
const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : '')

/** Texts that callers may also give as values. */
const formats: Readonly<Record<string, string>> = {
  'json-array': 'string | readonly string[]',
  'json-object': 'string | object',
  'json-objects': 'string | object',
}

const printList = (item: string): string => (item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`)

function printOne(type: string, field: Field): string {
  switch (type) {
    case 'string':
      return `${formats[field.format ?? ''] ?? 'string'}${field['x-date'] ? ' | Date' : ''}`
    case 'integer':
      return isExactInteger(field) ? 'number | bigint' : 'number'
    case 'array':
      return printList(printType(field.items ?? {}))
    case 'object':
      return field.properties === undefined ? 'Record<string, unknown>' : printFields(field.properties)
    default:
      return type
  }
}

function printType(field: Field): string {
  const { anyOf, const: only, enum: values, type } = field
  if (only !== undefined) return quote(only)
  if (anyOf !== undefined) return anyOf.map(printType).join(' | ')
  if (values !== undefined) return values.map(quote).join(' | ')
  return type === undefined ? 'unknown' : [...new Set([type].flat().map((each) => printOne(each, field)))].join(' | ')
}

function printFields(fields: Fields): string {
  const names = Object.keys(fields)
  if (names.length === 0) return noFields
  const rows = Object.entries(fields).map(
    ([name, field]: [string, Field]) =>
      `${comment(field.description)}${printName(name)}${isOptional(fields, name) ? '?' : ''}: ${printType(field)}`,
  )
  return `{\n  ${rows.map(indent).join('\n  ')}\n}`
}

const toPascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Collects declarations. Each has a name of its own, although several names of a kind can have one spelling here. */
class Declarations {
  readonly texts: string[] = []
  readonly #names = new Set<string>()

  /** Declares a type. @returns its name */
  add(wanted: string, type: string, about: string): string {
    const base = /^\d/.test(wanted) ? `_${wanted}` : wanted
    let name = base
    for (let count = 2; this.#names.has(name); count += 1) name = `${base}${count}`
    this.#names.add(name)
    const isBody = type.startsWith('{')
    this.texts.push(`${comment(about)}export ${isBody ? 'interface' : 'type'} ${name} ${isBody ? '' : '= '}${type}`)
    return name
  }
}

function printOperation({ page, answers }: Operation, params: string, pages: ConnectorDefinition['pages']): string {
  const shape = page === undefined ? '' : `; page: '${findShape(pages, page)}'`
  return `{ params: ${params}${shape}${answers === undefined ? '' : `; answers: '${answers}'`} }`
}

/** Declares the searchable fields: those of the record where they are the same. @returns the name of their type */
function declareSearch(
  declared: Declarations,
  { name, recordName, record = {}, fields }: { name: string; recordName: string | undefined; record: Fields | undefined; fields: Fields },
): string {
  const names = Object.keys(fields)
  const areSame = names.length > 0 && names.every((each) => JSON.stringify(record[each]) === JSON.stringify(fields[each]))
  if (recordName !== undefined && areSame && names.length === Object.keys(record).length) return recordName
  const type = recordName !== undefined && areSame ? `Pick<${recordName}, ${names.map(quote).join(' | ')}>` : printFields(fields)
  return declared.add(`${name}Search`, type, 'The fields that a search finds')
}

function printEntity(
  [entity, definition]: readonly [string, EntityDefinition],
  pages: ConnectorDefinition['pages'],
  declared: Declarations,
) {
  const { about, key, record, context_store_search: searchable } = definition
  const name = toPascal(entity)
  const members = [`key: readonly [${key.map(quote).join(', ')}]`]
  const recordName =
    record === undefined ? undefined : declared.add(`${name}Record`, printFields(record), `A record of ${entity}: ${about}`)
  if (recordName !== undefined) members.push(`record: ${recordName}`)
  for (const action of listLiveActions(definition)) {
    const operation = definition[action]
    if (operation === undefined) continue
    const isEmpty = Object.keys(operation.params).length === 0
    const said = `Parameters of ${entity} ${action}`
    const params = isEmpty ? noFields : declared.add(`${name}${toPascal(action)}Params`, printFields(operation.params), said)
    members.push(`${action}: ${printOperation(operation, params, pages)}`)
  }
  if (searchable !== undefined)
    members.push(`context_store_search: ${declareSearch(declared, { name, recordName, record, fields: searchable })}`)
  return `${printName(entity)}: {\n  ${members.join('\n  ')}\n}`
}

/** Names the type of a kind: `GithubKind`. */
export const nameKindType = (kind: string): string => `${toPascal(kind)}Kind`

/**
 * Prints the declarations of a kind as one TypeScript module.
 * @param by the command that prints them, for the first line
 * @returns its text
 */
export function printTypes(definition: ConnectorDefinition, by: string): string {
  const { kind, title, credentials, configuration, entities, pages } = definition
  const declared = new Declarations()
  const printed = Object.entries(entities).map((each) => printEntity(each, pages, declared))
  const schemes = Object.entries(credentials).map(([scheme, { fields }]) => `${printName(scheme)}: ${printFields(fields)}`)
  const members = [
    `kind: ${quote(kind)}`,
    `credentials: {\n  ${schemes.map(indent).join('\n  ')}\n}`,
    `configuration: ${printFields(configuration)}`,
    `entities: {\n  ${printed.map(indent).join('\n  ')}\n}`,
  ]
  declared.add(
    nameKindType(kind),
    `TypedDefinition<{\n  ${members.map(indent).join('\n  ')}\n}>`,
    `${title}, as \`loadKind<${nameKindType(kind)}>\` gives it to \`connect\``,
  )
  return [
    `/** Types of the kind ${kind}. Printed by \`${by}\`; do not edit. */`,
    "import type { TypedDefinition } from 'ferrule/kind'",
    ...declared.texts,
  ]
    .join('\n\n')
    .concat('\n')
}
