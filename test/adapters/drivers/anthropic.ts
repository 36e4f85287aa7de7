/** Runs Anthropic's tool runner with a `fetch` that answers in place of the API. */
import Anthropic from '@anthropic-ai/sdk'
import { tools } from '../../../packages/ferrule/src/adapters/anthropic.ts'
import type { Driver } from './driver.ts'
import { answerMessages } from './provider.ts'

/** Runs a tool runner. */
export const runAnthropic: Driver = async ({ source, options, model, signal }) => {
  const answer: typeof fetch = async (_input, init) => {
    init?.signal?.throwIfAborted()
    return Response.json(answerMessages(JSON.parse(String(init?.body)), model))
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
