/** What is particular to a framework, over a source of this process. */

import { MemorySaver } from '@langchain/langgraph'
import { Agent, type Model, type ModelRequest, type ModelResponse, run, setTracingDisabled, Usage } from '@openai/agents'
import { asSchema } from 'ai'
import { AIMessage, createAgent, fakeModel, ToolMessage } from 'langchain'
import { describe, expect, test } from 'vitest'
import { ToolFailure, tools as toAiSdk } from '../../packages/ferrule/src/adapters/ai-sdk.ts'
import { tools as toAnthropic } from '../../packages/ferrule/src/adapters/anthropic.ts'
import { tools as toLangChain } from '../../packages/ferrule/src/adapters/langchain.ts'
import { tools as toOpenAi } from '../../packages/ferrule/src/adapters/openai-agents.ts'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { FerruleError } from '../../packages/ferrule/src/index.ts'
import { makeFakeSource } from '../agent/fake-source.ts'
import type { ScriptedModel } from './drivers/driver.ts'
import { drivers } from './drivers/index.ts'

setTracingDisabled(true)

/** A source whose records have an id above 2^53. */
const makeSource = () => makeFakeSource(() => ({ data: [{ id: 9007199254740993n, title: 'first' }], meta: {} }))

const read = { connector: 'team', entity: 'notes', action: 'list', params: {} }

test('every adapter gives the same names, which every framework takes', async () => {
  const source = makeSource()
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

test('operations as tools have names that no framework rewrites', async () => {
  const options = { include: ['notes.notes.list'] }
  const made = [await toLangChain(makeSource(), options), await toOpenAi(makeSource(), options), await toAnthropic(makeSource(), options)]
  const names = made.map((tools) => tools.map((tool) => ('name' in tool ? tool.name : '')))
  for (const each of [Object.keys(await toAiSdk(makeSource(), options)), ...names]) expect(each).toEqual(['notes_notes_list', 'read_more'])
})

describe.each(drivers)('with %s', (name, drive) => {
  /** Whether the framework hands over the text of the arguments. The others hand over what they parsed. */
  const hasText = name === 'the Agents SDK of OpenAI'
  /** Makes one call of a model, and returns what the model sees. */
  const callOnce = async (args: Readonly<Record<string, unknown>>) => {
    const source = makeSource()
    const calls = [{ id: 'call_1', name: 'execute', args }]
    const seen: string[] = []
    const model: ScriptedModel = (results) => {
      seen.push(...results.map(({ text }) => text))
      return calls.splice(0, 1)
    }
    await (await drive(source))({ model })
    return { seen, params: source.calls.map(({ params }) => params) }
  }

  test('a number that can have lost digits is refused, and its digits as a string arrive', async () => {
    const { seen, params } = await callOnce({ ...read, params: { ids: [2 ** 53] } })
    if (hasText) expect(params).toEqual([{ ids: [2n ** 53n] }])
    else expect(seen).toEqual([expect.stringMatching(/\/params\/ids\/0 .*lost digits: write it as a string of digits/)])
    expect(params).toHaveLength(hasText ? 1 : 0)
    expect(await callOnce({ ...read, params: { ids: ['9007199254740993'] } })).toMatchObject({ params: [{ ids: ['9007199254740993'] }] })
  })
})

test('the AI SDK shows open objects as open, and changes nothing of ours', async () => {
  const made = await toAiSdk(makeSource(), { write: true })
  const params = async (name: string): Promise<unknown> => Object(await asSchema(made[name]?.inputSchema).jsonSchema).properties.params
  for (const name of ['execute', 'write']) expect(await params(name)).toMatchObject({ type: 'object', additionalProperties: {} })
  const again = (await createTools(makeSource())).find(({ name }) => name === 'execute')
  expect(again?.inputSchema).toMatchObject({ properties: { params: { additionalProperties: true } } })
})

test('the AI SDK gets an error whose text is the message alone, with its code', async () => {
  const { execute } = await toAiSdk(makeSource())
  const failure: unknown = await execute?.execute({ ...read, entity: 5 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ToolFailure)
  expect(failure).toMatchObject({ code: 'validation_failed' })
  expect(String(failure)).toMatch(/^Error validation_failed: /)
})

test('LangChain keeps the whole result beside the text, in a form that a checkpoint can hold', async () => {
  const source = makeSource()
  const asked = new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'execute', args: read, type: 'tool_call' }] })
  const model = fakeModel().respond(asked).respond(new AIMessage('done'))
  const agent = createAgent({ model, tools: await toLangChain(source), checkpointer: new MemorySaver() })
  const thread = { configurable: { thread_id: 'thread' } }
  await agent.invoke({ messages: [{ role: 'user', content: 'Begin.' }] }, thread)
  const { values } = await agent.graph.getState(thread)
  const messages: unknown[] = values.messages
  const [result] = messages.filter((message) => ToolMessage.isInstance(message))
  expect(result?.text).toContain('9007199254740993')
  expect(result?.artifact).toEqual({ data: [{ id: '9007199254740993', title: 'first' }], meta: {} })
})

test('a tool of LangChain shows the plain JSON Schema and takes what does not fit it', async () => {
  const source = makeSource()
  const execute = (await toLangChain(source)).find(({ name }) => name === 'execute')
  expect(execute?.schema).toMatchObject({ type: 'object', properties: { entity: { type: 'string' } }, additionalProperties: false })
  const text = await execute?.invoke({ ...read, params: '{"page":1}' })
  expect(text).toContain('9007199254740993')
  expect(source.calls).toMatchObject([{ params: { page: 1 } }])
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
  const source = makeSource()
  const text = '{"connector":"team","entity":"notes","action":"get","params":{"id":9007199254740993}}'
  await run(new Agent({ name: 'Test', model: new OneCall(text), tools: await toOpenAi(source) }), 'Begin.')
  expect(source.calls).toMatchObject([{ params: { id: 9007199254740993n } }])
})

test('a tool of OpenAI shows the schema as it is, because strict mode would close params', async () => {
  const execute = (await toOpenAi(makeSource())).find(({ name }) => name === 'execute')
  expect(execute).toMatchObject({
    strict: false,
    parameters: { required: ['connector', 'entity', 'action'], properties: { params: { type: 'object', additionalProperties: true } } },
  })
})

test('the Agents SDK of OpenAI says what to change in arguments that are no JSON', async () => {
  const source = makeSource()
  const model = new OneCall('{"connector":')
  await run(new Agent({ name: 'Test', model, tools: await toOpenAi(source) }), 'Begin.')
  expect(JSON.stringify(model.seen)).toMatch(/valid JSON/)
  expect(source.calls).toEqual([])
})

test('a tool of Anthropic has the schema that the API takes', async () => {
  const [tool] = await toAnthropic(makeSource())
  expect(tool).toMatchObject({ type: 'custom', name: 'list_connectors', input_schema: { type: 'object', additionalProperties: false } })
})
