/** Connectors with the state of their copies at a glance, on the wire. */
import { bool, list, oneOf, orNull, str, time } from '../../definition/index.ts'
import { connectorNotice, connectorStatuses } from '../connectors.ts'
import { copySummary } from '../context-store.ts'
import { page } from '../paging.ts'
import { syncError, syncRunRecord } from '../syncs.ts'
import { part, record, recordOrNull, uuid, type Wire } from '../words.ts'

export const connectorOverview = record(
  'ConnectorOverview',
  {
    id: uuid('Connector id'),
    name: str('Display name, unique in the workspace'),
    connector_type: str('Slug of the kind'),
    kind_title: str('Title of the kind'),
    workspace_id: uuid('Workspace id'),
    workspace_name: str('Workspace name'),
    status: oneOf('active; auth_error: the vendor refused the credentials; disabled: the workspace is inactive', ...connectorStatuses),
    status_reason: orNull(str('Why the connector is not active, and what to do')),
    sandbox: bool('true: the connector calls the stand-in of the vendor'),
    notices: list(connectorNotice, 'Messages of the vendor beside its answers'),
    created_at: time('Time of creation'),
    context_store: recordOrNull(copySummary),
    failing_entities: list(
      part({ entity: str('Entity'), error: syncError }, 'An entity whose last sync failed'),
      'Entities whose last sync failed',
    ),
    running: recordOrNull(syncRunRecord),
    queued: recordOrNull(syncRunRecord),
  },
  'A connector with the state of its copy at a glance; context_store is null for kinds that cannot be searched',
)
/** A connector with the state of its copy at a glance. */
export type ConnectorOverview = Wire<typeof connectorOverview>

/** One page of connectors at a glance. */
export const overviewPage = page('ConnectorOverviewPage', connectorOverview, 'connectors')
