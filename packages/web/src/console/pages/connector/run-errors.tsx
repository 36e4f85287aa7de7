/** Shows what went wrong in a run, and what to do. */
import { List, Text } from '@mantine/core'
import type { SyncError, SyncRunRecord } from 'ferrule/wire'

/** Shows one error. */
function ErrorText({ about, error }: { readonly about?: string; readonly error: SyncError }) {
  return (
    <Text size="sm" component="span">
      {about !== undefined && `${about}: `}
      {error.message} <strong>{error.hint}</strong>
    </Text>
  )
}

/** Shows the error of a run, and those of its entities. */
export function RunErrors({ run }: { readonly run: Pick<SyncRunRecord, 'error' | 'results'> }) {
  const failed = run.results.flatMap(({ entity, error }) => (error === null ? [] : [{ entity, error }]))
  return (
    <>
      {run.error !== null && <ErrorText error={run.error} />}
      {failed.length > 0 && (
        <List size="sm">
          {failed.map(({ entity, error }) => (
            <List.Item key={entity}>
              <ErrorText about={entity} error={error} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}
