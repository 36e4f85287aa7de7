/** The entities of a connector: how fresh their copies are, and the ways to their records. */
import { Group, Stack, Table, Text } from '@mantine/core'
import type { ConnectorRecord, SyncEntityProgress, SyncEntityStatus, SyncStatusRecord } from 'ferrule/wire'
import { useKind } from '../../data/connector.ts'
import { findNextStep } from '../../parts/describe-error.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printProgress, RunProgress } from '../../parts/run-progress.tsx'
import { CopyState, RunStateBadge } from '../../parts/states.tsx'
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

/** Shows one entity with a copy. */
function EntityRow({ id, entity }: { readonly id: string; readonly entity: SyncEntityStatus }) {
  const { entity: name, state, ready_for_search: isSearchable, records, synced_at: synced } = entity
  const { verified_at: verified, next_run_at: next, paused } = entity
  return (
    <Table.Tr>
      <Table.Td fw={600}>{name}</Table.Td>
      <Table.Td>
        <EntityState entity={entity} />
      </Table.Td>
      <Table.Td ta="right">{printCount(records)}</Table.Td>
      <Table.Td>
        <Time value={synced} none="not yet" />
      </Table.Td>
      <Table.Td>
        <Time value={verified} none="not yet" />
      </Table.Td>
      <Table.Td>{paused ? 'paused' : <Time value={next} none="no schedule" />}</Table.Td>
      <Table.Td>{state !== 'disabled' && <EntityLinks id={id} entity={name} isSearchable={isSearchable} />}</Table.Td>
    </Table.Tr>
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

const titles = ['Entity', 'State', 'Records', 'Last sync', 'Last full check', 'Next sync', 'Open'] as const

/** Shows all entities with a copy. */
function EntityTable({ id, entities }: { readonly id: string; readonly entities: readonly SyncEntityStatus[] }) {
  return (
    <Table.ScrollContainer minWidth={900} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Entities' } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {titles.map((title) => (
              <Table.Th key={title} ta={title === 'Records' ? 'right' : 'left'}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entities.map((entity) => (
            <EntityRow key={entity.entity} id={id} entity={entity} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** Shows the entities that have no copy; they are called at the vendor only. */
function OtherEntities({ connector, copied }: { readonly connector: ConnectorRecord; readonly copied: readonly string[] }) {
  const isAllowed = (name: string) => connector.entities.length === 0 || connector.entities.some(({ entity }) => entity === name)
  const all = useKind(connector.connector_type).data?.entities ?? []
  const others = all.filter(({ entity }) => !copied.includes(entity) && isAllowed(entity))
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
          {copy.entities.length > 0 && <EntityTable id={connector.id} entities={copy.entities} />}
          <OtherEntities connector={connector} copied={copy.entities.map(({ entity }) => entity)} />
        </Stack>
      )}
    </ReadingView>
  )
}
