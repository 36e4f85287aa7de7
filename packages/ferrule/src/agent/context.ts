/** What all tools of one set share, and what one call knows. */
import type { ArgumentRules, Arguments } from './arguments.ts'
import type { Reach } from './reach.ts'
import type { RequestLimits } from './source.ts'
import type { AgentAnswer, ToolAnnotations, ToolCall } from './types.ts'

/** Shared by the tools of a set. */
export interface ToolContext {
  readonly reach: Reach
  /** Maximum number of tokens of an answer. */
  readonly maxTokens: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** One call of a tool. */
export interface RunningCall {
  readonly context: ToolContext
  readonly args: Arguments
  readonly limits: RequestLimits
  readonly call: ToolCall
}

/** A tool before it gets its context. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly rules: ArgumentRules
  readonly annotations: ToolAnnotations
  /** A call that fits, for errors. */
  readonly example: Readonly<Record<string, unknown>>
  /** Runs a call whose arguments fit the rules. Throws what the source throws. */
  readonly run: (running: RunningCall) => Promise<AgentAnswer>
}

/** Annotations of a tool that changes nothing. */
export const reads = (title: string, openWorldHint: boolean): ToolAnnotations => ({
  ...{ title, readOnlyHint: true, destructiveHint: false, openWorldHint },
})

/** Reads a string argument; undefined: left out. */
export function readString({ args }: RunningCall, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}
