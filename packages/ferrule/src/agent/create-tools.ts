/** Makes the tools of a source (docs/decisions/agents.md). */

import { isObject } from '../definition/object.ts'
import { makeParams, readProperties } from '../document/read-schema.ts'
import { asFerruleError, failValidation } from '../errors.ts'
import { inSpan, type SpanStart } from '../tracing.ts'
import { listLossyValues } from '../values/json/lossy.ts'
import { findNearNames } from '../values/near-names.ts'
import { checkOptions, type OptionRule, type OptionRules } from '../values/options.ts'
import type { ActionDocument } from '../wire/definitions.ts'
import type { McpScope } from '../wire/mcp-tokens.ts'
import type { AgentConnector, AgentKind, RequestLimits } from './agent-source.ts'
import { boundText } from './answers/bounds.ts'
import { writeLine } from './answers/json.ts'
import { type Arguments, type CheckedArguments, isHostMember, readObject, suggest } from './arguments.ts'
import { defineTool, type RunningCall, readString, reads, type ToolContext, type ToolDefinition } from './context.ts'
import { answerFailure, answerProblems } from './failures.ts'
import { Explained, explainOperation, writeActions } from './find-operation.ts'
import { failHandle, Handles } from './handles.ts'
import { createKeptStore, type KeptStore } from './kept.ts'
import { type Narrowing, Reach } from './reach.ts'
import { answerKept, answerRead, answerWrite, isPosition, type KeptPosition, type ReadPosition, start } from './reading.ts'
import { dropFilledIn, fitToSchema, toSafeSchema } from './safe-schema.ts'
import { type AgentSources, nameSources, openSources } from './sources/open.ts'
import { aggregate, changes, search } from './tools/copies.ts'
import { describe, listConnectors } from './tools/describe.ts'
import { buildKey, execute, write } from './tools/execute.ts'
import type { AgentAnswer, AgentTool, JsonSchema, ToolCall } from './types.ts'

const refuseZone = (zone: string): Error => {
  const known = Intl.supportedValuesOf('timeZone')
  return failValidation([
    { field: '/time_zone', message: `must be a name such as Europe/Berlin${suggest(zone, known)}`, error_code: 'value' },
  ])
}

/** Makes the printer of a zone. It costs more than the rest of a call. */
const createFormat = (zone: string) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'long' })

/** The printer of UTC, once it was used. */
let utcFormat: Intl.DateTimeFormat | undefined

function formatUtc(at: Date): string {
  utcFormat ??= createFormat('UTC')
  return utcFormat.format(at)
}

function formatIn(zone: string, at: Date): string {
  try {
    return createFormat(zone).format(at)
  } catch {
    throw refuseZone(zone)
  }
}

const currentTime = defineTool({
  name: 'current_time',
  description: 'The date and time now.',
  rules: { time_zone: { type: 'string', about: 'For example Europe/Berlin; UTC is always there' } },
  annotations: reads('Current time', false),
  example: { time_zone: 'Europe/Berlin' },
  run: async (running) => {
    const now = new Date(running.context.now())
    const zone = readString(running, 'time_zone')
    const utc = `${now.toISOString()} (${formatUtc(now)})`
    return { text: zone === undefined ? utc : `${utc}\n${zone}: ${formatIn(zone, now)}`, isError: false, result: now.toISOString() }
  },
})

async function readRows(running: RunningCall, position: ReadPosition | KeptPosition): Promise<AgentAnswer> {
  const { reach } = running.context
  const connector = await reach.get(position.connector, running.limits)
  const kind = await reach.source.readKind(connector, running.limits)
  const { row } = running.args
  const offset = typeof row === 'number' ? { at: row - 1, character: 0 } : position.offset
  if (position.type === 'kept') return answerKept(running, { connector, kind, offset, keptId: position.id })
  const { request, columns: id } = position
  // No handle of ours holds a write: this is the last line of defence.
  if (writeActions.includes(request.action)) throw failHandle('a write is never sent again')
  const list = id === undefined ? undefined : await running.context.handles.readKept(id)
  const columns = id !== undefined && Array.isArray(list) ? { id, list } : undefined
  return answerRead(running, { connector, kind, request, offset, columns })
}

/** Makes the tool. @param lineTools tools whose answers are lines, which are run again */
const buildReadMore = (lineTools: readonly ToolDefinition[]): ToolDefinition =>
  defineTool({
    name: 'read_more',
    description: 'Continue where an answer ended: give the handle that it named, unchanged.',
    rules: {
      handle: { type: 'string', about: 'The handle', required: true },
      row: { type: 'integer', about: 'Only this row, in full: its number' },
    },
    annotations: reads('Read more', true),
    scope: 'execute:read',
    example: { handle: 'the handle of the answer' },
    run: async (running) => {
      const position = await running.context.handles.read(readString(running, 'handle') ?? '')
      if (!isPosition(position)) throw failHandle('another version made the handle')
      if (position.type !== 'lines') return readRows(running, position)
      const tool = lineTools.find(({ name }) => name === position.tool)
      if (tool === undefined) throw failHandle('these tools have no such tool')
      return tool.run({ ...running, args: position.args, from: position.offset })
    },
  })

