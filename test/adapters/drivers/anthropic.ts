/** Runs Anthropic's tool runner with a `fetch` that answers instead of the API. */
import Anthropic from '@anthropic-ai/sdk'
import { tools } from '../../../packages/ferrule/src/adapters/anthropic.ts'
import { type Driver, repeat } from './driver.ts'
import { answerMessages } from './provider.ts'

/** Runs a tool runner. */
export const driveAnthropic: Driver = async (source, options) => {
  const made = await tools(source, options)
  return async ({ model, signal, isRepeated = false }) => {
    const answer: typeof fetch = async (_input, init) => {
      init?.signal?.throwIfAborted()
      return Response.json(answerMessages(JSON.parse(String(init?.body)), model))
    }
    const client = new Anthropic({ apiKey: 'k', fetch: answer, maxRetries: 0 })
    const given = isRepeated ? made.map((each) => ({ ...each, run: repeat(each.run) })) : made
    await client.beta.messages.toolRunner(
      { ...{ model: 'test', max_tokens: 1_000, max_iterations: 60, tools: given }, messages: [{ role: 'user', content: 'Begin.' }] },
      signal === undefined ? {} : { signal },
    )
  }
}
