/** Runs Anthropic's tool runner with a `fetch` that answers in place of the API. */
import Anthropic from '@anthropic-ai/sdk'
import { tools } from '../../../packages/ferrule/src/adapters/anthropic.ts'
import { isObject } from '../../../packages/ferrule/src/definition/object.ts'
import type { Driver, ModelResult } from './driver.ts'

/** Reads the results that the last message brings. */
function readResults(body: unknown): readonly ModelResult[] {
  const last: unknown = isObject(body) && Array.isArray(body['messages']) ? body['messages'].at(-1) : undefined
  const content: unknown = isObject(last) ? last['content'] : undefined
  if (!Array.isArray(content)) return []
  return content.filter(isObject).flatMap((block) => {
    if (block['type'] !== 'tool_result') return []
    if (typeof block['content'] !== 'string') throw new Error('The model was sent blocks')
    return [{ text: block['content'], isError: block['is_error'] === true }]
  })
}

/** Runs a tool runner. */
export const runAnthropic: Driver = async ({ source, options, model, signal }) => {
  const answer: typeof fetch = async (_input, init) => {
    init?.signal?.throwIfAborted()
    const calls = model(readResults(JSON.parse(String(init?.body))))
    const content = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
    return Response.json({
      ...{ id: 'msg', type: 'message', role: 'assistant', model: 'test', usage: { input_tokens: 1, output_tokens: 1 } },
      content: calls.length > 0 ? content : [{ type: 'text', text: 'done' }],
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    })
  }
  const client = new Anthropic({ apiKey: 'k', fetch: answer, maxRetries: 0 })
  await client.beta.messages.toolRunner(
    {
      ...{ model: 'test', max_tokens: 1_000, max_iterations: 60, tools: await tools(source, options) },
      messages: [{ role: 'user', content: 'Begin.' }],
    },
    signal === undefined ? {} : { signal },
  )
}
