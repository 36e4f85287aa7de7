import { fail } from 'ferrule/internal'
import { changesPage, changesQuery, endpoints } from 'ferrule/wire'
import type { Changes } from '../../copies/changes/feed.ts'
import { requireScope } from '../../values/access.ts'
import { readQuery } from '../../values/read.ts'
import { limited, type PrincipalRoute, slot } from '../route.ts'

/**
 * Answers with a page of changes. A wait counts as an event stream, not as a running call. What allowed the request is looked at again when
 * it was over.
 */
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
    problems: [
      ...(['connector_not_found', 'workspace_inactive', 'entity_not_found', 'action_not_supported', 'validation_failed'] as const),
      ...(['invalid_cursor', 'changes_expired', 'context_store_not_ready', 'context_store_unavailable', 'context_store_timeout'] as const),
      ...(['rate_limited', 'overloaded'] as const),
    ],
  },
  answer: async (exchange, services) => {
    const { who, signal } = exchange
    const { after, limit = 100, wait = 0 } = readQuery(changesQuery, exchange.query)
    requireScope(who, 'execute:read')
    const { platform, stopping, streams } = services
    const [connectorId, entity] = [slot(exchange, 'connector_id'), slot(exchange, 'entity')]
    if (wait > 0) {
      const access = await platform.connectors.readAccess(who, connectorId)
      const leave = streams.shares.enter(who)
      try {
        await takeChanges(services.operations).wait(
          access,
          { entity, after },
          { ms: wait * 1_000, signal, isEnding: () => stopping.isDraining },
        )
      } finally {
        leave()
      }
      await platform.liveness.check(who, { connectorId, countsToken: true })
    }
    return limited(exchange, services, async (bounds) => {
      const access = await platform.connectors.readAccess(who, connectorId)
      return { json: await takeChanges(services.operations).read(access, { entity, after, limit, signal: bounds.signal }) }
    })
  },
}

function takeChanges({ changes }: { readonly changes?: Changes }): Changes {
  if (changes === undefined) throw fail('context_store_unavailable', {})
  return changes
}
