/**
 * The entry `ferrule/agents`: the tools of agents, for adapters and for programs that call a model themselves.
 *
 * ```ts
 * import { Ferrule } from 'ferrule/core'
 * import { createTools } from 'ferrule/agents'
 * const tools = await createTools(new Ferrule({ url: 'https://ferrule.example.com', token: '…' }))
 * const { text } = await tools[0].run({})
 * ```
 */

export type {
  AgentConnector,
  AgentKind,
  AgentRequest,
  AgentSource,
  ChangesWish,
  ConnectorPage,
  ConnectorWish,
  EntityFreshness,
  RequestLimits,
} from './agent-source.ts'
export type { ToolOptions } from './create-tools.ts'
export { createTools, toolScopes } from './create-tools.ts'
export { createKeptStore, type KeptBounds, type KeptStore } from './kept.ts'
export type { AgentSources } from './sources/open.ts'
export type { AgentAnswer, AgentFile, AgentTool, JsonSchema, ToolAnnotations, ToolCall } from './types.ts'
