/** Shows the outcome of a check at the vendor. */
import { Alert, List, Text } from '@mantine/core'
import type { CheckResult } from 'ferrule/wire'
import { findNextStep } from './describe-error.ts'
import { Strong } from './looks.tsx'

type Checked = CheckResult['entity_check_results'][number]

/** What a check says about an entity. */
const says: Readonly<Record<Checked['status'], string>> = { succeeded: 'can be read', failed: 'failed', skipped: 'left out' }

/** Reads what to do after a failed check: the answer joins the sentence of the error and its hint. */
function readNextStep({ failure_reason: failure, error_message: message = '' }: CheckResult): string {
  if (failure === undefined) return ''
  return findNextStep(failure.internal_message, failure.external_message.slice(message.length).trim())
}

/** Shows what was checked. */
export function CheckResultView({ result }: { readonly result: CheckResult }) {
  const hasSucceeded = result.status === 'succeeded'
  return (
    <Alert
      color={hasSucceeded ? 'green' : 'red'}
      variant="light"
      role="status"
      title={hasSucceeded ? 'The vendor accepts the credentials' : 'The check has failed'}
    >
      {!hasSucceeded && <Text size="sm">{result.error_message}</Text>}
      {!hasSucceeded && <Strong>{readNextStep(result)}</Strong>}
      <List size="sm">
        {result.entity_check_results.map(({ entity, status, error_message: message }) => (
          <List.Item key={entity}>
            {entity}: {says[status]}
            {message !== undefined && `. ${message}`}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
