/** Runs lists and gets, and shows their pages. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { type Chosen, useCall } from './address.ts'
import { AnswerView } from './answer-view.tsx'
import type { Operation } from './operation.ts'
import { ParamsForm } from './params-form.tsx'
import { countRows, mostRows, useAnswers } from './run.ts'

type Answers = ReturnType<typeof useAnswers>

/** Shows how to get further rows, or that there are no more. */
function More({ query, onCancel }: { readonly query: Answers['query']; readonly onCancel: () => void }) {
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query
  if (isFetchNextPageError && !isFetchingNextPage)
    return <ErrorBox error={error} title="The next page could not be read" onRetry={() => void fetchNextPage()} />
  if (!hasNextPage) return <Text size="sm">These are all rows.</Text>
  if (countRows(data?.pages ?? []) >= mostRows)
    return <Text size="sm">A page shows {mostRows} rows at most. Narrow the parameters, or use the command: see Copy as.</Text>
  return (
    <Group gap="xs">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Next page
      </Button>
      {isFetchingNextPage && (
        <Button variant="default" onClick={onCancel}>
          Cancel the next page
        </Button>
      )}
    </Group>
  )
}

/** Shows the answer of a call that was begun. */
function Result({ answers: { query, cancel }, label }: { readonly answers: Answers; readonly label: string }) {
  const { data, error, isFetching, isFetchNextPageError } = query
  if (data === undefined && error === null && !isFetching)
    return <EmptyState title="Cancelled" says="The call was ended before its answer. Run it again when you like." />
  if (data === undefined && error === null)
    return (
      <Stack role="status" aria-label="Waiting for the answer" gap="xs">
        <Text size="sm">Waiting for the vendor's answer …</Text>
        <Skeleton height={220} />
      </Stack>
    )
  return (
    <ReadingView reading={{ ...query, error: isFetchNextPageError ? null : error }}>
      {({ pages }) => (
        <AnswerView pages={pages} label={label}>
          {(pages[0]?.meta['next_params'] !== undefined || pages.length > 1) && <More query={query} onCancel={cancel} />}
        </AnswerView>
      )}
    </ReadingView>
  )
}

/** Returns what a click on "Run" does: the same call is run again, another one is begun. */
function useRun(call: ReturnType<typeof useCall>, answers: Answers): () => void {
  const { ran, current, run } = call
  const isSame = (before: Operation | undefined): boolean => before !== undefined && before.params === current.params
  return () => {
    run()
    if (isSame(ran)) void answers.again()
  }
}

/** Shows the panel. */
export function ReadPanel({ chosen }: { readonly chosen: Chosen }) {
  const call = useCall(chosen)
  const answers = useAnswers(chosen.connector.id, call.ran)
  const { isFetching, isFetchingNextPage, error } = answers.query
  const run = useRun(call, answers)
  const label = `${chosen.entity.entity} of ${chosen.connector.name}`
  return (
    <Stack gap="md">
      <ParamsForm
        {...{ chosen, call, error }}
        action="Run"
        isBusy={isFetching && !isFetchingNextPage}
        onSubmit={run}
        onCancel={answers.cancel}
      />
      {call.ran !== undefined && <Result answers={answers} label={label} />}
    </Stack>
  )
}
