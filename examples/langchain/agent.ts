/**
 * Answers a question with LangChain and the systems that Ferrule is connected to.
 *
 *     npm install ferrule langchain @langchain/core @langchain/anthropic
 *     node agent.ts 'Who are our users in Gong?'
 */
import { ChatAnthropic } from '@langchain/anthropic'
import { Ferrule } from 'ferrule/core'
import { tools } from 'ferrule/langchain'
import { createAgent } from 'langchain'

const agent = createAgent({ model: new ChatAnthropic('claude-sonnet-5-5'), tools: await tools(new Ferrule()) })
const question = process.argv[2] ?? 'Which systems are connected, and what is in them?'
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] })
console.log(messages.at(-1)?.text)
