/** Shows how far a run has come. */
import { Text } from '@mantine/core'
import type { SyncCounts, SyncRunRecord } from 'ferrule/wire'
import { printCount, printCounted } from './print.ts'
import { Time } from './time.tsx'

/** Prints what a run has read, such as `1,200 records in 14 calls`. */
export const printProgress = ({ records, calls }: SyncCounts): string =>
  `${printCounted(records, 'record')} in ${printCounted(calls, 'call')}`

/** Prints what a run has changed in the copy. */
export const printChanges = ({ written, removed }: SyncCounts): string => `${printCount(written)} written, ${printCount(removed)} removed`

/** What the line of a run shows. */
export interface RunProgressProps {
  readonly run: Pick<SyncRunRecord, 'progress' | 'state' | 'not_before' | 'created_at' | 'attempts' | 'error'>
  /** true: the reason of the wait stands elsewhere on the page. */
  readonly isExplained?: boolean
}

/** Shows when a run that waits is tried again. A time that has passed says nothing: the run can start. */
function NextTry({ notBefore }: { readonly notBefore: string | null }) {
  if (notBefore === null || Date.parse(notBefore) <= Date.now()) return null
  return (
    <>
      , tries again <Time value={notBefore} />
    </>
  )
}

/** Shows the progress of a run in one line, with its estimated end, or with what it waits for. */
export function RunProgress({ run, isExplained = false }: RunProgressProps) {
  const { estimated_end: end } = run.progress
  return (
    <Text size="sm" component="span">
      {run.state === 'queued' && run.progress.calls === 0 ? (
        <>
          requested <Time value={run.created_at} />
        </>
      ) : run.state === 'running' && run.progress.calls === 0 ? (
        'waiting'
      ) : (
        printProgress(run.progress)
      )}
      {run.state === 'running' &&
        (end !== null ? (
          <>
            , ends about <Time value={end} />
          </>
        ) : (
          run.progress.calls > 0 && ', end not known yet'
        ))}
      {run.state === 'queued' && <NextTry notBefore={run.not_before} />}
      {run.error !== null && run.attempts > 0 && (run.state === 'queued' || run.state === 'running') && (
        <>
          {' '}
          (attempt {printCount(run.attempts)}
          {!isExplained && `: ${run.error.message}`})
        </>
      )}
    </Text>
  )
}
