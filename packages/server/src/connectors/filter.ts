/** Reads the filter of lists of connectors. */
import type { ConnectorQuery } from 'ferrule/wire'
import { findWorkspaceName } from '../values/workspace-names.ts'
import type { Catalogue } from './connector-types.ts'
import type { ConnectorListOptions } from './sql/connectors.ts'

/**
 * Returns the filter of a query; undefined when nothing can match. An unknown definition id is no error, because clients ask for kinds that
 * a service may lack.
 * @throws FerruleError `connector_type_not_found`, `validation_failed`
 */
export function readConnectorFilter(
  catalogue: Catalogue,
  query: ConnectorQuery,
): Pick<ConnectorListOptions, 'workspaceId' | 'workspaceName' | 'kind'> | undefined {
  const type = query.connector_type === undefined ? undefined : catalogue.getKind(query.connector_type).definition.kind
  const place = { workspaceId: query.workspace_id?.toLowerCase(), workspaceName: findWorkspaceName(query) }
  if (query.definition_id === undefined) return { ...place, kind: type }
  const wanted = query.definition_id.toLowerCase()
  const slug = catalogue.list().find(({ sourceDefinitionId }) => sourceDefinitionId === wanted)?.connector_type
  return slug === undefined || (type !== undefined && type !== slug) ? undefined : { ...place, kind: slug }
}
