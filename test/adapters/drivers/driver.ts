/** What a test says to a framework, and what the framework's model sees. */
import type { AgentSources, ToolOptions } from '../../../packages/ferrule/src/agent/index.ts'

/** A call that the model makes. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** The result of a call, as the model gets it. */
export interface ModelResult {
  readonly text: string
  /** Undefined: the framework has no mark for errors. */
  readonly isError: boolean | undefined
}

/** A scripted model. Takes the results of its last calls, and returns the next calls; none end the run. */
export type ScriptedModel = (results: readonly ModelResult[]) => readonly ModelCall[]

/** A run of an agent. */
export interface Run {
  readonly model: ScriptedModel
  readonly signal?: AbortSignal
  /** True: each call of a tool is carried out a second time with what the framework gave the first time, as a framework does that tries again. */
  readonly isRepeated?: boolean
}

/** Makes the tools of a framework once, and returns what runs an agent with them to its end. Runs reject as the framework does. */
export type Driver = (source: AgentSources, options?: ToolOptions) => Promise<(run: Run) => Promise<void>>

/** Repeats each call of a function with the same arguments. Returns the second answer. */
export const repeat =
  <Args extends readonly unknown[], Answer>(run: (...args: Args) => Answer | PromiseLike<Answer>) =>
  async (...args: Args): Promise<Answer> => {
    await run(...args)
    return run(...args)
  }
