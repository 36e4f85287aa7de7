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
import { ToolMessage } from '@langchain/core/messages'
import { type DynamicStructuredTool, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import { type AgentSources, type AgentTool, createTools, type ToolOptions } from '../agent/index.ts'
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

const answer =
  ({ name, run }: AgentTool) =>
  async (args: unknown, { toolCall, signal }: ToolRunnableConfig) => {
    const { text, isError, result } = await run(args, { callId: toolCall?.id, signal })
    const id = toolCall?.id
    const content = isError && id !== undefined ? new ToolMessage({ name, content: text, status: 'error', tool_call_id: id }) : text
    return [content, toSerializable(result)]
  }

/**
 * Makes a tool that shows its schema to the model and runs without LangChain's check, which gives the model a stack. Some integrations send
 * `schema` as it stands, so it is the plain JSON Schema; the check of an open schema lets everything through.
 */
function toLangChainTool(agentTool: AgentTool): LangChainTool {
  const { name, description, inputSchema } = agentTool
  const fields = { name, description, responseFormat: 'content_and_artifact' as const }
  const run = answer(agentTool)
  const open = tool(run, { ...fields, schema: {} })
  const shown = tool(run, { ...fields, schema: { ...toObjectSchema(inputSchema), additionalProperties: false } })
  return Object.assign(shown, { invoke: open.invoke.bind(open) })
}

/**
 * Makes the tools of an agent.
 * @param source a `Ferrule` client, a connector of `connect`, or several of them in a list or by name
 * @param options what the tools may do, and how large answers may be
 * @returns tools for `createAgent` and `bindTools`; a call that failed becomes a tool message with status `error`
 * @throws FerruleError `validation_failed` for wrong options
 */
export async function tools(source: AgentSources, options: ToolOptions = {}): Promise<LangChainTool[]> {
  return (await createTools(source, options)).map(toLangChainTool)
}

export type { AgentSources, ToolOptions } from '../agent/index.ts'