const usualMaxTokens = 8_000
/** Longest text of a caller that an example repeats. */
const longestTextOfExample = 100
/** What all tools of this process keep, when their program names no store. */
const sharedKept = createKeptStore()

/** Writes the example of a tool for the connector and the entity of the caller. What belongs to another entity is left out. */
function writeExample({ example, inputSchema: { required } }: ToolDefinition, args: Arguments): Readonly<Record<string, unknown>> {
  const own = Object.entries(args).filter(
    ([name, value]) => name in example && typeof value === 'string' && value.length <= longestTextOfExample,
  )
  const { connector = example['connector'], entity = example['entity'], ...others } = Object.fromEntries(own)
  const isOther = (name: string): boolean => entity !== example['entity'] && !(Array.isArray(required) && required.includes(name))
  const kept = Object.entries({ ...example, ...others }).filter(([name]) => name in others || !isOther(name))
  return { ...Object.fromEntries(kept), ...('connector' in example ? { connector } : {}), ...('entity' in example ? { entity } : {}) }
}

async function runTool(tool: ToolDefinition, context: ToolContext, [given, call]: readonly [unknown, ToolCall]): Promise<AgentAnswer> {
  const { signal, deadlineMs } = call
  signal?.throwIfAborted()
  const lost = listLossyValues(given)
  const { args, problems } = lost.length > 0 ? { args: {}, problems: lost } : tool.check(given)
  if (problems.length > 0) return answerProblems(problems, `A call that fits: ${tool.name} ${writeLine(writeExample(tool, args))}`)
  try {
    return await tool.run({ context, args, call, limits: { signal, deadlineMs } })
  } catch (thrown) {
    if (signal?.aborted === true) throw signal.reason
    return thrown instanceof Explained ? answerFailure(thrown.error, thrown.lines) : answerFailure(asFerruleError(thrown))
  }
}

const bind = (tool: ToolDefinition, context: ToolContext): AgentTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.inputSchema,
  annotations: tool.annotations,
  run: (args, call = {}) =>
    inSpan(
      () => describeTool(tool, call),
      async (span) => {
        const answer = await runTool(tool, context, [args, call])
        if (answer.isError) span?.fail(answer.code ?? 'internal_error')
        // Rows and lines are written within the budget.
        const isBounded = !answer.isError && answer.file === undefined
        return isBounded ? answer : { ...answer, text: boundText(answer.text, context.maxTokens) }
      },
    ),
})

/** Describes the span of a tool, in the names of OpenTelemetry's conventions for GenAI. Never its arguments, and never its answer. */
const describeTool = ({ name }: ToolDefinition, { callId, signal }: ToolCall): SpanStart => ({
  name: `execute_tool ${name}`,
  kind: 'internal',
  role: 'tool',
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': callId,
  },
  signal,
})

function buildContext(source: AgentSources, options: ToolOptions): ToolContext {
  const { maxTokens = usualMaxTokens, now = Date.now, kept = sharedKept } = options
  // Many programs make tools for each request: those of the same client or connections read each other's handles.
  const { subject = nameSources(source) } = options
  return {
    reach: new Reach(openSources(source), options),
    handles: new Handles({ subject, kept, now }),
    maxTokens,
    canWrite: options.write === true,
    runId: crypto.randomUUID(),
    now,
  }
}

const readMore = buildReadMore([listConnectors, describe, search])
/** The general tools that read, in the order of their list. */
const readers: readonly ToolDefinition[] = [listConnectors, describe, execute, search, aggregate, changes, readMore, currentTime]

/** Scopes that an MCP token needs for the general tools, by name; a tool without one takes any token. */
export const toolScopes: ReadonlyMap<string, McpScope> = new Map(
  [...readers, write].flatMap(({ name, scope }) => (scope === undefined ? [] : [[name, scope] as const])),
)

/**
 * Makes the tools of an agent. Adapters turn them into the tools of a framework.
 * @param source a `Ferrule` client, a connector of `connect`, several of them in a list or by name, or an `AgentSource`
 * @param options what the tools may do, and how large answers may be
 * @throws FerruleError `validation_failed` for wrong options
 */
