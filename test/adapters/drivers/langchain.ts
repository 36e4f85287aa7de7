/** Runs LangChain's agent with its fake model. */
import { AIMessage, createAgent, createMiddleware, fakeModel, ToolMessage } from 'langchain'
import { tools } from '../../../packages/ferrule/src/adapters/langchain.ts'
import { type Driver, type ModelResult, repeat, type ScriptedModel } from './driver.ts'

/** Reads the results that stand at the end of the messages. */
const readResults = (messages: readonly unknown[]): readonly ModelResult[] => {
  const start = messages.findLastIndex((message) => !ToolMessage.isInstance(message)) + 1
  return messages.slice(start).flatMap((message) => {
    if (!ToolMessage.isInstance(message)) return []
    if (typeof message.content !== 'string') throw new Error('The model was sent blocks')
    return [{ text: message.content, isError: message.status === 'error' }]
  })
}

/** Makes a model that follows the script. */
function makeModel(script: ScriptedModel) {
  const model = fakeModel()
  const respond = (messages: readonly unknown[]): AIMessage => {
    const calls = script(readResults(messages))
    return new AIMessage({ content: '', tool_calls: calls.map((call) => ({ ...call, type: 'tool_call' })) })
  }
  for (let turn = 0; turn < 60; turn += 1) model.respond(respond)
  return model
}

const repeating = createMiddleware({ name: 'repeating', wrapToolCall: (request, handler) => repeat(handler)(request) })

/** Runs an agent of `createAgent`. */
export const driveLangChain: Driver = async (source, options) => {
  const made = await tools(source, options)
  return async ({ model, signal, isRepeated = false }) => {
    const agent = createAgent({ model: makeModel(model), tools: made, middleware: isRepeated ? [repeating] : [] })
    const config = { recursionLimit: 200, ...(signal === undefined ? {} : { signal }) }
    await agent.invoke({ messages: [{ role: 'user', content: 'Begin.' }] }, config)
  }
}
