import { fail } from 'ferrule/internal'
import { changeConsumer, changeConsumerInput, changeConsumerList, changeConsumerRemoval } from 'ferrule/wire'
import type { Consumers } from '../../copies/changes/consumers.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { type Exchange, principalRoute, type Services, slot } from '../route.ts'

const missing = ['connector_not_found', 'workspace_inactive', 'context_store_unavailable'] as const
const problems = [...missing, 'consumer_not_found'] as const

const open = async (exchange: Exchange<Principal>, { platform, operations }: Services) => ({
  access: await platform.connectors.readAccess(exchange.who, slot(exchange, 'connector_id')),
  consumers: takeConsumers(operations),
  name: slot(exchange, 'name'),
})

/** Returns the consumers. @throws FerruleError `context_store_unavailable` in a service without copies */
export function takeConsumers({ consumers }: { readonly consumers?: Consumers }): Consumers {
  if (consumers === undefined) throw fail('context_store_unavailable', {})
  return consumers
}

export const listChangeConsumers = principalRoute('listChangeConsumers', {
  tag: 'context store',
  summary: 'List the consumers of changes',
  about: 'Each with where it stands, and how much it has not read.',
  scope: 'execute:read',
  returns: { about: 'Consumers', schema: changeConsumerList },
  problems: missing,
  answer: async (exchange, services) => {
    requireScope(exchange.who, 'execute:read')
    const { access, consumers } = await open(exchange, services)
    return { json: { data: await consumers.list(access) } }
  },
})

export const getChangeConsumer = principalRoute('getChangeConsumer', {
  tag: 'context store',
  summary: 'Read a consumer of changes',
  scope: 'execute:read',
  returns: { about: 'The consumer', schema: changeConsumer },
  problems,
  answer: async (exchange, services) => {
    requireScope(exchange.who, 'execute:read')
    const { access, consumers, name } = await open(exchange, services)
    return { json: await consumers.get(access, name) }
  },
})

export const saveChangeConsumer = principalRoute('saveChangeConsumer', {
  tag: 'context store',
  summary: 'Register a consumer of changes, or move its cursor',
  about:
    'What it has not read is kept beyond the days of other changes, at most 64 MB for an entity. An empty body registers it at the beginning: all ' +
    'records come first. Registration, and other entities, need connectors:write. A connector has at most 20 consumers, an organization 200.',
  scope: 'execute:read',
  body: changeConsumerInput,
  example: {},
  returns: { about: 'The consumer', schema: changeConsumer },
  problems: [...missing, 'consumer_moved', 'invalid_cursor', 'entity_not_found', 'action_not_supported', 'validation_failed'],
  answer: async (exchange, services) => {
    requireScope(exchange.who, 'execute:read')
    const { access, consumers, name } = await open(exchange, services)
    return { json: await consumers.save(access, { principal: exchange.who, name, body: exchange.body }) }
  },
})

export const deleteChangeConsumer = principalRoute('deleteChangeConsumer', {
  tag: 'context store',
  summary: 'Delete a consumer of changes',
  about: 'Nothing is kept for it any more.',
  scope: 'connectors:write',
  returns: { about: 'The deleted consumer', schema: changeConsumerRemoval },
  problems,
  answer: async (exchange, services) => {
    requireScope(exchange.who, 'connectors:write')
    const { access, consumers, name } = await open(exchange, services)
    return { json: await consumers.remove(access, name) }
  },
})
