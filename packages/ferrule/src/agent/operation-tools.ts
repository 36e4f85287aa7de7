/** Tools for single operations, on request: each has the parameters of its operation as its arguments. */
import { isObject } from '../definition/object.ts'
import { makeParams, readProperties } from '../document/schema.ts'
import { failValidation } from '../errors.ts'
import { findNearNames } from '../values/near-names.ts'
import type { ActionDocument } from '../wire/definitions.ts'
import { writeLine } from './answers/json.ts'
import { type CheckedArguments, isHostMember, readObject } from './arguments.ts'
import { type RunningCall, reads, type ToolContext, type ToolDefinition } from './context.ts'
import { explainOperation, writeActions } from './operations.ts'
import { answerRead, answerWrite, start } from './reading.ts'
import { dropFilledIn, fitToSchema, toSafeSchema } from './safe-schema.ts'
import type { AgentConnector, AgentKind, RequestLimits } from './source.ts'
import { buildKey } from './tools/write.ts'
import type { AgentAnswer, JsonSchema } from './types.ts'

/** Longest name that every framework takes. */
const longestName = 64
/** Maximum number of tools: models get lost among more, and most providers refuse more than 128. */
const mostTools = 100

/** An operation that a tool stands for. */
interface ToolOperation {
  readonly kind: AgentKind
  readonly entity: string
  readonly action: ActionDocument
  /** The connectors of the kind. */
  readonly connectors: readonly AgentConnector[]
}

const nameOperation = ({ kind, entity, action }: ToolOperation): string => `${kind.kind}.${entity}.${action.action}`

/** Makes a name of letters, digits and `_`, which begins with a letter. */
const toToolName = (operation: string): string =>
  operation
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .replace(/^(?![a-zA-Z])/, 'o')
    .slice(0, longestName)

/** Returns whether a pattern means an operation: each part is a name or `*`. */
function matches(pattern: string, operation: string): boolean {
  const [wanted, given] = [pattern.split('.'), operation.split('.')]
  return wanted.length <= given.length && given.every((part, index) => (wanted[index] ?? '*') === '*' || wanted[index] === part)
}

/** Lists the operations of every connected kind. */
async function listOperations({ reach }: ToolContext, limits: RequestLimits): Promise<readonly ToolOperation[]> {
  const byKind = Map.groupBy(await reach.listAll(limits), ({ kind }) => kind)
  const all = await Promise.all(
    [...byKind.values()].map(async (connectors) => {
      const [first] = connectors
      if (first === undefined) return []
      const kind = await reach.source.readKind(first, limits)
      return kind.entities.flatMap(({ entity, actions }) => actions.map((action): ToolOperation => ({ kind, entity, action, connectors })))
    }),
  )
  return all.flat()
}

/** Names of operations in the form of a pattern: with as many parts, and with `*` where it has one. */
function listForms(pattern: string, operations: readonly ToolOperation[]): readonly string[] {
  const parts = pattern.split('.')
  const forms = operations.map((operation) =>
    nameOperation(operation)
      .split('.')
      .slice(0, parts.length)
      .map((name, at) => (parts[at] === '*' ? '*' : name))
      .join('.'),
  )
  return [...new Set(forms)]
}

/** Refuses a pattern that means nothing. */
function failPattern(pattern: string, index: number, operations: readonly ToolOperation[]): Error {
  const near = findNearNames(pattern, listForms(pattern, operations))
  const kinds = [...new Set(operations.map(({ kind }) => kind.kind))]
  const known = kinds.length === 0 ? 'nothing is connected' : `connected: ${kinds.join(', ')}`
  const hint = near.length === 0 ? known : `nearest: ${near.join(', ')}`
  return failValidation([{ field: `/include/${index}`, message: `means no operation of a connected kind; ${hint}`, error_code: 'value' }])
}

/** Chooses the operations that patterns mean; those that write only where the tools may write. */
function chooseOperations(operations: readonly ToolOperation[], include: readonly string[], canWrite: boolean): readonly ToolOperation[] {
  const isOffered = ({ action }: ToolOperation): boolean => canWrite || !writeActions.includes(action.action)
  const chosen = include.flatMap((pattern, index) => {
    const found = operations.filter((operation) => matches(pattern, nameOperation(operation)))
    if (found.length === 0) throw failPattern(pattern, index, operations)
    if (!found.some(isOffered))
      throw failValidation([{ field: `/include/${index}`, message: 'writes: set the option write too', error_code: 'value' }])
    return found.filter(isOffered)
  })
  const unique = [...new Set(chosen)]
  if (unique.length <= mostTools) return unique
  const message = `means ${unique.length} operations; ${mostTools} tools are the most. The general tools reach everything`
  throw failValidation([{ field: '/include', message, error_code: 'value' }])
}

