/** Says that the session has ended, over whatever was read before. */
import { Alert, Button, Group, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { sessionEnd } from '../data/query-client.ts'

/** Shows the message, and leads to the sign-in, which returns to this page. */
export function SessionEnd() {
  const isEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.read)
  if (!isEnded) return null
  return (
    <Alert color="yellow" title="Your session has ended" mb="md" role="alert">
      <Group justify="space-between">
        <Text size="sm">What you see was read before. Sign in again to continue here.</Text>
        <Button onClick={() => location.reload()}>Sign in again</Button>
      </Group>
    </Alert>
  )
}
