/** `describe`: what a connector offers, sized to what was asked. */

import type { Schema } from '../../document/kind-document.ts'
import { readProperties, readTypes } from '../../document/schema.ts'
import { listWritten } from '../../values/filter/words.ts'
import type { ActionDocument, EntityDocument } from '../../wire/definitions.ts'
import { quoteName } from '../answers/bounds.ts'
import { writeLine } from '../answers/json.ts'
import { writeLines } from '../answers/lines.ts'
import { defineTool, type RunningCall, readString, reads } from '../context.ts'
import { quoteVendor } from '../failures.ts'
import { findAction, findEntity, type Target, writeActions, writeExample } from '../operations.ts'
import type { LinesPosition } from '../positions.ts'
import { writeProperties } from '../schema-lines.ts'
import type { AgentAnswer } from '../types.ts'
import { connectorRule, findTarget } from './execute.ts'

const listActions = ({ actions, searchable }: EntityDocument, canWrite: boolean): string => {
  const names = actions.flatMap(({ action }) => (canWrite || !writeActions.includes(action) ? [action] : []))
  return [...names, ...(searchable === null ? [] : ['search'])].join(', ')
}

/** Describes a connector: a line for each entity. */
function describeConnector({ connector, kind }: Target, canWrite: boolean): readonly string[] {
  const { name, state, reason } = connector
  return [
    `${quoteName(name)} is a connector of ${kind.title} (${kind.kind}), ${state}. ${kind.description}`,
    ...(reason === null ? [] : [quoteVendor(reason)]),
    'Entities with their actions; describe one for its parameters and fields:',
    ...kind.entities.map((entity) => `- ${entity.entity} (${listActions(entity, canWrite)}): ${entity.description}`),
  ]
}

/** Describes an action with all of its parameters. */
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

/** Describes an entity, or one action of it. */
function describeEntity({ connector, kind }: Target, document: EntityDocument, [only, canWrite]: readonly [string | undefined, boolean]) {
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

async function run(running: RunningCall): Promise<AgentAnswer> {
  const { context, args, from } = running
  const target = await findTarget(running, readString(running, 'connector'))
  const name = readString(running, 'entity')
  const { canWrite, maxTokens, handles } = context
  const only = readString(running, 'action')
  const lines =
    name === undefined ? describeConnector(target, canWrite) : describeEntity(target, findEntity(target, name), [only, canWrite])
  const locate = (at: number): LinesPosition => ({ type: 'lines', tool: 'describe', args, place: { at } })
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
  run,
})
