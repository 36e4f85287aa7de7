/** The applications of the organization: client ids with secrets. */
import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import type { ApplicationRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useWrite } from '../../data/write.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NameButton } from '../../parts/name-button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Time } from '../../parts/time.tsx'
import { applicationKeys, DeleteButton, RenameButton, RotateButton } from './application-actions.tsx'
import { ApplicationSecretDialog } from './application-secret.tsx'

/** Shows one application. */
function ApplicationRow({ application }: { readonly application: ApplicationRecord }) {
  const { name, client_id: clientId, is_caller: isOwn, created_at: created } = application
  return (
    <Table.Tr>
      <Table.Td fw={600}>
        {name} {isOwn && <Badge>Signed in with it</Badge>}
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <span className="mono" style={{ whiteSpace: 'nowrap' }}>
            {clientId}
          </span>
          <CopyButton value={clientId} says={`Copy the client id of ${name}`} />
        </Group>
      </Table.Td>
      <Table.Td>
        <Time value={created} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <RenameButton application={application} />
          <RotateButton application={application} />
          {!isOwn && <DeleteButton application={application} />}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

/** Creates an application, and shows its secret. */
function CreateButton() {
  const creation = useWrite((ferrule, name: string) => ferrule.applications.create({ name }), { refreshes: applicationKeys })
  return (
    <>
      <NameButton label="Create an application" title="New application" mutation={creation}>
        It reaches everything in this organization. Make one for each program and each person, so that each can be taken back alone. Agents
        get tokens for MCP instead, which reach less.
      </NameButton>
      <ApplicationSecretDialog application={creation.data} onClose={creation.reset} />
    </>
  )
}

/** The page. */
export function Page() {
  const reading = useRead(['applications'], (ferrule, signal) => ferrule.applications.list({ signal }))
  return (
    <Stack>
      <PageHeader title="Applications" about="Client ids with secrets: programs and people get in with them.">
        <CreateButton />
      </PageHeader>
      <ReadingView reading={reading}>
        {(applications) => (
          <ListTable label="Applications" titles={['Name', 'Client id', 'Created', 'Actions']} minWidth={960}>
            {applications.map((application) => (
              <ApplicationRow key={application.id} application={application} />
            ))}
          </ListTable>
        )}
      </ReadingView>
      <Text size="sm">
        An application cannot delete itself. Sign in with another one to delete the one that you are signed in with now.
      </Text>
    </Stack>
  )
}
