/** One conversation through each framework, with its own fake model, over a hosted service and the sandbox. */
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import type { Call } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { readRows, snowflakeConnector } from '../agent/support.ts'
import { openFerrule } from '../client/support.ts'
import { onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { client } from '../http/support.ts'
import { sandboxAds } from '../http/tiktok-support.ts'
import { share } from '../support/share.ts'
import { conversation, followSteps, write } from './conversation.ts'
import type { ScriptedModel } from './drivers/driver.ts'
import { drivers } from './drivers/index.ts'
import { exampleNames, runExample } from './examples.ts'

/** Takes the next call of the engine. */
let takeCall: (call: Call) => void = () => undefined
const world = await share(
  startCopyWorld('postgres', {
    engine: (engine) => ({
      run: (connection, call) => {
        takeCall(call)
        return engine.run(connection, call)
      },
    }),
  }),
)
await syncedConnector(world, 'Calls', onlyUsers)
await world.connect('Warehouse', snowflakeConnector)
await world.connect('Ads', sandboxAds('Ads', { replication_config: { advertiser_id: world.sandbox.tiktok.world.advertiserId } }))
afterEach(() => world.sandbox.faults.clear())

describe.each(drivers)('%s', (_name, drive) => {
  test('holds the conversation', async () => {
    const { model, seen } = followSteps(conversation, ({ fault }) => fault && world.sandbox.faults.add(fault))
    const run = await drive(openFerrule(world), { write: true })
    await run({ model })
    expect(seen).toHaveLength(conversation.length)
    for (const [index, { what, sees, isError = false }] of conversation.entries()) {
      const { text = '', isError: marked = isError } = seen[index] ?? {}
      expect({ what, marked }).toEqual({ what, marked: isError })
      for (const pattern of sees) expect(text, what).toMatch(pattern)
      expect(text, what).not.toMatch(/node_modules|\n {4}at |file:\/\//)
    }
    const [bounded = [], more = []] = ['reads more than an answer holds', 'reads on'].map((wanted) => {
      const { text = '' } = seen[conversation.findIndex(({ what }) => what === wanted)] ?? {}
      return readRows({ text }).map((row) => Object(row).id)
    })
    expect(new Set([...bounded, ...more]).size).toBe(bounded.length + more.length)
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
    const run = await drive(openFerrule(world))
    const ended = expect(run({ model, signal: leaving.signal })).rejects.toThrow()
    const { signal } = await started
    if (signal === undefined) throw new Error('The engine got no signal')
    leaving.abort(new Error('the user left'))
    await Promise.all([ended, signal.aborted ? undefined : once(signal, 'abort')])
    expect(seen).toEqual([])
  })

  test('writes once for a call that is tried again, and once more in another run with the same ids', async () => {
    const run = await drive(openFerrule(world), { write: true })
    const before = world.sandbox.snowflake.executed().length
    const texts: string[] = []
    for (const isRepeated of [true, false]) {
      // Some providers count their ids from 0 in each conversation.
      const calls = [{ id: 'functions.write:0', ...write }]
      const model: ScriptedModel = (results) => {
        texts.push(...results.map(({ text }) => text))
        return calls.splice(0, 1)
      }
      await run({ model, isRepeated })
    }
    expect(texts).toEqual([expect.stringContaining('rows inserted'), expect.stringContaining('rows inserted')])
    expect(texts[0]).not.toBe(texts[1])
    expect(world.sandbox.snowflake.executed().length - before).toBe(2)
  })
})

test.each(exampleNames)('the example of %s answers its question', async (name) => {
  const found = { FERRULE_URL: world.url, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret }
  const { stdout, seen, request } = await runExample(name, found)
  expect(stdout).toBe('There are many users.\n')
  expect(JSON.stringify(request)).toMatch(/Who are our users\?/)
  const shown: Readonly<Record<string, unknown>>[] = Object(request['tools'])
  const schema = { type: 'object', properties: { entity: { type: 'string', description: expect.any(String) } } }
  const execute = Object(shown.find((tool) => tool['name'] === 'execute'))
  const input = execute.parameters ?? execute.input_schema
  expect(input).toMatchObject(schema)
  expect([true, {}]).toContainEqual(input.properties.params.additionalProperties)
  expect(seen.map(({ text }) => text)).toEqual([expect.stringMatching(/Calls/), expect.stringMatching(/\d{10}/)])
})
