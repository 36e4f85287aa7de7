/** Shows the states of connectors, copies, runs and others as words with colors. */
import { Badge } from '@mantine/core'
import type { ConnectorSummary, RunState, SyncState } from 'ferrule/wire'

/** Word and color of a state. */
export type StateLook = readonly [says: string, color: string]

const connectorLooks: Readonly<Record<ConnectorSummary['status'], StateLook>> = {
  active: ['Active', 'green'],
  auth_error: ['Credentials refused', 'red'],
  disabled: ['Disabled', 'gray'],
}

const copyLooks: Readonly<Record<SyncState, StateLook>> = {
  loading: ['Waiting for the first sync', 'gray'],
  building_preview: ['First sync', 'blue'],
  preview: ['First sync, part ready', 'blue'],
  ready: ['Ready', 'green'],
  updating: ['Syncing', 'blue'],
  failed: ['Last sync failed', 'red'],
  disabled: ['Not synced', 'gray'],
}

/** Looks of the states of runs. */
export const runLooks: Readonly<Record<RunState, StateLook>> = {
  queued: ['Waiting', 'gray'],
  running: ['Running', 'blue'],
  succeeded: ['Succeeded', 'green'],
  partial: ['Partly done', 'yellow'],
  failed: ['Failed', 'red'],
  cancelled: ['Cancelled', 'gray'],
}

/** Shows a state; long words fit. */
export const StatePill = ({ look: [says, color] }: { readonly look: StateLook }) => (
  <Badge color={color} radius="xl" miw="max-content">
    {says}
  </Badge>
)

/** Says that a connector is of the sandbox. */
export const SandboxPill = () => (
  <Badge variant="default" radius="xl" miw="max-content">
    Sandbox
  </Badge>
)

/** Shows the status of a connector. */
export const ConnectorStatus = ({ status }: Pick<ConnectorSummary, 'status'>) => <StatePill look={connectorLooks[status]} />

/** Shows the state of a copy. */
export const CopyState = ({ state }: { readonly state: SyncState }) => <StatePill look={copyLooks[state]} />

/** Shows the state of a run. */
export const RunStateBadge = ({ state }: { readonly state: RunState }) => <StatePill look={runLooks[state]} />
