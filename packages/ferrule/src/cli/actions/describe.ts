/** `describe`: what a kind offers, with an example for HTTP, TypeScript and the command. */
import type { KindDocument, Schema } from '../../document/kind-document.ts'
import { isRequired, makeParams, readProperties, readTypes } from '../../document/schema.ts'
import { writeJson } from '../../values/json/json.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import type { CommandContext } from '../context.ts'
import { findAction, findEntity, readKind } from '../target/kinds.ts'

/** Describes the fields of a schema as rows. */
const describeFields = (schema: Schema | null) =>
  readProperties(schema).map(([name, field]) => ({
    name,
    type: readTypes(field).join(' or ') || 'any',
    required: isRequired(schema, name),
    about: typeof field['description'] === 'string' ? field['description'] : '',
  }))

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Builds the same call for the command, for TypeScript and for HTTP. */
export function buildExamples(kind: KindDocument, entity: string, action: EntityDocument['actions'][number]) {
  const params = makeParams(action.params)
  const hasParams = Object.keys(params).length > 0
  const words = action.action === 'download' ? `download ${kind.kind} ${entity}` : `execute ${kind.kind} ${entity} ${action.action}`
  const body = { entity, action: action.action, ...(hasParams ? { params } : {}) }
  return {
    command: `ferrule ${words}${hasParams ? ` --params ${quote(writeJson(params))}` : ''}`,
    typescript: `await connect('${kind.kind}', options).${entity}.${action.action}(${hasParams ? writeJson(params) : ''})`,
    http: `POST /api/v1/integrations/connectors/{connector_id}/execute ${writeJson(body)}`,
  }
}

const summarize = ({ entity, description, actions, searchable }: EntityDocument) => ({
  entity,
  actions: actions.map(({ action }) => action).join(', '),
  searchable: searchable !== null,
  description,
})

/** Writes one part of a description on a terminal: a title and a table. */
async function writePart({ output }: CommandContext, title: string, rows: readonly unknown[]): Promise<void> {
  if (rows.length === 0) return
  await output.sink.write(`\n${title}\n`)
  await output.rows([rows])
}

async function describeEntity(kind: KindDocument, entity: EntityDocument, context: CommandContext): Promise<void> {
  const { output } = context
  const { actions, record, searchable } = entity
  if (output.options.format !== 'table' || output.options.jq !== undefined) return output.value({ kind: kind.kind, ...entity })
  await output.sink.write(`${kind.title}: ${entity.entity}. ${entity.description}\n`)
  await writePart(
    context,
    'Actions',
    actions.map(({ action, description }) => ({ action, description })),
  )
  await writePart(context, 'Fields of a record', describeFields(record))
  await writePart(context, 'Searchable fields', describeFields(searchable))
}

async function describeAction(kind: KindDocument, context: CommandContext): Promise<void> {
  const [, entity = '', name = ''] = context.args
  const { output } = context
  const action = findAction(kind, entity, name)
  const examples = buildExamples(kind, entity, action)
  if (output.options.format !== 'table' || output.options.jq !== undefined)
    return output.value({ kind: kind.kind, entity, ...action, examples })
  await output.sink.write(`${kind.title}: ${name} of ${entity}. ${action.description}\n`)
  await writePart(context, 'Parameters', describeFields(action.params))
  await writePart(
    context,
    'Example',
    Object.entries(examples).map(([way, call]) => ({ way, call })),
  )
}

/** Describes a kind, an entity or an action. */
export async function describe(context: CommandContext): Promise<void> {
  const [name = '', entity, action] = context.args
  const kind = await readKind(name, context)
  if (entity === undefined) return void (await context.output.list([kind.entities.map(summarize)]))
  if (action === undefined) return describeEntity(kind, findEntity(kind, entity), context)
  await describeAction(kind, context)
}
