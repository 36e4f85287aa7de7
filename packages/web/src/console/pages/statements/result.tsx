/** The result of a statement. */
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCount } from '../../parts/print.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { isUnknown, mostRows, type StatementRun } from './use-run.ts'

/** What the result gets. */
interface ResultProps {
  readonly run: StatementRun
  readonly onNext: () => void
  readonly onAll: () => void
  readonly onRepeat: () => void
}

/** Describes how much of a result is shown. */
function describeRows({ rows, total, hasMore, parts, isCancelled }: StatementRun): string {
  const of = total === undefined || total === rows.length ? '' : ` of ${printCount(total)}`
  const end =
    isCancelled === true ? ' The rest was cancelled.' : hasMore ? ` ${parts === 1 ? 'The first part is' : `${parts} parts are`} shown.` : ''
  return `${printCount(rows.length)}${of} rows.${end}`
}

/** Reads further parts. */
function Parts({ run, onNext, onAll }: Omit<ResultProps, 'onRepeat'>) {
  const isFull = run.rows.length >= mostRows
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        {describeRows(run)}
      </Text>
      {run.hasMore && !isFull && (
        <>
          <Button size="compact-sm" variant="default" loading={run.isRunning} onClick={onNext}>
            Read the next part
          </Button>
          <Button size="compact-sm" variant="default" loading={run.isRunning} onClick={onAll}>
            Read all parts, up to {printCount(mostRows)} rows
          </Button>
        </>
      )}
      {run.hasMore && isFull && (
        <Text size="sm">The table ends here. Read the others with the library: rows() walks them in little memory.</Text>
      )}
    </Group>
  )
}

/** Shows why a run failed. A write whose end nobody knows can be repeated without doing it twice. */
const Failure = ({ error, onRepeat }: { readonly error: unknown; readonly onRepeat: () => void }) => (
  <Stack gap="xs" align="flex-start">
    <ErrorBox error={error} title="The statement did not run to its end" />
    {isUnknown(error) && (
      <Button variant="default" onClick={onRepeat}>
        Repeat the same write: it is carried out once
      </Button>
    )}
  </Stack>
)

/** Shows the result. */
export function Result({ run, onNext, onAll, onRepeat }: ResultProps) {
  return (
    <Stack gap="sm">
      {run.isRunning && run.parts === 0 && (
        <Group gap="xs" role="status">
          <Loader size="sm" />
          <Text size="sm">The statement runs at the warehouse.</Text>
        </Group>
      )}
      {run.isCancelled === true && run.parts === 0 && <Alert color="gray">The statement was cancelled.</Alert>}
      {run.error !== undefined && <Failure error={run.error} onRepeat={onRepeat} />}
      {run.message !== undefined && (
        <Alert color="green" variant="light" role="status">
          {run.message}
        </Alert>
      )}
      {run.parts > 0 && (
        <>
          <Parts run={run} onNext={onNext} onAll={onAll} />
          <DataTable label="Result of the statement" rows={run.rows} columns={run.columns} />
        </>
      )}
    </Stack>
  )
}
