/** The syncs that run now. */
import { Group, Stack, Text, Title } from '@mantine/core'
import type { Page, UnfinishedRunRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { RunProgress } from '../../parts/run-progress.tsx'
import { RunStateBadge } from '../../parts/sync-states.tsx'

/** Runs that are shown; the service runs a few at once. */
const mostShown = 10
const everyMs = 5_000

/** Shows one run. */
function RunLine({ run }: { readonly run: UnfinishedRunRecord }) {
  return (
    <Group component="li" gap="sm">
      <RunStateBadge state={run.state} />
      <PageLink to={`/connectors/${run.connector_id}`} fw={600}>
        {run.connector_name}
      </PageLink>
      <RunProgress run={run} />
    </Group>
  )
}

/** Shows the runs that were found, or a sentence when nothing runs. */
function RunList({ data, next }: Page<UnfinishedRunRecord>) {
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No sync runs now.
      </Text>
    )
  return (
    <>
      <Stack component="ul" gap="xs" p={0} m={0}>
        {data.map((run) => (
          <RunLine key={run.id} run={run} />
        ))}
      </Stack>
      {next !== null && (
        <Text size="sm" c="dimmed">
          These are the newest {mostShown}; more run.
        </Text>
      )}
    </>
  )
}

/**
 * Shows the runs. When a later read fails, the list of connectors beside them says so.
 * @param props `workspaceId`: only runs of this workspace
 */
export function RunningSyncs({ workspaceId }: { readonly workspaceId?: string }) {
  const query = { limit: mostShown, state: 'running' as const, ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }) }
  const reading = useRead(['unfinished-runs', query], (ferrule, signal) => ferrule.syncs.unfinishedPage(query, { signal }), { everyMs })
  return (
    <Stack component="section" gap="xs" aria-labelledby="running">
      <Title order={2} size="h3" id="running">
        Syncs running now
      </Title>
      {reading.data === undefined ? <ReadingView reading={reading}>{() => null}</ReadingView> : <RunList {...reading.data} />}
    </Stack>
  )
}
