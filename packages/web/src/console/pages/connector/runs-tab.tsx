/** The runs of a connector, with their errors. */
import { Group, List, NativeSelect, Stack, Table, Text } from '@mantine/core'
import { type ConnectorRecord, type RunCause, type RunState, runStates, type SyncError, type SyncRunRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CursorPages } from '../../parts/cursor-pages.tsx'
import { findNextStep } from '../../parts/describe-error.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { printDuration } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printChanges, RunProgress } from '../../parts/run-progress.tsx'
import { RunStateBadge } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { listAllKeys } from './data.ts'

/** Shows one error. */
function ErrorText({ about, error }: { readonly about?: string; readonly error: SyncError }) {
  return (
    <Text size="sm" component="span">
      {about !== undefined && `${about}: `}
      {error.message} <strong>{findNextStep(error.code, error.hint)}</strong>
    </Text>
  )
}

/** Shows the errors of a run's entities, and its own unless it repeats one of them. */
function RunErrors({ run }: { readonly run: Pick<SyncRunRecord, 'error' | 'results'> }) {
  const { error } = run
  const failed = run.results.flatMap(({ entity, error: own }) => (own === null ? [] : [{ entity, error: own }]))
  return (
    <>
      {error !== null && !failed.some((each) => each.error.message === error.message) && <ErrorText error={error} />}
      {failed.length > 0 && (
        <List size="sm">
          {failed.map(({ entity, error: own }) => (
            <List.Item key={entity}>
              <ErrorText about={entity} error={own} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

const everyMs = 5_000

const causes: Readonly<Record<RunCause, string>> = {
  demand: 'somebody asked for it',
  search: 'a search wanted newer records',
  created: 'the connector was created',
  changed: 'the connector was changed',
  schedule: 'schedule',
}

const isRunState = (value: string | undefined): value is RunState => runStates.some((state) => state === value)

/** Asks, then cancels a run. */
function CancelButton({ run }: { readonly run: SyncRunRecord }) {
  const { id, connector_id: connector } = run
  const cancellation = useWrite((ferrule) => ferrule.syncs.cancel(connector, id), {
    refreshes: listAllKeys(connector),
    onDone: () => announce('The sync was cancelled.'),
  })
  return (
    <ConfirmButton isSmall label="Cancel the run" title="Cancel this run?" mutation={cancellation}>
      Records that it has written stay in the copy. The next run continues where this one stood.
    </ConfirmButton>
  )
}

/** Prints how long a run took. */
const printLength = ({ started_at: start, finished_at: end }: SyncRunRecord): string =>
  start === null || end === null ? '' : printDuration(Date.parse(end) - Date.parse(start))

/** Shows one run. */
function RunRow({ run }: { readonly run: SyncRunRecord }) {
  const { state, mode, cause, entities, progress, created_at: created, finished_at: end } = run
  return (
    <Table.Tr>
      <Table.Td>
        <RunStateBadge state={state} />
      </Table.Td>
      <Table.Td>
        <Time value={created} /> <Text size="sm">{printLength(run)}</Text>
      </Table.Td>
      <Table.Td>
        {mode === 'full' ? 'everything' : 'changes'} of {entities === null ? 'all entities' : entities.join(', ')}
        <Text size="sm" c="dimmed">
          {causes[cause]}
        </Text>
      </Table.Td>
      <Table.Td>
        <RunProgress run={run} />
        <Text size="sm">{printChanges(progress)}</Text>
        <RunErrors run={run} />
      </Table.Td>
      <Table.Td>{end === null && <CancelButton run={run} />}</Table.Td>
    </Table.Tr>
  )
}

/** Shows one page of runs. */
function RunTable({ runs }: { readonly runs: readonly SyncRunRecord[] }) {
  if (runs.length === 0)
    return <EmptyState title="No runs" says="No run fits. Runs are kept for 7 days after their end; Sync now starts one." />
  return (
    <Table.ScrollContainer minWidth={860} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Runs' } }}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={120}>State</Table.Th>
            <Table.Th w={150}>Requested</Table.Th>
            <Table.Th w={240}>What</Table.Th>
            <Table.Th>Read and changed</Table.Th>
            <Table.Th w={150}>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** Shows the tab; the address has the state and the page. */
export function RunsTab({ connector }: { readonly connector: ConnectorRecord }) {
  const [{ state, cursor }, change] = useAddressParams('state', 'cursor')
  const query = { limit: 20, ...(isRunState(state) ? { state } : {}), ...(cursor === undefined ? {} : { cursor }) }
  const reading = useRead(['runs', connector.id, query], (ferrule, signal) => ferrule.syncs.page(connector.id, query, { signal }), {
    everyMs,
  })
  return (
    <Stack>
      <Group>
        <NativeSelect
          label="State"
          data={[{ value: '', label: 'All states' }, ...runStates]}
          value={isRunState(state) ? state : ''}
          onChange={({ currentTarget }) => change({ state: currentTarget.value, cursor: undefined })}
        />
      </Group>
      <ReadingView reading={reading}>
        {({ data, next }) => (
          <>
            <RunTable runs={data} />
            <CursorPages next={next} />
          </>
        )}
      </ReadingView>
    </Stack>
  )
}
