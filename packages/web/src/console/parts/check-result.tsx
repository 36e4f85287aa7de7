/** Shows the outcome of a check at the vendor. */
import { Alert, List, Text } from '@mantine/core'
import type { CheckResult } from 'ferrule/wire'

type Checked = CheckResult['entity_check_results'][number]

/** What a check says about an entity. */
const says: Readonly<Record<Checked['status'], string>> = { succeeded: 'can be read', failed: 'failed', skipped: 'left out' }

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
      {!hasSucceeded && (
        <Text size="sm" fw={600}>
          {result.failure_reason?.external_message ?? result.error_message}
        </Text>
      )}
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
