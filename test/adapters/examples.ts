/** Runs the programs of `examples/` against a hosted service and a stand-in of the model's provider. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../scripts/paths.mjs'
import { serve } from '../engine/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import type { ModelResult } from './drivers/driver.ts'
import { answerMessages, answerResponses } from './drivers/provider.ts'

/** Folders of the examples. */
export const exampleNames = ['ai-sdk', 'langchain', 'openai-agents', 'anthropic'] as const

/** Answers instead of the provider that an example asks. */
const findAnswer = (name: (typeof exampleNames)[number]) => (name === 'openai-agents' ? answerResponses : answerMessages)

/** What an example printed, and what its model saw. */
export interface ExampleRun {
  readonly stdout: string
  readonly seen: readonly ModelResult[]
  /** The first request to the provider. */
  readonly request: Readonly<Record<string, unknown>>
}

/**
 * Runs an example. Its model lists the connectors, reads users, and says that it is done.
 * @param environment how the program finds the service
 */
export async function runExample(name: (typeof exampleNames)[number], environment: Readonly<Record<string, string>>): Promise<ExampleRun> {
  const seen: ModelResult[] = []
  const turns = [
    { id: 'call_1', name: 'list_connectors', args: {} },
    { id: 'call_2', name: 'execute', args: { connector: 'Calls', entity: 'users', action: 'list', fields: ['id'] } },
  ]
  const model = (results: readonly ModelResult[]) => {
    seen.push(...results)
    return turns.splice(0, 1)
  }
  await using provider = await serve(({ body }) => ({ body: findAnswer(name)(JSON.parse(body), model, 'There are many users.') }))
  const env = {
    ...{ ...buildSourceEnvironment(), ...environment },
    ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: provider.origin, OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${provider.origin}/v1` },
    ...{ OPENAI_AGENTS_DISABLE_TRACING: '1', LANGSMITH_TRACING: 'false' },
  }
  const program = join(root, 'examples', name, 'agent.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'Who are our users?'], { env })
  return { stdout, seen, request: JSON.parse(provider.seen[0]?.body ?? '{}') }
}
