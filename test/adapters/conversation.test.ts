/** One conversation through each framework, with its own fake model, over a hosted service and the sandbox. */
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../packages/ferrule/src/engine/outcome.ts'
import { Ferrule } from '../../packages/ferrule/src/index.ts'
import { client, startWorld, type World } from '../http/support.ts'
import { sandboxAds } from '../http/tiktok-support.ts'
import { conversation, followSteps } from './conversation.ts'
import { runAiSdk } from './drivers/ai-sdk.ts'
import { runAnthropic } from './drivers/anthropic.ts'
import type { Driver } from './drivers/driver.ts'
import { runLangChain } from './drivers/langchain.ts'
import { runOpenAiAgents } from './drivers/openai-agents.ts'
import { exampleNames, runExample } from './examples.ts'

let world: World
/** Takes the next call of the engine. */
let takeCall: (call: Call) => void = () => undefined
beforeAll(async () => {
  world = await startWorld({
    engine: (engine) => ({
      run: (connection, call) => {
        takeCall(call)
        return engine.run(connection, call)
      },
    }),
  })
  await world.connect('Calls')
  await world.connect('Ads', sandboxAds('Ads', { replication_config: { advertiser_id: world.sandbox.tiktok.world.advertiserId } }))
})
afterEach(() => world.sandbox.faults.clear())
afterAll(() => world.close())

const openFerrule = () => new Ferrule({ url: world.url, clientId: client.id, clientSecret: client.secret })

const drivers: readonly (readonly [name: string, drive: Driver])[] = [
  ['the AI SDK', runAiSdk],
  ['LangChain', runLangChain],
  ['the Agents SDK of OpenAI', runOpenAiAgents],
  ['the tool runner of Anthropic', runAnthropic],
]

describe.each(drivers)('%s', (_name, drive) => {
  test('holds the conversation', async () => {
    const { model, seen } = followSteps(conversation)
    await drive({ source: openFerrule(), model })
    expect(seen).toHaveLength(conversation.length)
    for (const [index, { what, sees, isError = false }] of conversation.entries()) {
      const { text = '', isError: marked = isError } = seen[index] ?? {}
      expect({ what, marked }).toEqual({ what, marked: isError })
      for (const pattern of sees) expect(text, what).toMatch(pattern)
      expect(text, what).not.toMatch(/node_modules|\n {4}at |file:\/\//)
    }
  })

  test('ends the call to the vendor when the run is aborted', async () => {
    world.sandbox.faults.add({ kind: 'never-answer', on: 'api' })
    const started = new Promise<Call>((resolve) => {
      takeCall = resolve
    })
    const leaving = new AbortController()
    const { model, seen } = followSteps([
      { what: 'reads', call: { name: 'execute', args: { connector: 'Calls', entity: 'users', action: 'list' } }, sees: [] },
      { what: 'never comes to this', call: { name: 'list_connectors', args: {} }, sees: [] },
    ])
    const ended = expect(drive({ source: openFerrule(), model, signal: leaving.signal })).rejects.toThrow()
    const { signal } = await started
    if (signal === undefined) throw new Error('The engine got no signal')
    leaving.abort(new Error('the user left'))
    await Promise.all([ended, signal.aborted ? undefined : once(signal, 'abort')])
    expect(seen).toEqual([])
  })
})

test.each(exampleNames)('the example of %s answers its question', async (name) => {
  const found = { FERRULE_URL: world.url, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret }
  const { stdout, seen, request } = await runExample(name, found)
  expect(stdout).toBe('There are many users.\n')
  expect(JSON.stringify(request)).toMatch(/Who are our users\?/)
  const shown: Readonly<Record<string, unknown>>[] = Object(request['tools'])
  const schema = { type: 'object', properties: { entity: { type: 'string', description: expect.any(String) } } }
  const execute = { name: 'execute', [name === 'openai-agents' ? 'parameters' : 'input_schema']: schema }
  expect(shown.find((tool) => tool['name'] === 'execute')).toMatchObject(execute)
  expect(seen.map(({ text }) => text)).toEqual([expect.stringMatching(/Calls/), expect.stringMatching(/\d{10}/)])
})
