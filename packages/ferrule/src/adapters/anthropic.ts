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
import { type AgentSources, type AgentTool, createTools, type ToolOptions } from '../agent/index.ts'
import { loadPeer } from './peer.ts'
import { toObjectSchema } from './schema.ts'

/** A tool of the tool runner. */
export type AnthropicTool = BetaRunnableTool<unknown>

type ToolError = typeof import('@anthropic-ai/sdk/lib/tools/ToolError').ToolError

const toAnthropicTool = ({ name, description, inputSchema, run }: AgentTool, ToolError: ToolError): AnthropicTool => ({
  type: 'custom',
  name,
  description,
  input_schema: { ...inputSchema, ...toObjectSchema(inputSchema) },
  parse: (content) => content,
  run: async (args, context) => {
    // Each run has its own block of the call, so equal ids of two runs are two writes.
    const { toolUse, signal } = context ?? {}
    const { text, isError } = await run(args, { callId: toolUse?.id, run: toolUse, signal: signal ?? undefined })
    if (isError) throw new ToolError(text)
    return text
  },
})

/**
 * Makes the tools of an agent.
 * @param source a `Ferrule` client, a connector of `connect`, or several of them in a list or by name
 * @param options what the tools may do, and how large answers may be
 * @returns tools for `tools` of `toolRunner`; a call that failed becomes a result with `is_error`
 * @throws FerruleError `validation_failed` for wrong options; `setting_invalid` when `@anthropic-ai/sdk` is not installed
 */
export async function tools(source: AgentSources, options: ToolOptions = {}): Promise<AnthropicTool[]> {
  const { ToolError } = await loadPeer('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk/lib/tools/ToolError'))
  return (await createTools(source, options)).map((tool) => toAnthropicTool(tool, ToolError))
}

export type { AgentSources, ToolOptions } from '../agent/index.ts'
