/** What the service and the node that answers run with, and the sessions of the console. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ServiceRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useService } from '../../data/service.ts'
import { signOut } from '../../data/sign-out.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { FactTable } from './fact-table.tsx'
import { NodeView } from './node-view.tsx'

/** Time between two looks at the health, in milliseconds. */
const everyMs = 15_000

/** Shows whether the service can be used. */
function Health() {
  const reading = useRead(['health'], (ferrule, signal) => ferrule.health({ signal }), { everyMs })
  if (reading.error !== null)
    return <ErrorBox error={reading.error} title="The service is not ready" onRetry={() => void reading.refetch()} />
  return (
    <Group gap="xs" role="status">
      <Badge color={reading.data === undefined ? 'gray' : 'green'}>{reading.data === undefined ? 'Asking …' : 'Ready'}</Badge>
      <Text size="sm">It is healthy: its databases answer.</Text>
    </Group>
  )
}

/** Shows what everybody may know. */
function ServiceFacts({ version, sandbox, public_url: address, operator }: ServiceRecord) {
  return (
    <FactTable
      label="Service"
      facts={[
        ['Version', version],
        ['Address', address ?? 'not set: FERRULE_PUBLIC_URL is needed before others use links and tokens'],
        ['Sandbox', sandbox ? 'yes: it plays the vendors with invented data' : 'no'],
        ['You are its operator', operator ? 'yes' : 'no'],
      ]}
    />
  )
}

/** Says why the node is not shown. */
function NoNode() {
  return (
    <Text size="sm">
      Only the operator sees settings, storage and nodes: one installation serves organizations that know nothing of each other. Sign in
      with the application of the first start to see them.
    </Text>
  )
}

/** Ends sessions. */
function Sessions() {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <Section
      title="Sessions"
      about="A session ends 30 minutes after its last use and after 12 hours at most, and with the secret of its application."
    >
      <Group>
        <Button color="red" variant="outline" onClick={open}>
          Sign out everywhere
        </Button>
        <PageLink to="/applications" size="sm">
          Replace the secret of an application
        </PageLink>
      </Group>
      <ConfirmDialog
        opened={opened}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => signOut({ isEverywhere: true })}
        onClose={close}
      >
        All sessions of the application that you are signed in with end, in every browser, this one included. Programs and tokens stay.
      </ConfirmDialog>
    </Section>
  )
}

/** The page. */
export function Page() {
  const reading = useService()
  return (
    <Stack gap="lg">
      <PageHeader title="Settings" about="What the service runs with. Settings are environment variables; secrets are never shown." />
      <ReadingView reading={reading}>
        {(service) => (
          <>
            <Section title="Service">
              <Health />
              <ServiceFacts {...service} />
            </Section>
            {service.operator ? <NodeView /> : <NoNode />}
          </>
        )}
      </ReadingView>
      <Sessions />
    </Stack>
  )
}
