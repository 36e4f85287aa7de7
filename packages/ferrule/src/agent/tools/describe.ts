/**
 * `describe`: what a connector offers, sized to what was asked. Schemas are short lines: a model reads them with a third of the tokens.
 * `list_connectors`: what is connected, with its state, and how fresh the copies are.
 */
import { isObject } from '../../definition/object.ts'
import type { Schema } from '../../document/kind-document.ts'
import { isRequired, readProperties, readTypes } from '../../document/read-schema.ts'
import { listWritten } from '../../values/filter/syntax.ts'
import type { ActionDocument, EntityDocument } from '../../wire/definitions.ts'
import type { AgentConnector, EntityFreshness } from '../agent-source.ts'
import { quoteName, writeLines } from '../answers/bounds.ts'
import { toOneLine, writeLine } from '../answers/json.ts'
import { defineTool, type RunningCall, readString, reads } from '../context.ts'
import { quoteVendor } from '../failures.ts'
import { type Described, findAction, findEntity, writeActions, writeExample } from '../find-operation.ts'
import type { LinesPosition } from '../reading.ts'
import type { AgentAnswer, JsonSchema } from '../types.ts'
import { connectorRule, findDescribed } from './execute.ts'

const listActions = ({ actions, searchable }: EntityDocument, canWrite: boolean): string => {
  const names = actions.flatMap(({ action }) => (canWrite || !writeActions.includes(action) ? [action] : []))
  return [...names, ...(searchable === null ? [] : ['search'])].join(', ')
}

/** Describes a connector: a line for each entity. */
function describeConnector({ connector, kind }: Described, canWrite: boolean): readonly string[] {
  const { name, state, reason } = connector
  return [
    `${quoteName(name)} is a connector of ${kind.title} (${kind.kind}), ${state}. ${kind.description}`,
    ...(reason === null ? [] : [quoteVendor(reason)]),
    'Entities with their actions; describe one for its parameters and fields:',
    ...kind.entities.map((entity) => `- ${entity.entity} (${listActions(entity, canWrite)}): ${entity.description}`),
  ]
}

function describeAction(action: ActionDocument, example: string): readonly string[] {
  const params = writeProperties(action.params, { levels: 4, isInput: true })
  return [
    `Action ${action.action}: ${action.description}. ${params.length === 0 ? 'No parameters.' : 'Parameters (? can be left out):'}`,
    ...params,
    `  Example: ${example}`,
  ]
}

const isTime = (schema: Schema): boolean => schema['format'] === 'date-time'

/** What each type of searchable field can be compared with. */
const operators = [
  `Operators of where: strings ${listWritten('value', 'values', 'words', 'text').join(' ')}; ` +
    `numbers and times ${listWritten('value', 'values', 'ordered').join(' ')}; booleans =; ` +
    `lists ${listWritten('element', 'elements').join(', ')}; all: is null.`,
]

/** Writes an example of a search: by a time and by words, where the entity has such fields. */
function writeSearch(connector: string, { entity, searchable }: EntityDocument): string {
  const properties = readProperties(searchable)
  const time = properties.find(([, schema]) => isTime(schema))?.[0]
  const texts = properties.flatMap(([name, schema]) => (readTypes(schema).includes('string') && !isTime(schema) ? [name] : []))
  const text = texts.find((name) => /title|name|subject|email/i.test(name)) ?? texts.find((name) => !/id$/i.test(name))
  const where = [time === undefined ? [] : `${time} >= 2026-01-01`, text === undefined ? [] : `${text} fuzzy "word"`].flat().join(' and ')
  const call = { connector, entity, ...(where === '' ? {} : { where }), ...(time === undefined ? {} : { sort: `${time} desc` }) }
  return `search ${writeLine(call)}`
}

