/** `execute`: runs an action that reads. `write`: runs one that changes something, once. */
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import type { ActionDocument } from '../../wire/definitions.ts'
import type { ArgumentRule } from '../arguments.ts'
import { defineTool, type RunningCall, readString, readStrings, reads } from '../context.ts'
import { type Described, Explained, explainOperation, findAction, findEntity, writeActions, writeExample } from '../find-operation.ts'
import { answerRead, answerWrite, start } from '../reading.ts'
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

const runIds = new WeakMap<object, string>()
/** Least number of changes between small letters, capitals and digits in the random part of an id. */
const leastChanges = 3
/** Longest key that the service takes. */
const longestKey = 200

function nameRun(run: object): string {
  const known = runIds.get(run)
  if (known !== undefined) return known
  const made = crypto.randomUUID()
  runIds.set(run, made)
  return made
}

const classify = (character: string): string => (/\d/.test(character) ? 'digit' : /[a-z]/.test(character) ? 'small' : 'capital')
const countChanges = (part: string): number =>
  Array.from(part).filter((character, at, all) => at > 0 && classify(character) !== classify(all[at - 1] ?? '')).length

/**
 * Returns whether an id has a random part of 8 letters and digits at least. Some providers count calls instead of it, as in
 * `functions.write:3`, from 0 in each conversation.
 */
export const isRandom = (callId: string): boolean =>
  (callId.match(/[a-zA-Z0-9]{8,}/g) ?? []).reduce((changes, part) => changes + countChanges(part), 0) >= leastChanges

/**
 * Builds the key of a write from the framework's id of the call; undefined where the id may stand for another call too.
 * A key that two writes share would swallow the second one.
 */
export function buildKey({ context, call }: Pick<RunningCall, 'context' | 'call'>): string | undefined {
  const { callId, run } = call
  if (callId === undefined || callId === '') return undefined
  if (run === undefined && !isRandom(callId)) return undefined
  const key = `${typeof run === 'object' ? nameRun(run) : `${context.runId}${run === undefined ? '' : `:${run}`}`}:${callId}`
  return key.length <= longestKey ? key : undefined
}

async function runWrite(running: RunningCall): Promise<AgentAnswer> {
  const described = await findDescribed(running, readString(running, 'connector'))
  const document = findEntity(described, readString(running, 'entity') ?? '')
  const { entity } = document
  const name = readString(running, 'action') ?? ''
  const action = findAction(document, name)
  if (!writeActions.includes(name))
    throw new Explained(fail('action_not_supported', { entity, action: name, known: writeActions.join(', ') }), ['The tool execute reads.'])
  const idempotencyKey = readString(running, 'idempotency_key') ?? buildKey(running)
  const request = { entity, action: name, params: readParams(running, action), idempotencyKey }
  try {
    return await answerWrite(running, { connector: described.connector, kind: described.kind, request, offset: start })
  } catch (thrown) {
    throw explainOperation(thrown, action, (also) => writeExample({ connector: described.connector, entity, action }, also))
  }
}

/** Changes records of a vendor. */
export const write = defineTool({
  name: 'write',
  description: 'Create, update or delete at a connected system. Each call is carried out once. Call describe first.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Entity', required: true },
    action: { type: 'string', about: 'What to do', required: true, choices: writeActions },
    params: { type: 'object', about: 'Parameters of the action' },
    idempotency_key: { type: 'string', about: 'Only to repeat a write whose outcome is unknown: the same key is carried out once' },
  },
  annotations: { title: 'Write to a system', readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  scope: 'execute:write',
  example: { connector: 'warehouse', entity: 'record', action: 'create', params: { statement: "INSERT INTO T (A) VALUES ('x')" } },
  run: runWrite,
})
