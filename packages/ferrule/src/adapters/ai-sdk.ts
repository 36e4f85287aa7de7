/**
 * The entry `ferrule/ai-sdk`: tools for the AI SDK of Vercel, and for Mastra, which takes the same object. It imports neither.
 *
 * ```ts
 * import { generateText, isStepCount } from 'ai'
 * import { Ferrule } from 'ferrule/core'
 * import { tools } from 'ferrule/ai-sdk'
 * const ferrule = new Ferrule({ url: 'https://ferrule.example.com', clientId, clientSecret })
 * await generateText({ model, prompt, tools: await tools(ferrule), stopWhen: isStepCount(10) })
 * ```
 */
import { type AgentSources, type AgentTool, createTools, type JsonSchema, type ToolOptions } from '../agent/index.ts'
import { isObject } from '../definition/object.ts'

/** A Standard Schema that lets every value through: https://standardschema.dev. */
export interface OpenSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'ferrule'
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>
      readonly output: () => Record<string, unknown>
    }
  }
}

/**
 * Copies a schema, because the AI SDK writes into what it gets. It sets `additionalProperties` to false unless a schema stands there, which
 * would close `params`. So an open object gets the empty schema, which takes everything.
 */
function copySchema({ properties, items, ...schema }: JsonSchema): Record<string, unknown> {
  const isOpen = schema['type'] === 'object' && (schema['additionalProperties'] ?? true) === true
  const entries = isObject(properties) ? Object.entries(properties) : []
  const copies = entries.map(([name, each]) => [name, isObject(each) ? copySchema(each) : each] as const)
  return {
    ...structuredClone(schema),
    ...(isOpen ? { additionalProperties: {} } : {}),
    ...(isObject(properties) ? { properties: Object.fromEntries(copies) } : {}),
    ...(isObject(items) ? { items: copySchema(items) } : {}),
  }
}

/** Wraps a JSON Schema: the model sees it, and the AI SDK checks nothing. The tools check, and answer with a call that fits. */
function toOpenSchema(schema: JsonSchema): OpenSchema {
  const copy = (): Record<string, unknown> => copySchema(schema)
  return {
    '~standard': { version: 1, vendor: 'ferrule', validate: (value) => ({ value }), jsonSchema: { input: copy, output: copy } },
  }
}

/** What the AI SDK says about a call; Mastra leaves some out. */
export interface AiSdkCall {
  /** Id that the model's provider gave the call. */
  readonly toolCallId?: string | undefined
  /** Aborts the call. */
  readonly abortSignal?: AbortSignal | undefined
  /** What was sent to the model before it made the call: a list of its own for each step of a run. */
  readonly messages?: readonly unknown[] | undefined
}

/** A tool of the AI SDK. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: OpenSchema
  /**
   * Runs the tool.
   * @returns the text for the model, with every digit of an integer
   * @throws ToolFailure with the text for the model: the AI SDK marks the result as an error; the reason of the signal when it aborts
   */
  readonly execute: (args: unknown, call?: AiSdkCall) => Promise<string>
}

/** Tools by name. */
export type AiSdkTools = Record<string, AiSdkTool>

/** A call that failed. Its message is for the model: what was wrong and what to change. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  /** Code of the error; undefined: the answer named none. */
  readonly code: string | undefined

  constructor(text: string, code: string | undefined) {
    super(text)
    this.code = code
  }

  /** Returns the message alone: the AI SDK gives this text to the model. */
  override toString(): string {
    return this.message
  }
}

const toAiSdkTool = ({ description, inputSchema, run }: AgentTool): AiSdkTool => ({
  description,
  inputSchema: toOpenSchema(inputSchema),
  execute: async (args, { toolCallId, abortSignal, messages } = {}) => {
    const { text, isError, code } = await run(args, { callId: toolCallId, run: messages, signal: abortSignal })
    if (isError) throw new ToolFailure(text, code)
    return text
  },
})

/**
 * Makes the tools of an agent.
 * @param source a `Ferrule` client, a connector of `connect`, or several of them in a list or by name
 * @param options what the tools may do, and how large answers may be
 * @returns tools by name, for `tools` of `generateText`, `streamText` and agents
 * @throws FerruleError `validation_failed` for wrong options
 */
export async function tools(source: AgentSources, options: ToolOptions = {}): Promise<AiSdkTools> {
  const made = await createTools(source, options)
  return Object.fromEntries(made.map((tool) => [tool.name, toAiSdkTool(tool)]))
}

export type { AgentSources, ToolOptions } from '../agent/index.ts'
