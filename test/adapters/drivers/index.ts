/** The frameworks that are tested, each by its driver. */
import { driveAiSdk } from './ai-sdk.ts'
import { driveAnthropic } from './anthropic.ts'
import type { Driver } from './driver.ts'
import { driveLangChain } from './langchain.ts'
import { driveOpenAiAgents } from './openai-agents.ts'

/** Drivers by the name of their framework. */
export const drivers: readonly (readonly [name: string, drive: Driver])[] = [
  ['the AI SDK', driveAiSdk],
  ['LangChain', driveLangChain],
  ['the Agents SDK of OpenAI', driveOpenAiAgents],
  ['the tool runner of Anthropic', driveAnthropic],
]
