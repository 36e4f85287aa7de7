/** Shows what went wrong in a run, and what to do. */
import { List, Text } from '@mantine/core'
import type { SyncError, SyncRunRecord } from 'ferrule/wire'
import { findNextStep } from '../../parts/describe-error.ts'

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
export function RunErrors({ run }: { readonly run: Pick<SyncRunRecord, 'error' | 'results'> }) {
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
