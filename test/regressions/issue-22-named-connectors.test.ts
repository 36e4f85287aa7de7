/** Keys of `createTools({ … })` are the names that the model uses, for connectors of a service too. */
import { expect, test } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { runTool } from '../agent/support.ts'
import { client, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const world = await share(startWorld())
const ids = [await world.connect('Calls of Europe'), await world.connect('Calls of Asia')]

const open = (connector: string | undefined) =>
  connect('gong', { url: world.url, clientId: client.id, clientSecret: client.secret, connector: connector ?? '' })

test('the names lead to their connectors, and are the only ones that are listed', async () => {
  const [europe, asia] = ids.map(open)
  if (europe === undefined || asia === undefined) throw new Error('a connector is missing')
  const tools = await createTools({ europe, asia })
  const { text } = await runTool(tools, 'list_connectors', {})
  expect(text).toMatch(/^"europe": gong.*id /m)
  expect(text).toMatch(/^"asia": gong.*id /m)
  expect(text).not.toContain('Calls of')
  const read = { entity: 'users', action: 'list', fields: ['id'] }
  const answer = await runTool(tools, 'execute', { connector: 'asia', ...read })
  expect([answer.isError, answer.text]).toEqual([false, expect.stringContaining('gong users.list of "asia"')])
  expect((await runTool(tools, 'execute', { connector: ids[0], ...read })).text).toContain('of "europe"')
  expect((await runTool(tools, 'execute', { connector: 'africa', ...read })).text).toContain('"asia"')
  const narrowed = await createTools({ europe, asia }, { connectors: ['asia'] })
  expect((await runTool(narrowed, 'list_connectors', {})).text).not.toContain('europe')
})

test('connectors of a list keep their own names', async () => {
  const tools = await createTools(ids.map(open))
  const { text } = await runTool(tools, 'list_connectors', {})
  expect(text).toContain('"Calls of Europe"')
  expect(text).not.toMatch(/^"\d"/m)
})
