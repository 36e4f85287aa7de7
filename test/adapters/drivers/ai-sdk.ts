/** Runs the AI SDK with its mock of a model. */
import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { type AiSdkTools, tools } from '../../../packages/ferrule/src/adapters/ai-sdk.ts'
import { type Driver, type ModelResult, repeat, type ScriptedModel } from './driver.ts'

type Prompt = MockLanguageModelV4['doGenerateCalls'][number]['prompt']

/** Reads the results that the last message brings. */
const readResults = (prompt: Prompt): readonly ModelResult[] => {
  const last = prompt.at(-1)
  if (last?.role !== 'tool') return []
  return last.content.flatMap((part) => {
    if (part.type !== 'tool-result') return []
    const { output } = part
    if (output.type !== 'text' && output.type !== 'error-text') throw new Error(`The model was sent ${output.type}`)
    return [{ text: output.value, isError: output.type === 'error-text' }]
  })
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Repeats each call of the tools. */
const repeatAll = (made: AiSdkTools): AiSdkTools =>
  Object.fromEntries(Object.entries(made).map(([name, each]) => [name, { ...each, execute: repeat(each.execute) }]))

/** Makes a model that follows the script. */
const makeModel = (script: ScriptedModel) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const calls = script(readResults(prompt))
      const content = calls.map(({ id, name, args }) => ({
        ...{ type: 'tool-call' as const, toolCallId: id, toolName: name, input: JSON.stringify(args) },
      }))
      return {
        content: calls.length > 0 ? content : [{ type: 'text', text: 'done' }],
        finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
        ...{ usage, warnings: [] },
      }
    },
  })

/** Runs `generateText`. */
export const driveAiSdk: Driver = async (source, options) => {
  const made = await tools(source, options)
  return async ({ model, signal, isRepeated = false }) => {
    await generateText({
      ...{ model: makeModel(model), prompt: 'Begin.', tools: isRepeated ? repeatAll(made) : made, stopWhen: isStepCount(60) },
      ...(signal === undefined ? {} : { abortSignal: signal }),
    })
  }
}
