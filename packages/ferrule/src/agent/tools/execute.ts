/** `execute`: runs an action that reads. */
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import type { ActionDocument } from '../../wire/definitions.ts'
import type { ArgumentRule } from '../arguments.ts'
import { defineTool, type RunningCall, readString, readStrings, reads } from '../context.ts'
import { type Described, Explained, explainOperation, findAction, findEntity, writeActions, writeExample } from '../operations.ts'
import { answerRead, start } from '../reading.ts'
import { fitToSchema } from '../safe-schema.ts'
import type { AgentAnswer } from '../types.ts'

/** Finds the connector that a call names, and its kind. */
export async function findDescribed({ context, limits }: RunningCall, name: string | undefined): Promise<Described> {
  const connector = await context.reach.find(name, limits)
  return { connector, kind: await context.reach.source.readKind(connector, limits) }
}

/** The argument that names the connector. */
export const connectorRule: ArgumentRule = { type: 'string', about: 'Name or id of the connector', required: true, isFound: true }

/** Reads the parameters of an operation; left out: none. */
export function readParams({ args }: Pick<RunningCall, 'args'>, { params: schema }: ActionDocument): Readonly<Record<string, unknown>> {
  const fitted = fitToSchema(args['params'] ?? {}, schema)
  return isObject(fitted) ? fitted : {}
}

/** Refuses an action that writes. */
function refuseWrite({ context }: RunningCall, entity: string, action: string): never {
  const error = fail('action_not_supported', { entity, action, known: 'actions that read' })
  throw new Explained(error, [
    context.canWrite ? 'The tool write takes create, update and delete.' : 'These tools read only. Tell the user.',
  ])
}

async function run(running: RunningCall): Promise<AgentAnswer> {
  const described = await findDescribed(running, readString(running, 'connector'))
  const document = findEntity(described, readString(running, 'entity') ?? '')
  const name = readString(running, 'action') ?? ''
  const { entity } = document
  if (writeActions.includes(name)) refuseWrite(running, entity, name)
  const action = findAction(document, name)
  const request = { entity, action: name, params: readParams(running, action), fields: readStrings(running, 'fields') }
  try {
    return await answerRead(running, { connector: described.connector, kind: described.kind, request, offset: start, canNarrow: true })
  } catch (thrown) {
    throw explainOperation(thrown, action, (also) => writeExample({ connector: described.connector, entity, action }, also))
  }
}

/** Reads records of a vendor. */
export const execute = defineTool({
  name: 'execute',
  description:
    'Read live from a connected system: list or get records, run a SELECT, look at a file. Changes nothing. Call describe first for entities, ' +
    'actions and parameters.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Entity, for example calls', required: true },
    action: { type: 'string', about: 'list, get or download', required: true },
    params: { type: 'object', about: 'Parameters of the action' },
    fields: { type: 'strings', about: 'Keep only these fields of each record, for example ["id","parties.name"]' },
  },
  annotations: reads('Read from a system', true),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', action: 'list', params: { fromDateTime: '2026-01-01T00:00:00Z' } },
  run,
})
