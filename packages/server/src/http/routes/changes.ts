import { fail } from 'ferrule/internal'
import { changesPage, changesQuery, connectorChangesPage, connectorChangesQuery, endpoints } from 'ferrule/wire'
import type { Changes, Followed } from '../../copies/changes/feed.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { readQuery } from '../../values/read.ts'
import { type Answer, type Exchange, limited, type PrincipalRoute, type Services, slot } from '../route.ts'

const problems = [
  ...(['connector_not_found', 'workspace_inactive', 'entity_not_found', 'action_not_supported', 'validation_failed'] as const),
  ...(['invalid_cursor', 'context_store_unavailable', 'context_store_timeout', 'rate_limited', 'overloaded'] as const),
]

export const listChanges: PrincipalRoute = {
  ...endpoints.listChanges,
  auth: 'principal',
  document: {
    id: 'listChanges',
    tag: 'context store',
    summary: "List the changes of an entity's copy",
    about:
      'Without `after` all records come first, between the marks snapshot_begin and snapshot_end, then what changes, without a gap. ' +
      'With `after=now` nothing comes first. ' +
      'Each page has the cursor of the next one. With `wait` an answer comes with the first change. Changes are written down from the first request on, ' +
      'and kept for some days (FERRULE_CHANGES_DAYS); a cursor whose changes are lost is answered by `changes_expired`.',
    scope: 'execute:read',
    query: changesQuery,
    answer: { about: 'One page', schema: changesPage },
    problems: [...problems, 'changes_expired', 'context_store_not_ready'],
  },
  answer: (exchange, services) => {
    const query = readQuery(changesQuery, exchange.query)
    return answerChanges(exchange, services, { ...query, entity: slot(exchange, 'entity') })
  },
}

export const listConnectorChanges: PrincipalRoute = {
  ...endpoints.listConnectorChanges,
  auth: 'principal',
  document: {
    id: 'listConnectorChanges',
    tag: 'context store',
    summary: "List the changes of a connector's copy",
    about:
      'The changes of all entities that can be searched, each entry with its entity. Order is kept within an entity, not between entities. An entity ' +
      'begins with all its records between its marks as soon as its first sync has ended, and again where its changes were lost.',
    scope: 'execute:read',
    query: connectorChangesQuery,
    answer: { about: 'One page', schema: connectorChangesPage },
    problems,
  },
  answer: (exchange, services) => {
    const { entities, ...query } = readQuery(connectorChangesQuery, exchange.query)
    return answerChanges(exchange, services, { ...query, entities: entities?.split(',') })
  },
}

type Asked = Followed & { readonly limit?: number; readonly wait?: number }

/**
 * Answers with a page of changes. A wait counts as an event stream, not as a running call. What allowed the request is looked at again when
 * it was over.
 */
async function answerChanges(
  exchange: Exchange<Principal>,
  services: Services,
  { limit = 100, wait = 0, ...followed }: Asked,
): Promise<Answer> {
  const { who, signal } = exchange
  requireScope(who, 'execute:read')
  const { platform, stopping, streams } = services
  const connectorId = slot(exchange, 'connector_id')
  if (wait > 0) {
    const access = await platform.connectors.readAccess(who, connectorId)
    const leave = streams.shares.enter(who)
    try {
      await takeChanges(services.operations).wait(access, followed, { ms: wait * 1_000, signal, isEnding: () => stopping.isDraining })
    } finally {
      leave()
    }
    await platform.liveness.check(who, { connectorId, countsToken: true })
  }
  return limited(exchange, services, async (bounds) => {
    const access = await platform.connectors.readAccess(who, connectorId)
    return { json: await takeChanges(services.operations).read(access, { ...followed, limit, signal: bounds.signal }) }
  })
}

/** Returns the feeds. @throws FerruleError `context_store_unavailable` in a service without copies */
export function takeChanges({ changes }: { readonly changes?: Changes }): Changes {
  if (changes === undefined) throw fail('context_store_unavailable', {})
  return changes
}
