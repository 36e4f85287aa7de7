/**
 * Answers a question with the AI SDK and the systems that Ferrule is connected to.
 *
 *     npm install ferrule ai @ai-sdk/anthropic
 *     node agent.ts 'Who are our users in Gong?'
 */
import { anthropic } from '@ai-sdk/anthropic'
import { generateText, isStepCount } from 'ai'
import { tools } from 'ferrule/ai-sdk'
import { Ferrule } from 'ferrule/core'

const { text } = await generateText({
  model: anthropic('claude-sonnet-5-5'),
  prompt: process.argv[2] ?? 'Which systems are connected, and what is in them?',
  tools: await tools(new Ferrule()),
  stopWhen: isStepCount(20),
})
console.log(text)
