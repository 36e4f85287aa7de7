import { afterEach, expect, test } from 'vitest'
import { fail } from '../../src/errors.ts'
import { type CallReport, executeOperation } from '../../src/platform/operations.ts'
import { connectorBody, createWorld, firstPrincipal, type World } from './world.ts'

let world: World | undefined
afterEach(() => world?.close())

test('what a client invents is no label of a metric, also when it is a word of the definition', async () => {
  world = await createWorld('sqlite', 'operations')
  const platform = await world.open()
  const principal = await firstPrincipal(platform)
  const { id: connectorId } = await platform.connectors.create(principal, connectorBody())
  const reports: CallReport[] = []
  const engine = {
    run: async () => {
      throw fail('action_not_supported', { entity: 'users', action: '', known: '' })
    },
    scopes: async () => undefined,
  }
  const calls = [
    ['users', 'list'],
    ['users', 'context_store_search'],
    ['users', 'key'],
    ['users', 'record'],
    ['users', 'constructor'],
    ['constructor', 'list'],
  ] as const
  for (const [entity, action] of calls) {
    const services = { platform, engine, onCall: (report: CallReport) => void reports.push(report) }
    await expect(executeOperation(services, principal, { connectorId, request: { entity, action } })).rejects.toThrow()
  }
  const unknown = 'unknown unknown'
  expect(reports.map(({ entity, action }) => `${entity} ${action}`)).toEqual([
    'users list',
    'users context_store_search',
    ...[unknown, unknown, unknown, unknown],
  ])
})
