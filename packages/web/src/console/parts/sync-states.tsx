/** Shows the states of copies and of runs as words with colors. */
import { Badge } from '@mantine/core'
import type { RunState, SyncState } from 'ferrule/wire'

type Look = readonly [says: string, color: string]

const copyLooks: Readonly<Record<SyncState, Look>> = {
  loading: ['Waiting for the first sync', 'gray'],
  building_preview: ['First sync', 'blue'],
  preview: ['First sync, part ready', 'blue'],
  ready: ['Ready', 'green'],
  updating: ['Syncing', 'blue'],
  failed: ['Last sync failed', 'red'],
  disabled: ['Not synced', 'gray'],
}

const runLooks: Readonly<Record<RunState, Look>> = {
  queued: ['Waiting', 'gray'],
  running: ['Running', 'blue'],
  succeeded: ['Succeeded', 'green'],
  partial: ['Partly done', 'yellow'],
  failed: ['Failed', 'red'],
  cancelled: ['Cancelled', 'gray'],
}

/** A badge in small letters, which long words fit into. */
const Look = ({ look: [says, color] }: { readonly look: Look }) => (
  <Badge color={color} variant="light" tt="none" maw="none">
    {says}
  </Badge>
)

/** Shows the state of a copy. */
export const CopyState = ({ state }: { readonly state: SyncState }) => <Look look={copyLooks[state]} />

/** Shows the state of a run. */
export const RunStateBadge = ({ state }: { readonly state: RunState }) => <Look look={runLooks[state]} />
