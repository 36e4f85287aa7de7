/** Explains why a search has no answer yet, and offers what helps. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { FerruleError } from 'ferrule/core'
import { useEffect, useRef } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { describeError } from '../../parts/describe-error.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCount } from '../../parts/print.ts'
import type { ChangeAddress } from './address.ts'
import type { RunnableSearch } from './use-search.ts'

/** Errors that a sync can end. */
const passing: readonly string[] = ['context_store_not_ready', 'context_store_stale']
/** Time between two looks at the copy, in milliseconds. */
const everyMs = 3_000

/** What the explanation gets. */
interface NotReadyProps {
  readonly search: RunnableSearch
  readonly error: FerruleError
  readonly onRetry: () => void
  readonly onChange: ChangeAddress
}

/** Watches the copy, and searches again as soon as a sync has ended. @param isFilled true: the copy was filled before */
function useCopy({ connector, entity }: RunnableSearch, isFilled: boolean, onReady: () => void) {
  const reading = useRead(['context-store', connector], (ferrule, signal) => ferrule.contextStore.status(connector, { signal }), {
    everyMs,
  })
  const copy = reading.data?.entities.find((each) => each.entity === entity)
  const syncedAt = copy?.ready_for_search === true ? copy.last_success_at : null
  const before = useRef<string | null>(isFilled ? null : '')
  useEffect(() => {
    if (syncedAt === null) return
    if (before.current !== null && before.current !== syncedAt) onReady()
    before.current = syncedAt
  }, [syncedAt, onReady])
  return copy
}

/** Shows what was read so far. */
const Progress = ({ copy }: { readonly copy: ReturnType<typeof useCopy> }) => (
  <Text size="sm" role="status">
    {copy?.progress === null || copy === undefined
      ? `No sync of this entity runs. ${printCount(copy?.records ?? 0)} records are in the copy.`
      : `A sync runs: ${printCount(copy.progress.records)} records were read.`}
  </Text>
)

/** Shows the explanation with its buttons. */
function NotReady({ search, error, onRetry, onChange }: NotReadyProps) {
  const { connector, entity } = search
  const isStale = error.code === 'context_store_stale'
  const copy = useCopy(search, isStale, onRetry)
  const sync = useWrite((ferrule) => ferrule.syncs.start(connector, { entities: [entity] }), {
    refreshes: [['context-store', connector]],
    onDone: () => announce(`A sync of ${entity} is queued. The search runs when it has ended.`),
  })
  const title = isStale ? 'The copy is older than you allow' : 'The copy is not filled yet'
  return (
    <Alert color="yellow" variant="light" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{describeError(error).sentence}</Text>
        <Progress copy={copy} />
        <Group gap="xs">
          <Button size="compact-sm" loading={sync.isPending} onClick={() => sync.mutate(undefined)}>
            Sync {entity} now
          </Button>
          {isStale ? (
            <Button size="compact-sm" variant="default" onClick={() => onChange({ max_age: undefined })}>
              Search the copy as it is
            </Button>
          ) : (
            <Button size="compact-sm" variant="default" onClick={() => onChange({ partial: '1' })}>
              Search what is there
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
        {sync.error !== null && <ErrorBox error={sync.error} title="The sync was not queued" />}
      </Stack>
    </Alert>
  )
}

/** Shows why a search failed. */
export function SearchError({ error, ...props }: Omit<NotReadyProps, 'error'> & { readonly error: unknown }) {
  if (error instanceof FerruleError && error.retryable && passing.includes(error.code)) return <NotReady {...props} error={error} />
  return <ErrorBox error={error} title="The search did not work" onRetry={props.onRetry} />
}
