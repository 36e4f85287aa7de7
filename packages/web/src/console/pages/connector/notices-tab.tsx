/** What the vendor says beside its answers. */
import { Alert, Stack, Text } from '@mantine/core'
import type { ConnectorNotice, ConnectorRecord } from 'ferrule/wire'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Time } from '../../parts/time.tsx'

const titles: Readonly<Record<ConnectorNotice['type'], string>> = {
  api_version: 'The vendor answers with another version of its API',
  deprecated: 'The vendor will end something that is used',
}

/** Shows the tab. */
export function NoticesTab({ connector }: { readonly connector: ConnectorRecord }) {
  if (connector.notices.length === 0)
    return <EmptyState title="No notices" says="Vendors say here when they end or change something that this connector uses." />
  return (
    <Stack>
      {connector.notices.map(({ type, message, since }) => (
        <Alert key={`${type} ${message}`} color="yellow" variant="light" title={titles[type]}>
          <Text size="sm">{message}</Text>
          <Text size="sm">
            First said <Time value={since} />.
          </Text>
        </Alert>
      ))}
    </Stack>
  )
}
