/** What all tools of one set share, and what one call knows. */
import type { McpScope } from '../wire/mcp-tokens.ts'
import type { RequestLimits } from './agent-source.ts'
import { type ArgumentRules, type Arguments, buildInputSchema, type CheckedArguments, checkArguments } from './arguments.ts'
import type { Handles } from './handles.ts'
import type { Reach } from './reach.ts'
import type { AgentAnswer, JsonSchema, ToolAnnotations, ToolCall } from './types.ts'

/** Shared by the tools of a set. */
export interface ToolContext {
  readonly reach: Reach
  readonly handles: Handles
  /** Maximum number of tokens of an answer. */
  readonly maxTokens: number
  /** True: the tools may write. */
  readonly canWrite: boolean
  /** Random id of these tools, for calls that name no run. */
  readonly runId: string
  readonly now: () => number
}

/** One call of a tool. */
export interface RunningCall {
  readonly context: ToolContext
  readonly args: Arguments
  readonly limits: RequestLimits
  readonly call: ToolCall
  /** Where an answer of lines continues; undefined: at its beginning. */
  readonly from?: LineOffset
}

/** Where an answer of lines continues. */
export interface LineOffset {
  /** Number of the first line, from 0. */
  readonly at: number
  /** Page of the source. */
  readonly cursor?: string | undefined
}

/** A tool before it gets its context. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations: ToolAnnotations
  /** Scope that an MCP token needs; undefined: any token will do. */
  readonly scope?: McpScope
  /** A call that fits, for errors. */
  readonly example: Readonly<Record<string, unknown>>
  /** Checks arguments. */
  readonly check: (given: unknown) => CheckedArguments
  /** Runs a call whose arguments passed the check. Throws what the source throws. */
  readonly run: (running: RunningCall) => Promise<AgentAnswer>
}

type RuledTool = Omit<ToolDefinition, 'inputSchema' | 'check'> & { readonly rules: ArgumentRules }

/** Makes a tool of rules: its schema and its check follow from them. */
export const defineTool = ({ rules, ...tool }: RuledTool): ToolDefinition => ({
  ...tool,
  inputSchema: buildInputSchema(rules),
  check: (given) => checkArguments(rules, given),
})

/** Annotations of a tool that changes nothing. */
export const reads = (title: string, openWorldHint: boolean): ToolAnnotations => ({
  title,
  readOnlyHint: true,
  destructiveHint: false,
  openWorldHint,
})

/** Reads a string argument; undefined: left out. */
export function readString({ args }: Pick<RunningCall, 'args'>, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

/** Reads a list of strings; undefined: left out, or empty. */
export function readStrings({ args }: Pick<RunningCall, 'args'>, name: string): readonly string[] | undefined {
  const value = args[name]
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined
}
