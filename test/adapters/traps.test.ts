/** What is particular to a framework, over a source of this process. */

import { MemorySaver } from '@langchain/langgraph'
import { Agent, type Model, type ModelRequest, type ModelResponse, run, setTracingDisabled, Usage } from '@openai/agents'
import { AIMessage, createAgent, fakeModel, ToolMessage } from 'langchain'
import { expect, test } from 'vitest'
import { ToolFailure, tools as toAiSdk } from '../../packages/ferrule/src/adapters/ai-sdk.ts'
import { tools as toAnthropic } from '../../packages/ferrule/src/adapters/anthropic.ts'
import { tools as toLangChain } from '../../packages/ferrule/src/adapters/langchain.ts'
import { tools as toOpenAi } from '../../packages/ferrule/src/adapters/openai-agents.ts'
import type { AgentRequest, AgentSource } from '../../packages/ferrule/src/agent/index.ts'
import { FerruleError } from '../../packages/ferrule/src/index.ts'

setTracingDisabled(true)

/** A source with one connector, whose records have an id above 2^53. It notes what it is asked. */
function makeSource() {
  const requests: AgentRequest[] = []
  const connector = { id: 'c1', name: 'Ads', kind: 'ads', workspace: null, state: 'active', reason: null }
  const source: AgentSource = {
    listConnectors: async () => ({ connectors: [connector], next: null }),
    getConnector: async (id) => (id === connector.id ? connector : undefined),
    readKind: async () => ({ kind: 'ads', title: 'Ads', description: '', entities: [] }),
    execute: async (_connector, request) => {
      requests.push(request)
      return { data: [{ id: 9007199254740993n, name: 'first' }], meta: {} }
    },
  }
  return { source, requests }
}

const read = { connector: 'Ads', entity: 'ads', action: 'list', params: {} }

test('every adapter gives the same names, which every framework takes', async () => {
  const { source } = makeSource()
  const names = [
    Object.keys(await toAiSdk(source)),
    ...[await toLangChain(source), await toOpenAi(source), await toAnthropic(source)].map((made) =>
      made.map((tool) => ('name' in tool ? tool.name : '')),
    ),
  ]
  expect(names[0]).toEqual(expect.arrayContaining(['list_connectors', 'describe', 'execute']))
  for (const each of names) expect(each).toEqual(names[0])
  for (const name of names.flat()) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/)
})

test.each([toAiSdk, toLangChain, toOpenAi, toAnthropic])('wrong options are refused', async (make) => {
  await expect(make('nothing' as never)).rejects.toThrow(FerruleError)
})

test('the AI SDK gets an error whose text is the message alone, with its code', async () => {
  const { execute } = await toAiSdk(makeSource().source)
  const failure: unknown = await execute?.execute({ ...read, entity: 5 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ToolFailure)
  expect(failure).toMatchObject({ code: 'validation_failed' })
  expect(String(failure)).toMatch(/^Error validation_failed: /)
})

test('LangChain keeps the whole result beside the text, in a form that a checkpoint can hold', async () => {
  const { source } = makeSource()
  const asked = new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'execute', args: read, type: 'tool_call' }] })
  const model = fakeModel().respond(asked).respond(new AIMessage('done'))
  const agent = createAgent({ model, tools: await toLangChain(source), checkpointer: new MemorySaver() })
  const thread = { configurable: { thread_id: 'thread' } }
  await agent.invoke({ messages: [{ role: 'user', content: 'Begin.' }] }, thread)
  const { values } = await agent.graph.getState(thread)
  const messages: unknown[] = values.messages
  const [result] = messages.filter((message) => ToolMessage.isInstance(message))
  expect(result?.text).toContain('9007199254740993')
  expect(result?.artifact).toEqual({ data: [{ id: '9007199254740993', name: 'first' }], meta: {} })
})

test('a tool of LangChain shows the plain JSON Schema and takes what does not fit it', async () => {
  const { source, requests } = makeSource()
  const execute = (await toLangChain(source)).find(({ name }) => name === 'execute')
  expect(execute?.schema).toMatchObject({ type: 'object', properties: { entity: { type: 'string' } }, additionalProperties: false })
  const text = await execute?.invoke({ ...read, params: '{"page":1}' })
  expect(text).toContain('9007199254740993')
  expect(requests).toMatchObject([{ params: { page: 1 } }])
})

/** A model of the Agents SDK that makes one call with a text as its arguments. */
class OneCall implements Model {
  readonly #text: string
  readonly seen: unknown[] = []

  constructor(text: string) {
    this.#text = text
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const last = typeof input === 'string' ? undefined : input.at(-1)
    if (last?.type === 'function_call_result') this.seen.push(last.output)
    const output: ModelResponse['output'] =
      last?.type === 'function_call_result'
        ? [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }]
        : [{ type: 'function_call', callId: 'call_1', name: 'execute', status: 'completed', arguments: this.#text }]
    return { usage: new Usage(), output, responseId: 'response' }
  }

  getStreamedResponse(): never {
    throw new Error('This model does not stream')
  }
}

test('the Agents SDK of OpenAI hands over every digit of the arguments', async () => {
  const { source, requests } = makeSource()
  const text = '{"connector":"Ads","entity":"ads","action":"get","params":{"id":9007199254740993}}'
  await run(new Agent({ name: 'Test', model: new OneCall(text), tools: await toOpenAi(source) }), 'Begin.')
  expect(requests).toMatchObject([{ params: { id: 9007199254740993n } }])
})

test('the Agents SDK of OpenAI says what to change in arguments that are no JSON', async () => {
  const { source, requests } = makeSource()
  const model = new OneCall('{"connector":')
  await run(new Agent({ name: 'Test', model, tools: await toOpenAi(source) }), 'Begin.')
  expect(JSON.stringify(model.seen)).toMatch(/valid JSON/)
  expect(requests).toEqual([])
})

test('a tool of Anthropic has the schema that the API takes', async () => {
  const [tool] = await toAnthropic(makeSource().source)
  expect(tool).toMatchObject({ type: 'custom', name: 'list_connectors', input_schema: { type: 'object', additionalProperties: false } })
})
