/** Reads connectors with the state of their copies. */
import type { ConnectorOverview } from 'ferrule/wire'
import { useReadAll } from './read-all.ts'
import { useTenant } from './tenant.ts'

/** Beginning of the keys of lists of connectors: a write that changes them refreshes it. */
export const connectorLists = ['connectors'] as const

/** Reads the connectors of the workspace of the address, or of all. 1,000 connectors are ten requests. @param kind slug; undefined: all */
export function useConnectorOverviews(kind?: string) {
  const { workspace } = useTenant()
  const query = {
    limit: 100,
    ...(workspace === undefined ? {} : { workspace_name: workspace }),
    ...(kind === undefined ? {} : { connector_type: kind }),
  }
  return useReadAll<ConnectorOverview>([...connectorLists, 'overview', query], (ferrule, from, signal) =>
    ferrule.connectors.overviewPage(from ?? query, { signal }),
  )
}
