/**
 * The entry `ferrule/langchain`: tools for LangChain and LangGraph, over `@langchain/core`.
 *
 * ```ts
 * import { createAgent } from 'langchain'
 * import { Ferrule } from 'ferrule/core'
 * import { tools } from 'ferrule/langchain'
 * const ferrule = new Ferrule({ url: 'https://ferrule.example.com', clientId, clientSecret })
 * const agent = createAgent({ model, tools: await tools(ferrule) })
 * ```
 */
import type { DynamicStructuredTool, ToolRunnableConfig } from '@langchain/core/tools'
import { type AgentSources, type AgentTool, createTools, type ToolOptions } from '../agent/index.ts'
import { loadPeer } from './peer.ts'
import { toObjectSchema } from './schema.ts'

/** A tool of LangChain. */
export type LangChainTool = DynamicStructuredTool

/** Replaces each bigint by its digits, because a checkpoint of LangGraph with a bigint in it cannot be read again. Copies only what changes. */
function toSerializable(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  const changed = Object.entries(value).flatMap(([name, each]) => {
    const made = toSerializable(each)
    return made === each ? [] : [[name, made] as const]
  })
  if (changed.length === 0) return value
  return Object.assign(Array.isArray(value) ? [...value] : { ...value }, Object.fromEntries(changed))
}

const loadCore = () =>
  loadPeer('@langchain/core', async () => ({
    ...(await import('@langchain/core/messages')),
    ...(await import('@langchain/core/tools')),
  }))
/** What the tools use of `@langchain/core`. */
type Core = Awaited<ReturnType<typeof loadCore>>

/** Reads the task of LangGraph that runs the tool. Its id is that of one step of one run, and stays when LangGraph tries the step again. */
function readTask({ metadata }: ToolRunnableConfig): string | undefined {
  const path = metadata?.['langgraph_checkpoint_ns']
  return typeof path === 'string' ? path.split('|').at(-1) : undefined
}

const answer =
  ({ name, run }: AgentTool, { ToolMessage }: Core) =>
  async (args: unknown, config: ToolRunnableConfig) => {
    const { toolCall, signal } = config
    const { text, isError, result } = await run(args, { callId: toolCall?.id, run: readTask(config), signal })
    const id = toolCall?.id
    const content = isError && id !== undefined ? new ToolMessage({ name, content: text, status: 'error', tool_call_id: id }) : text
    return [content, toSerializable(result)]
  }

/**
 * Makes a tool that shows its schema to the model and runs without LangChain's check, which gives the model a stack. Some integrations send
 * `schema` as it stands, so it is the plain JSON Schema; the check of an open schema lets everything through.
 */
function toLangChainTool(agentTool: AgentTool, core: Core): LangChainTool {
  const { name, description, inputSchema } = agentTool
  const fields = { name, description, responseFormat: 'content_and_artifact' as const }
  const run = answer(agentTool, core)
  const open = core.tool(run, { ...fields, schema: {} })
  const shown = core.tool(run, { ...fields, schema: { ...toObjectSchema(inputSchema), additionalProperties: false } })
  return Object.assign(shown, { invoke: open.invoke.bind(open) })
}

/**
 * Makes the tools of an agent.
 * @param source a `Ferrule` client, a connector of `connect`, or several of them in a list or by name
 * @param options what the tools may do, and how large answers may be
 * @returns tools for `createAgent` and `bindTools`; a call that failed becomes a tool message with status `error`
 * @throws FerruleError `validation_failed` for wrong options; `setting_invalid` when `@langchain/core` is not installed
 */
export async function tools(source: AgentSources, options: ToolOptions = {}): Promise<LangChainTool[]> {
  const core = await loadCore()
  return (await createTools(source, options)).map((tool) => toLangChainTool(tool, core))
}

export type { AgentSources, ToolOptions } from '../agent/index.ts'
