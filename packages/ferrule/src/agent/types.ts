/** The tools of agents, without any framework: what an adapter turns into the tools of its framework. */
import type { ErrorCode } from '../errors.ts'

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What clients may assume about a tool; the names are those of the Model Context Protocol. */
export interface ToolAnnotations {
  readonly title: string
  /** True: the tool changes nothing. */
  readonly readOnlyHint: boolean
  /** True: the tool can delete or overwrite. */
  readonly destructiveHint: boolean
  /** True: the tool reaches systems outside of this one. */
  readonly openWorldHint: boolean
}

/** What a framework says beside the arguments. */
export interface ToolCall {
  /**
   * Id of the call that the framework uses for this call only, for example the id that the model's provider gave it. A write is then carried out
   * once, even if the framework repeats the call. Leave it out where ids are counted from 1 in each session.
   */
  readonly callId?: string | undefined
  /** The run of the agent that the id belongs to: a string, or any object that stays the same for the run. Default: all calls of the tools. */
  readonly run?: string | object | undefined
  /** Aborts the call and its request to the vendor. */
  readonly signal?: AbortSignal | undefined
  /** Timeout in milliseconds; 60,000 by default. */
  readonly deadlineMs?: number | undefined
}

/** A file that a download found. */
export interface AgentFile {
  readonly name: string
  /** Content type. */
  readonly type: string
  /** Number of bytes; null if the vendor omits it. */
  readonly bytes: number | null
  /** Id of the connector. */
  readonly connector: string
  readonly entity: string
  /** Parameters of the download. */
  readonly params: Readonly<Record<string, unknown>>
}

/** What the model gets. */
export interface AgentAnswer {
  /** The text for the model: within the budget, with every digit of an integer. */
  readonly text: string
  /** True: the text says what was wrong and what to change. */
  readonly isError: boolean
  /** Code of the error. */
  readonly code?: ErrorCode
  /** The file of a download, for hosts that can hand files over. */
  readonly file?: AgentFile
  /** The whole result, for programs: not cut, and not for the model. Integers beyond a double are bigint. */
  readonly result?: unknown
}

/** A tool. */
export interface AgentTool {
  /** Fits `^[a-zA-Z][a-zA-Z0-9_]{0,63}$`, which every framework takes. */
  readonly name: string
  readonly description: string
  /** Plain JSON Schema that every framework takes: an object, without references and without alternatives at its root. */
  readonly inputSchema: JsonSchema
  readonly annotations: ToolAnnotations
  /**
   * Runs the tool. The arguments are checked here, so frameworks need not: whatever is wrong becomes an answer that says what to change.
   * @throws the reason of `call.signal` when it aborts, and nothing else
   */
  run(args: unknown, call?: ToolCall): Promise<AgentAnswer>
}
