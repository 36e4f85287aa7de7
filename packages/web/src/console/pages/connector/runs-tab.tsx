/** The runs of a connector, with their errors. */
import { Group, List, NativeSelect, Stack, Text } from '@mantine/core'
import { type ConnectorRecord, type RunCause, type RunState, runStates, type SyncError, type SyncRunRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { findNextStep } from '../../parts/describe-error.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { Quiet } from '../../parts/looks.tsx'
import { printDuration } from '../../parts/print.ts'
import { printChanges, RunProgress } from '../../parts/run-progress.tsx'
import { RunStateBadge, runLooks } from '../../parts/states.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'
import { listAllKeys } from './data.ts'

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
  webhook: 'a webhook of the vendor',
}

const isRunState = (value: string | undefined): value is RunState => runStates.some((state) => state === value)

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

const columns: readonly ListColumn<SyncRunRecord>[] = [
  { title: 'State', width: '12%', cell: ({ state }) => <RunStateBadge state={state} /> },
  {
    title: 'Requested',
    width: '15%',
    cell: (run) => (
      <>
        <Time value={run.created_at} /> <Text size="sm">{printLength(run)}</Text>
      </>
    ),
  },
  {
    title: 'What',
    width: '24%',
    cell: ({ mode, entities, cause }) => (
      <>
        {mode === 'full' ? 'everything' : 'changes'} of {entities === null ? 'all entities' : entities.join(', ')}
        <Quiet>{causes[cause]}</Quiet>
      </>
    ),
  },
  {
    title: 'Read and changed',
    cell: (run) => (
      <>
        <RunProgress run={run} />
        <Text size="sm">{printChanges(run.progress)}</Text>
        <RunErrors run={run} />
      </>
    ),
  },
  {
    title: 'Actions',
    width: '15%',
    has: ({ finished_at: end }) => end === null,
    cell: (run) => run.finished_at === null && <CancelButton run={run} />,
  },
]

const noRuns = <EmptyState title="No runs" says="No run fits. Runs are kept for 7 days after their end; Sync now starts one." />

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
          data={[{ value: '', label: 'All states' }, ...runStates.map((value) => ({ value, label: runLooks[value][0] }))]}
          {...bindValue(isRunState(state) ? state : '', (next) => change({ state: next, cursor: undefined }))}
        />
      </Group>
      <ReadTable label="Runs" columns={columns} reading={reading} rowKey={({ id }) => id} none={noRuns} />
    </Stack>
  )
}