/** Describes what can be searched. @param told names of fields that are described elsewhere */
function describeSearch(connector: string, document: EntityDocument, told: ReadonlySet<string>): readonly string[] {
  const { searchable } = document
  if (searchable === null) return []
  const left = Object.fromEntries(readProperties(searchable).filter(([name]) => !told.has(name)))
  const others = writeProperties({ properties: left }, { levels: 2, isInput: false })
  const heading = told.size === 0 ? 'Searchable fields:' : 'Searchable beside them:'
  return [...(others.length === 0 ? [] : [heading, ...others]), ...operators, `  Example: ${writeSearch(connector, document)}`]
}

/** Describes the fields of a record and what can be searched: each field once. */
function describeFields(connector: string, document: EntityDocument): readonly string[] {
  const { record, searchable } = document
  if (record === null) return describeSearch(connector, document, new Set())
  const names = new Set(readProperties(record).map(([name]) => name))
  const marked = new Set(readProperties(searchable).flatMap(([name]) => (names.has(name) ? [name] : [])))
  const heading = marked.size === 0 ? 'Fields of a record:' : 'Fields of a record (* can be searched):'
  return [heading, ...writeProperties(record, { levels: 2, isInput: false, marked }), ...describeSearch(connector, document, marked)]
}

function describeEntity(
  { connector, kind }: Described,
  document: EntityDocument,
  [only, canWrite]: readonly [string | undefined, boolean],
) {
  const { entity, description, key, actions } = document
  if (only === 'search' && document.searchable !== null) return describeSearch(connector.name, document, new Set())
  const chosen = only === undefined ? actions : [findAction(document, only)]
  const offered = chosen.filter(({ action }) => canWrite || !writeActions.includes(action))
  const lines = [
    `${kind.kind} ${entity}: ${description}. Key: ${key.join(', ')}.`,
    ...offered.flatMap((action) => describeAction(action, writeExample({ connector, entity, action }))),
  ]
  return only === undefined ? [...lines, ...describeFields(connector.name, document)] : lines
}

async function runDescribe(running: RunningCall): Promise<AgentAnswer> {
  const { context, args, from } = running
  const described = await findDescribed(running, readString(running, 'connector'))
  const name = readString(running, 'entity')
  const { canWrite, maxTokens, handles } = context
  const only = readString(running, 'action')
  const lines =
    name === undefined ? describeConnector(described, canWrite) : describeEntity(described, findEntity(described, name), [only, canWrite])
  const locate = (at: number): LinesPosition => ({ type: 'lines', tool: 'describe', args, offset: { at } })
  const text = await writeLines({
    lines,
    at: from?.at ?? 0,
    maxTokens,
    writeHandle: (at) => handles.write(locate(at)),
  })
  return { text, isError: false }
}

/** Describes a connector, an entity or an action. */
export const describe = defineTool({
  name: 'describe',
  description:
    'Describe a connector: its entities. With an entity: actions with parameters, fields, searchable fields with operators, an example. Call it ' +
    'before execute, search and write.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Entity; leave out to list all entities' },
    action: { type: 'string', about: 'Only this action of the entity, or search' },
  },
  annotations: reads('Describe', false),
  scope: 'connectors:read',
  example: { connector: 'gong', entity: 'calls' },
  run: runDescribe,
})

/** Maximum number of values that a type lists. */
const mostChoices = 30

const readItems = ({ items }: JsonSchema): JsonSchema | undefined => (isObject(items) ? items : undefined)

const readChoices = (schema: JsonSchema): readonly unknown[] | undefined => [schema['enum'], schema['x-known-values']].find(Array.isArray)

