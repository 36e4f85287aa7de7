/** Shows what was read: a sign of waiting, an error, or the data, which stays when a later read fails. */
import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Reading } from '../data/ferrule.ts'
import { describeError } from './describe-error.ts'
import { ErrorBox } from './error-box.tsx'
import { SmallButton } from './looks.tsx'
import { Time } from './time.tsx'

/** What is shown of a reading. */
export interface ShownReading<T> extends Pick<Reading<T>, 'error' | 'dataUpdatedAt' | 'isFetching'> {
  readonly data: T | undefined
  readonly refetch: () => unknown
}

/** Says that data is old because a later read failed. */
function StaleNote({ reading }: { readonly reading: ShownReading<unknown> }) {
  const { sentence, nextStep } = describeError(reading.error)
  return (
    <Alert color="yellow" variant="light" role="status">
      <Group justify="space-between">
        <Text size="sm">
          This was read <Time value={new Date(reading.dataUpdatedAt).toISOString()} />. The last try failed: {sentence} {nextStep}
        </Text>
        <SmallButton loading={reading.isFetching} onClick={() => void reading.refetch()}>
          Try again
        </SmallButton>
      </Group>
    </Alert>
  )
}

/** Shows a reading. @param props `children`: draws the data */
export function ReadingView<T>({ reading, children }: { readonly reading: ShownReading<T>; readonly children: (data: T) => ReactNode }) {
  if (reading.data === undefined) {
    if (reading.error !== null) return <ErrorBox error={reading.error} onRetry={() => void reading.refetch()} />
    return (
      <Stack role="status" aria-busy="true" aria-label="Loading">
        <Skeleton height={28} />
        <Skeleton height={28} />
        <Skeleton height={28} />
      </Stack>
    )
  }
  return (
    <Stack gap="md">
      {reading.error !== null && <StaleNote reading={reading} />}
      {children(reading.data)}
    </Stack>
  )
}
