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
  readonly source: AgentSources
  readonly model: ScriptedModel
  readonly options?: ToolOptions
  readonly signal?: AbortSignal
}

/** Runs an agent of a framework to its end. Rejects as the framework does. */
export type Driver = (run: Run) => Promise<void>
