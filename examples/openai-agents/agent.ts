/**
 * Answers a question with the Agents SDK of OpenAI and the systems that Ferrule is connected to.
 *
 *     npm install ferrule @openai/agents
 *     node agent.ts 'Who are our users in Gong?'
 */
import { Agent, run } from '@openai/agents'
import { Ferrule } from 'ferrule/core'
import { tools } from 'ferrule/openai-agents'

const agent = new Agent({ name: 'Analyst', tools: await tools(new Ferrule()) })
const question = process.argv[2] ?? 'Which systems are connected, and what is in them?'
// Without the option, a wrong name of a tool ends the run.
const { finalOutput } = await run(agent, question, { toolNotFoundBehavior: 'return_error_to_model' })
console.log(finalOutput)
