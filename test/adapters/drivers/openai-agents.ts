/** Runs the Agents SDK of OpenAI with a model of this process. */
import { Agent, type Model, type ModelRequest, type ModelResponse, run, setTracingDisabled, Usage } from '@openai/agents'
import { tools } from '../../../packages/ferrule/src/adapters/openai-agents.ts'
import { type Driver, type ModelResult, repeat, type ScriptedModel } from './driver.ts'

setTracingDisabled(true)

/** Reads the results that stand at the end of the input. */
const readResults = (input: ModelRequest['input']): readonly ModelResult[] => {
  const items = typeof input === 'string' ? [] : input
  const start = items.findLastIndex(({ type }) => type !== 'function_call_result') + 1
  return items.slice(start).flatMap((item) => {
    if (item.type !== 'function_call_result') return []
    const { output } = item
    const text = typeof output === 'string' ? output : !Array.isArray(output) && output.type === 'text' ? output.text : undefined
    if (text === undefined) throw new Error('The model was sent something else than text')
    return [{ text, isError: undefined }]
  })
}

class Scripted implements Model {
  readonly #script: ScriptedModel

  constructor(script: ScriptedModel) {
    this.#script = script
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const calls = this.#script(readResults(input))
    const output: ModelResponse['output'] = calls.map(({ id, name, args }) => {
      return { type: 'function_call', callId: id, name, status: 'completed', arguments: JSON.stringify(args) }
    })
    if (calls.length === 0)
      output.push({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] })
    return { usage: new Usage(), output, responseId: 'response' }
  }

  getStreamedResponse(): never {
    throw new Error('This model does not stream')
  }
}

/** Runs an agent. */
export const driveOpenAiAgents: Driver = async (source, options) => {
  const made = await tools(source, options)
  return async ({ model, signal, isRepeated = false }) => {
    const given = isRepeated ? made.map((each) => ({ ...each, invoke: repeat(each.invoke) })) : made
    const agent = new Agent({ name: 'Test', model: new Scripted(model), tools: given })
    await run(agent, 'Begin.', {
      ...{ maxTurns: 60, toolNotFoundBehavior: 'return_error_to_model' },
      ...(signal === undefined ? {} : { signal }),
    })
  }
}