/** Formats a type: `string`, `date-time`, `"a" | "b"`, `integer 1..100`, `string[]`. */
function formatType(schema: JsonSchema): string {
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

interface SchemaForm {
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
function writeProperties(schema: JsonSchema | null, { levels, isInput, marked }: SchemaForm, indent = '  '): readonly string[] {
  return readProperties(schema).flatMap(([name, field]) => {
    const optional = isInput && !isRequired(schema, name) ? '?' : ''
    const mark = marked?.has(name) === true ? '*' : ''
    const about = typeof field['description'] === 'string' ? `: ${toOneLine(field['description'])}` : ''
    const inner = levels > 1 ? findInner(field) : undefined
    const below = inner === undefined ? [] : writeProperties(inner, { levels: levels - 1, isInput }, `${indent}  `)
    return [`${indent}${name}${optional}${mark} ${formatType(field)}${about}`, ...below]
  })
}

/** Maximum number of connectors of a page whose copies are described at once. */
const mostWithCopies = 5

const listConnector = ({ id, name, kind, workspace, state, reason }: AgentConnector): string => {
  const shownWorkspace = workspace === null ? '' : `, workspace ${quoteName(workspace)}`
  const own = id === name ? '' : `, id ${id}`
  return `${quoteName(name)}: ${kind}, ${state}${shownWorkspace}${own}${reason === null ? '' : `. ${quoteVendor(reason)}`}`
}

/** Describes copies: a line for each that can be searched, one for all others of a state. */
function describeStates(copies: readonly EntityFreshness[]): readonly string[] {
  const ready = copies.filter(({ searchable }) => searchable)
  const lines = ready.map(
    ({ entity, state, records, syncedAt }) =>
      `  ${entity}: ${state}, ${records} records, ${syncedAt === null ? 'never synced' : `synced ${syncedAt}`}`,
  )
  const others = Map.groupBy(
    copies.filter(({ searchable }) => !searchable),
    ({ state }) => state,
  )
  return [...lines, ...[...others].map(([state, list]) => `  ${state}, not searchable: ${list.map(({ entity }) => entity).join(', ')}`)]
}

/** Describes the copies of a connector. What cannot be read now is told, because the list itself is good. */
async function describeCopies({ context, limits }: RunningCall, connector: AgentConnector): Promise<readonly string[]> {
  const { source } = context.reach
  if (source.readFreshness === undefined) return []
  try {
    const copies = await source.readFreshness(connector, limits)
    return copies.length === 0 ? [] : ['  Copies for search:', ...describeStates(copies)]
  } catch (thrown) {
    limits.signal?.throwIfAborted()
    return [thrown instanceof Error ? '  The state of its copies cannot be read now.' : '']
  }
}

async function runListConnectors(running: RunningCall): Promise<AgentAnswer> {
  const { context, limits, from, args } = running
  const wanted = readString(running, 'connector')
  const cursor = from?.cursor
  const { connectors, next } =
    wanted === undefined ? await context.reach.list(cursor, limits) : { connectors: [await context.reach.find(wanted, limits)], next: null }
  const withCopies = connectors.length <= mostWithCopies
  const each = await Promise.all(
    connectors.map(async (one) => [listConnector(one), ...(withCopies ? await describeCopies(running, one) : [])]),
  )
  const lines = each.flat()
  const { handles } = context
  const locate = (at: number, page = cursor): LinesPosition => {
    return { type: 'lines', tool: 'list_connectors', args, offset: { at, cursor: page } }
  }
  const following = next === null ? undefined : await handles.write(locate(0, next))
  const closing = following === undefined ? [] : [`More connectors follow: read_more {"handle":"${following}"}`]
  if (lines.length === 0 && next === null)
    return { text: 'No connector is connected. Ask the user to connect one.', isError: false, result: [] }
  if (!withCopies) closing.push('For the state of its searchable copies: list_connectors with the name of one connector.')
  const text = await writeLines({
    lines: [...lines, ...closing],
    at: from?.at ?? 0,
    maxTokens: context.maxTokens,
    writeHandle: (at) => handles.write(locate(at)),
  })
  return { text, isError: false, result: connectors }
}

/** Lists connectors with their state. */
export const listConnectors = defineTool({
  name: 'list_connectors',
  description: 'List the connected systems with their state, and how fresh their searchable copies are.',
  rules: { connector: { type: 'string', about: 'Name or id of one connector; leave out for all' } },
  annotations: reads('List connectors', false),
  scope: 'connectors:read',
  example: {},
  run: runListConnectors,
})