export async function createTools(source: AgentSources, options: ToolOptions = {}): Promise<readonly AgentTool[]> {
  checkOptions(toolOptions, options)
  const context = buildContext(source, options)
  const reading =
    context.reach.source.readChanges === undefined ? readers.filter((tool) => tool !== changes && tool !== aggregate) : readers
  const general = context.canWrite ? [...reading, write] : reading
  const { include } = options
  const tools = include === undefined ? general : [...(await buildOperationTools(context, include)), readMore]
  return tools.map((tool) => bind(tool, context))
}

/** Options of `createTools`. */
export interface ToolOptions extends Narrowing {
  /** True: the tool `write` is there too. Default: false. */
  readonly write?: boolean | undefined
  /** Maximum number of tokens of an answer (o200k), from 1,000; 8,000 by default. */
  readonly maxTokens?: number | undefined
  /** Makes a tool for each of these operations instead of the general ones: `gong.calls.list`, `shopify.orders.*`. */
  readonly include?: readonly string[] | undefined
  /**
   * Who calls, for example token and organization: handles of `read_more` work for the same subject only. Default: the same client or
   * connections of this process.
   */
  readonly subject?: string | undefined
  /**
   * Where positions, and what cannot be read again, are kept for 10 minutes. Processes that share one read each other's handles; `subject`
   * must then name the caller. Default: this process's memory, shared by all tools.
   */
  readonly kept?: KeptStore | undefined
  /** Milliseconds since 1970; default: the machine's clock. */
  readonly now?: (() => number) | undefined
}

/** Smallest budget: our own sentences and a handle have to fit beside the data. */
const smallestBudget = 1_000

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const texts: OptionRule = ['must be a list of strings', (value) => Array.isArray(value) && value.every(isText)]

/** Rules of the options, by name. */
export const toolOptions: OptionRules = {
  write: ['must be true or false', (value) => typeof value === 'boolean'],
  maxTokens: [`must be a whole number from ${smallestBudget}`, (value) => Number.isInteger(value) && Number(value) >= smallestBudget],
  include: texts,
  subject: ['must be a string', (value) => typeof value === 'string'],
  kept: ['must be a store with put and get', (value) => typeof value === 'object' && value !== null && 'put' in value && 'get' in value],
  now: ['must be a function', (value) => typeof value === 'function'],
  workspace: ['must be a name or null', (value) => value === null || isText(value)],
  connectors: texts,
}

/** Longest name that every framework takes. */
const longestToolName = 64
/** Maximum number of tools: models get lost among more, and most providers refuse more than 128. */
const mostTools = 100

interface ToolOperation {
  readonly kind: AgentKind
  readonly entity: string
  readonly action: ActionDocument
  readonly connectors: readonly AgentConnector[]
}

const nameOperation = ({ kind, entity, action }: ToolOperation): string => `${kind.kind}.${entity}.${action.action}`

/** Makes a name of letters, digits and `_`, which begins with a letter. */
const toToolName = (operation: string): string =>
  operation
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .replace(/^(?![a-zA-Z])/, 'o')
    .slice(0, longestToolName)

/** Returns whether a pattern means an operation: each part is a name or `*`. */
function matchesPattern(pattern: string, operation: string): boolean {
  const [wanted, given] = [pattern.split('.'), operation.split('.')]
  return wanted.length <= given.length && given.every((part, index) => (wanted[index] ?? '*') === '*' || wanted[index] === part)
}

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
    const found = operations.filter((operation) => matchesPattern(pattern, nameOperation(operation)))
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

const connectorArgument = 'connector_name'
/** Maximum number of connectors that a schema lists. */
const mostNames = 20

function buildToolSchema({ action, connectors }: ToolOperation): JsonSchema {
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

function buildToolExample({ action, connectors }: ToolOperation, also?: readonly string[]): Readonly<Record<string, unknown>> {
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
    throw explainOperation(thrown, action, (also) => `${toolName} ${writeLine(buildToolExample(operation, also))}`)
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
  const example = buildToolExample(operation)
  return {
    name,
    example,
    description: `${kind.title}, ${action.action} ${entity}: ${action.description}`,
    inputSchema: buildToolSchema(operation),
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
    for (let number = 2; taken.has(name); number += 1) name = `${whole.slice(0, longestToolName - 4)}_${number}`
    taken.add(name)
    return name
  })
}

/**
 * Makes a tool for each operation that the patterns mean.
 * @param include operations such as `gong.calls.list`, `shopify.orders.*` or `gong`
 * @throws FerruleError `validation_failed` for a pattern that means nothing, and for too many tools
 */
async function buildOperationTools(context: ToolContext, include: readonly string[]): Promise<readonly ToolDefinition[]> {
  const operations = chooseOperations(await listOperations(context, {}), include, context.canWrite)
  const names = nameTools(operations)
  return operations.map((operation, index) => buildTool(operation, names[index] ?? ''))
}
