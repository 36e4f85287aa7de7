/**
 * The entry `ferrule/openai-agents`: tools for the Agents SDK of OpenAI, `@openai/agents`.
 *
 * ```ts
 * import { Agent, run } from '@openai/agents'
 * import { Ferrule } from 'ferrule/core'
 * import { tools } from 'ferrule/openai-agents'
 * const ferrule = new Ferrule({ url: 'https://ferrule.example.com', clientId, clientSecret })
 * const agent = new Agent({ name: 'Analyst', tools: await tools(ferrule) })
 * await run(agent, question, { toolNotFoundBehavior: 'return_error_to_model' })
 * ```
 */
import type { FunctionTool } from '@openai/agents'
import { type AgentSources, type AgentTool, createTools, type ToolOptions } from '../agent/index.ts'
import { loadPeer } from './peer.ts'
import { toObjectSchema } from './schema.ts'

/** A tool of the Agents SDK. */
export type OpenAiAgentsTool = FunctionTool<unknown, ReturnType<typeof toParameters>, string>

/** Turns off what strict mode demands: it closes every object, so `params` could hold nothing. */
const toParameters = (schema: AgentTool['inputSchema']) => ({ ...toObjectSchema(schema), additionalProperties: true as const })

/** Says what to change when the SDK could not read the arguments. Nothing else throws. */
const explainFailure = (): string => 'The arguments are not valid JSON. Repeat the call with one JSON object as its arguments.'

type MakeTool = typeof import('@openai/agents').tool

const toOpenAiAgentsTool = ({ name, description, inputSchema, run }: AgentTool, makeTool: MakeTool): OpenAiAgentsTool =>
  makeTool({
    name,
    description,
    parameters: toParameters(inputSchema),
    strict: false,
    errorFunction: explainFailure,
    execute: async (args, context, details) => {
      // The text of the call has the digits that the SDK's JSON.parse lost.
      const { arguments: text, callId } = details?.toolCall ?? {}
      const answer = await run(text ?? args, { callId, run: context, signal: details?.signal })
      return answer.text
    },
  })

/**
 * Makes the tools of an agent.
 * @param source a `Ferrule` client, a connector of `connect`, or several of them in a list or by name
 * @param options what the tools may do, and how large answers may be
 * @returns tools for `tools` of `Agent`; a call that failed answers with what to change
 * @throws FerruleError `validation_failed` for wrong options; `setting_invalid` when `@openai/agents` is not installed
 */
export async function tools(source: AgentSources, options: ToolOptions = {}): Promise<OpenAiAgentsTool[]> {
  const { tool: makeTool } = await loadPeer('@openai/agents', () => import('@openai/agents'))
  return (await createTools(source, options)).map((tool) => toOpenAiAgentsTool(tool, makeTool))
}

export type { AgentSources, ToolOptions } from '../agent/index.ts'