/** Name of the argument that chooses the connector, where a kind has several. */
const connectorArgument = 'connector_name'
/** Maximum number of connectors that a schema lists. */
const mostNames = 20

/** Builds the schema of the arguments: the parameters, and the connector where there are several. */
function buildSchema({ action, connectors }: ToolOperation): JsonSchema {
  const {
    properties,
    required = [],
    ...schema
  }: JsonSchema = { type: 'object', additionalProperties: false, ...toSafeSchema(action.params) }
  if (connectors.length < 2) return { ...schema, properties: properties ?? {}, ...(isEmpty(required) ? {} : { required }) }
  const names = connectors.map(({ name }) => name)
  const choice = { type: 'string', description: 'Name of the connector', ...(names.length <= mostNames ? { enum: names } : {}) }
  return {
    ...schema,
    properties: { [connectorArgument]: choice, ...(isObject(properties) ? properties : {}) },
    required: [connectorArgument, ...(Array.isArray(required) ? required : [])],
  }
}

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0

/** Writes a call that fits. */
function buildExample({ action, connectors }: ToolOperation, also?: readonly string[]): Readonly<Record<string, unknown>> {
  const [first] = connectors
  return { ...(connectors.length > 1 ? { [connectorArgument]: first?.name } : {}), ...makeParams(action.params, also) }
}

async function runOperation(operation: ToolOperation, running: RunningCall, toolName: string): Promise<AgentAnswer> {
  const { kind, entity, action, connectors } = operation
  const { [connectorArgument]: name, ...params } = running.args
  const { reach } = running.context
  const [only] = connectors
  const connector =
    only !== undefined && connectors.length === 1
      ? await reach.get(only.id, running.limits)
      : await reach.find(typeof name === 'string' ? name : kind.kind, running.limits)
  const isWrite = writeActions.includes(action.action)
  const request = { entity, action: action.action, params, ...(isWrite ? { idempotencyKey: buildKey(running) } : {}) }
  const reading = { connector, kind, request, offset: start }
  try {
    return await (isWrite ? answerWrite(running, reading) : answerRead(running, reading))
  } catch (thrown) {
    throw explainOperation(thrown, action, (also) => `${toolName} ${writeLine(buildExample(operation, also))}`)
  }
}

/** Checks that arguments are an object, and fits them; the operation checks the rest. */
function checkObject(given: unknown, { action, params }: ActionDocument): CheckedArguments {
  const object = fitToSchema(readObject(given), params)
  if (!isObject(object))
    return { args: {}, problems: [{ field: '/arguments', message: 'must be an object, such as {"name":"value"}', error_code: 'type' }] }
  const known = new Set(readProperties(params).map(([name]) => name))
  const own = Object.fromEntries(Object.entries(object).filter(([name]) => known.has(name) || !isHostMember(name)))
  return { args: writeActions.includes(action) ? own : dropFilledIn(own, params), problems: [] }
}

function buildTool(operation: ToolOperation, name: string): ToolDefinition {
  const { kind, entity, action } = operation
  const isWrite = writeActions.includes(action.action)
  const title = `${kind.title} ${entity} ${action.action}`
  const example = buildExample(operation)
  return {
    name,
    example,
    description: `${kind.title}, ${action.action} ${entity}: ${action.description}`,
    inputSchema: buildSchema(operation),
    annotations: isWrite ? { title, readOnlyHint: false, destructiveHint: true, openWorldHint: true } : reads(title, true),
    check: (given) => checkObject(given, action),
    run: (running) => runOperation(operation, running, name),
  }
}

/** Names tools apart: two long names can begin alike. */
function nameTools(operations: readonly ToolOperation[]): readonly string[] {
  const taken = new Set<string>()
  return operations.map((operation) => {
    const whole = toToolName(nameOperation(operation))
    let name = whole
    for (let number = 2; taken.has(name); number += 1) name = `${whole.slice(0, longestName - 4)}_${number}`
    taken.add(name)
    return name
  })
}

/**
 * Makes a tool for each operation that the patterns mean.
 * @param include operations such as `gong.calls.list`, `shopify.orders.*` or `gong`
 * @throws FerruleError `validation_failed` for a pattern that means nothing, and for too many tools
 */
export async function buildOperationTools(context: ToolContext, include: readonly string[]): Promise<readonly ToolDefinition[]> {
  const operations = chooseOperations(await listOperations(context, {}), include, context.canWrite)
  const names = nameTools(operations)
  return operations.map((operation, index) => buildTool(operation, names[index] ?? ''))
}
