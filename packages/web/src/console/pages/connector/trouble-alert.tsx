/** Says why a connector does not work, and leads to what helps. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ConnectorRecord } from 'ferrule/wire'
import { useAddressParams } from '../../data/params.ts'
import { readReason } from '../../parts/connectors/conditions.ts'
import { ConnectLinkButton } from './connect-link-button.tsx'

const titles: Readonly<Record<ConnectorRecord['status'], string>> = {
  active: '',
  auth_error: 'The vendor refuses the credentials',
  disabled: 'The workspace of this connector is inactive',
}

/** Shows the reason; nothing for a connector that works. */
export function TroubleAlert({ connector }: { readonly connector: ConnectorRecord }) {
  const [, change] = useAddressParams('tab')
  const { status, status_reason: reason } = connector
  if (status === 'active') return null
  return (
    <Alert color="red" variant="light" title={titles[status]}>
      <Stack gap="sm">
        <Text size="sm">{readReason(reason ?? '')}</Text>
        {status === 'auth_error' && (
          <Group gap="xs">
            <Button size="xs" onClick={() => change({ tab: 'credentials' })}>
              Replace the credentials
            </Button>
            <ConnectLinkButton connector={connector} />
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
