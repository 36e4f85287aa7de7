/** The entities of a connector: how fresh their copies are, and the ways to their records. */
import { Group, Stack, Text } from '@mantine/core'
import type { ConnectorRecord, SyncEntityProgress, SyncEntityStatus, SyncStatusRecord } from 'ferrule/wire'
import { hasEntity, useKind } from '../../data/connector.ts'
import { findNextStep } from '../../parts/describe-error.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printProgress, RunProgress } from '../../parts/run-progress.tsx'
import { CopyState, RunStateBadge } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useCopyReading } from './data.ts'

/** Shows how far a sync is with an entity, and when the copy is complete, as far as known. */
function EntityProgress({ progress }: { readonly progress: SyncEntityProgress }) {
  const { estimated_end: end } = progress
  return (
    <Text size="sm">
      {printProgress(progress)}
      {end !== null && (
        <>
          , complete about <Time value={end} />
        </>
      )}
    </Text>
  )
}

/** Shows the state of a copy, with its progress, or with what is wrong and what to do. */
function EntityState({ entity }: { readonly entity: SyncEntityStatus }) {
  const { state, progress, last_error: error, reason, complete, synced_at: synced } = entity
  return (
    <Stack gap={4} align="flex-start">
      <CopyState state={state} />
      {progress !== null && <EntityProgress progress={progress} />}
      {reason !== null && <Text size="sm">{reason}</Text>}
      {error !== null && (
        <Text size="sm">
          {error.message} <strong>{findNextStep(error.code, error.hint)}</strong>
        </Text>
      )}
      {!complete && synced !== null && error === null && <Text size="sm">A part could not be read.</Text>}
    </Stack>
  )
}

/** Shows the ways to the records of an entity. */
function EntityLinks({ id, entity, isSearchable }: { readonly id: string; readonly entity: string; readonly isSearchable: boolean }) {
  const params = { connector: id, entity }
  return (
    <Group gap="xs" wrap="nowrap">
      {isSearchable && (
        <PageLink to="/search" params={params} size="sm" aria-label={`Search ${entity}`}>
          Search
        </PageLink>
      )}
      <PageLink to="/explorer" params={params} size="sm" aria-label={`Explore ${entity}`}>
        Explore
      </PageLink>
    </Group>
  )
}

/** Shows the run that works now, and the one that waits. */
function CurrentRuns({ running, queued }: SyncStatusRecord) {
  return [running, queued].map(
    (run) =>
      run !== null && (
        <Group key={run.id} gap="sm">
          <RunStateBadge state={run.state} />
          <RunProgress run={run} />
        </Group>
      ),
  )
}

/** Builds the columns. @param id of the connector */
const buildColumns = (id: string): readonly ListColumn<SyncEntityStatus>[] => [
  { title: 'Entity', cell: ({ entity }) => <strong>{entity}</strong> },
  { title: 'State', cell: (entity) => <EntityState entity={entity} /> },
  { title: 'Records', isNumber: true, cell: ({ records }) => printCount(records) },
  { title: 'Last sync', cell: ({ synced_at: synced }) => <Time value={synced} none="not yet" /> },
  { title: 'Last full check', cell: ({ verified_at: verified }) => <Time value={verified} none="not yet" /> },
  { title: 'Next sync', cell: ({ paused, next_run_at: next }) => (paused ? 'paused' : <Time value={next} none="no schedule" />) },
  {
    title: 'Open',
    cell: ({ entity, state, ready_for_search: isSearchable }) =>
      state !== 'disabled' && <EntityLinks id={id} entity={entity} isSearchable={isSearchable} />,
  },
]

/** Shows the entities that have no copy; they are called at the vendor only. */
function OtherEntities({ connector, copied }: { readonly connector: ConnectorRecord; readonly copied: readonly string[] }) {
  const all = useKind(connector.connector_type).data?.entities ?? []
  const others = all.filter(({ entity }) => !copied.includes(entity) && hasEntity(connector, entity))
  if (others.length === 0) return null
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Without a copy: read at the vendor with each call
      </Text>
      <Group gap="md">
        {others.map(({ entity }) => (
          <PageLink key={entity} to="/explorer" params={{ connector: connector.id, entity }} size="sm">
            {entity}
          </PageLink>
        ))}
      </Group>
    </Stack>
  )
}

/** Shows the tab. */
export function EntitiesTab({ connector }: { readonly connector: ConnectorRecord }) {
  const reading = useCopyReading(connector.id)
  return (
    <ReadingView reading={reading}>
      {(copy) => (
        <Stack gap="md">
          <Group gap="sm">
            <CopyState state={copy.state} />
            <Text size="sm">{printCounted(copy.records, 'record')} in the copy</Text>
          </Group>
          <CurrentRuns {...copy} />
          {copy.entities.length > 0 && (
            <ListTable label="Entities" columns={buildColumns(connector.id)} rows={copy.entities} rowKey={({ entity }) => entity} />
          )}
          <OtherEntities connector={connector} copied={copy.entities.map(({ entity }) => entity)} />
        </Stack>
      )}
    </ReadingView>
  )
}
