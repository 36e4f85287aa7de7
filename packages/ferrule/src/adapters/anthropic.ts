/**
 * The entry `ferrule/anthropic`: tools for the tool runner of `@anthropic-ai/sdk`.
 *
 * ```ts
 * import Anthropic from '@anthropic-ai/sdk'
 * import { Ferrule } from 'ferrule/core'
 * import { tools } from 'ferrule/anthropic'
 * const ferrule = new Ferrule({ url: 'https://ferrule.example.com', clientId, clientSecret })
 * await new Anthropic().beta.messages.toolRunner({ model, max_tokens, messages, tools: await tools(ferrule) })
 * ```
 */
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool'
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError'
import { type AgentSources, type AgentTool, createTools, type ToolOptions } from '../agent/index.ts'
import { toObjectSchema } from './schema.ts'

/** A tool of the tool runner. */
export type AnthropicTool = BetaRunnableTool<unknown>

const toAnthropicTool = ({ name, description, inputSchema, run }: AgentTool): AnthropicTool => ({
  type: 'custom',
  name,
  description,
  input_schema: { ...inputSchema, ...toObjectSchema(inputSchema) },
  parse: (content) => content,
  run: async (args, context) => {
    const { text, isError } = await run(args, { callId: context?.toolUse.id, signal: context?.signal ?? undefined })
    if (isError) throw new ToolError(text)
    return text
  },
})

/**
 * Makes the tools of an agent.
 * @param source a `Ferrule` client, a connector of `connect`, or several of them in a list or by name
 * @param options what the tools may do, and how large answers may be
 * @returns tools for `tools` of `toolRunner`; a call that failed becomes a result with `is_error`
 * @throws FerruleError `validation_failed` for wrong options
 */
export async function tools(source: AgentSources, options: ToolOptions = {}): Promise<AnthropicTool[]> {
  return (await createTools(source, options)).map(toAnthropicTool)
}

export type { AgentSources, ToolOptions } from '../agent/index.ts'
