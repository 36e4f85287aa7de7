/**
 * Answers a question with the tool runner of Anthropic and the systems that Ferrule is connected to.
 *
 *     npm install ferrule @anthropic-ai/sdk
 *     node agent.ts 'Who are our users in Gong?'
 */
import Anthropic from '@anthropic-ai/sdk'
import { tools } from 'ferrule/anthropic'
import { Ferrule } from 'ferrule/core'

const question = process.argv[2] ?? 'Which systems are connected, and what is in them?'
const { content } = await new Anthropic().beta.messages.toolRunner({
  model: 'claude-sonnet-5-5',
  max_tokens: 4_000,
  max_iterations: 20,
  messages: [{ role: 'user', content: question }],
  tools: await tools(new Ferrule()),
})
for (const block of content) if (block.type === 'text') console.log(block.text)
