/** Makes the tools of a source. */
import { buildInputSchema, checkArguments } from './arguments.ts'
import type { ToolContext, ToolDefinition } from './context.ts'
import { answerProblems, answerThrown } from './failures.ts'
import { type Narrowing, Reach } from './reach.ts'
import { type AgentSources, openSources } from './sources/open.ts'
import { describe } from './tools/describe.ts'
import { execute } from './tools/execute.ts'
import { listConnectors } from './tools/list-connectors.ts'
import type { AgentAnswer, AgentTool, ToolCall } from './types.ts'

/** Options of `createTools`. */
export interface ToolOptions extends Narrowing {
  /** True: the tool `write` is there too. Default: false. */
  readonly write?: boolean
  /** Maximum number of tokens of an answer (o200k); 8,000 by default. */
  readonly maxTokens?: number
  /** Makes a tool for each of these operations in place of the general ones: `gong.calls.list`, `shopify.orders.*`. */
  readonly include?: readonly string[]
  /** Who calls, for example the token and organization: handles of `read_more` work for the same subject only. */
  readonly subject?: string
}

async function runTool(tool: ToolDefinition, context: ToolContext, [given, call]: [unknown, ToolCall]): Promise<AgentAnswer> {
  const { signal, deadlineMs } = call
  signal?.throwIfAborted()
  const { args, problems } = checkArguments(tool.rules, given)
  if (problems.length > 0) return answerProblems(problems, tool.example)
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
  inputSchema: buildInputSchema(tool.rules),
  annotations: tool.annotations,
  run: (args, call = {}) => runTool(tool, context, [args, call]),
})

/**
 * Makes the tools of an agent. Adapters turn them into the tools of a framework.
 * @param source a `Ferrule` client, a connector of `connect`, several of them in a list or by name, or an `AgentSource`
 * @param options what the tools may do, and how large answers may be
 * @throws FerruleError `validation_failed` for wrong options
 */
export async function createTools(source: AgentSources, options: ToolOptions = {}): Promise<readonly AgentTool[]> {
  const { maxTokens = 8_000 } = options
  const context: ToolContext = { reach: new Reach(openSources(source), options), maxTokens, now: Date.now }
  return [listConnectors, describe, execute].map((tool) => bind(tool, context))
}
