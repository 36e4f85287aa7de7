/** Makes the tools of a source (docs/decisions/agents.md). */
import { asFerruleError } from '../errors.ts'
import { inSpan, type SpanStart } from '../tracing.ts'
import { listLossyValues } from '../values/json/lossy.ts'
import type { McpScope } from '../wire/mcp-tokens.ts'
import { boundText } from './answers/bounds.ts'
import { writeLine } from './answers/json.ts'
import type { Arguments } from './arguments.ts'
import type { ToolContext, ToolDefinition } from './context.ts'
import { answerFailure, answerProblems } from './failures.ts'
import { Handles } from './handles.ts'
import { createKeptStore } from './kept.ts'
import { buildOperationTools } from './operation-tools.ts'
import { Explained } from './operations.ts'
import { checkToolOptions, type ToolOptions } from './options.ts'
import { Reach } from './reach.ts'
import { type AgentSources, nameSources, openSources } from './sources/open.ts'
import { currentTime } from './tools/current-time.ts'
import { describe } from './tools/describe.ts'
import { execute } from './tools/execute.ts'
import { listConnectors } from './tools/list-connectors.ts'
import { buildReadMore } from './tools/read-more.ts'
import { search } from './tools/search.ts'
import { write } from './tools/write.ts'
import type { AgentAnswer, AgentTool, ToolCall } from './types.ts'

const usualMaxTokens = 8_000
/** Longest text of a caller that an example repeats. */
const longestName = 100
/** What all tools of this process keep, when their program names no store. */
const sharedKept = createKeptStore()

function answerThrown(thrown: unknown): AgentAnswer {
  return thrown instanceof Explained ? answerFailure(thrown.error, thrown.lines) : answerFailure(asFerruleError(thrown))
}

/** Writes the example of a tool for the connector and the entity of the caller. What belongs to another entity is left out. */
function writeExample({ example, inputSchema: { required } }: ToolDefinition, args: Arguments): Readonly<Record<string, unknown>> {
  const own = Object.entries(args).filter(([name, value]) => name in example && typeof value === 'string' && value.length <= longestName)
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
    return answerThrown(thrown)
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

const readMore = buildReadMore([listConnectors, describe])
/** The general tools that read, in the order of their list. */
const readers: readonly ToolDefinition[] = [listConnectors, describe, execute, search, readMore, currentTime]

/** Scopes that a token for MCP needs for the general tools, by name; a tool without one takes any token. */
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
  checkToolOptions(options)
  const context = buildContext(source, options)
  const general = context.canWrite ? [...readers, write] : readers
  const { include } = options
  const tools = include === undefined ? general : [...(await buildOperationTools(context, include)), readMore]
  return tools.map((tool) => bind(tool, context))
}
