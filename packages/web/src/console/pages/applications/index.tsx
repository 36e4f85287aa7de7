/** The applications of the organization: client ids with secrets. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ApplicationRecord, ApplicationSecret } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Held } from '../../parts/held.tsx'
import { Strong } from '../../parts/looks.tsx'
import { NameButton } from '../../parts/name-button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'

const columns: readonly ListColumn<ApplicationRecord>[] = [
  {
    title: 'Name',
    width: '16%',
    cell: ({ name, is_caller: isOwn }) => (
      <>
        <strong>{name}</strong> {isOwn && <Badge>Signed in with it</Badge>}
      </>
    ),
  },
  {
    title: 'Client id',
    width: '40%',
    cell: ({ name, client_id: clientId }) => (
      <Group gap="xs" wrap="nowrap">
        <span className="mono">{clientId}</span>
        <CopyButton value={clientId} says={`Copy the client id of ${name}`} />
      </Group>
    ),
  },
  { title: 'Created', width: '13%', cell: ({ created_at: created }) => <Time value={created} /> },
  {
    title: 'Actions',
    cell: (application) => (
      <Group gap="xs">
        <RenameButton application={application} />
        <RotateButton application={application} />
        {!application.is_caller && <DeleteButton application={application} />}
      </Group>
    ),
  },
]

function CreateButton() {
  const creation = useWrite((ferrule, name: string) => ferrule.applications.create({ name }), { refreshes: applicationKeys })
  return (
    <>
      <NameButton label="Create an application" title="New application" mutation={creation}>
        It reaches everything in this organization. Make one for each program and each person, so that each can be taken back alone. Agents
        get MCP tokens instead, which reach less.
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
      <ReadTable label="Applications" columns={columns} reading={reading} rowKey={({ id }) => id} />
      <Text size="sm">
        An application cannot delete itself. Sign in with another one to delete the one that you are signed in with now.
      </Text>
    </Stack>
  )
}

/** What a change of an application changes. Its end takes its MCP tokens and its links along. */
const applicationKeys = [['applications'], ['mcp-tokens'], ['links']] as const

/** What the buttons get. */
interface ApplicationProps {
  readonly application: ApplicationRecord
}

function RenameButton({ application: { id, name } }: ApplicationProps) {
  const change = useWrite((ferrule, next: string) => ferrule.applications.update(id, { name: next }), {
    refreshes: applicationKeys,
    onDone: ({ name: next }) => announce(`The application ${name} is now ${next}.`),
  })
  return (
    <NameButton label="Rename" says={`Rename ${name}`} title={`Rename ${name}`} name={name} mutation={change}>
      The name is for people. The client id, the secret and the tokens stay.
    </NameButton>
  )
}

/** Says what follows from a new secret. */
function RotationText({ isOwn }: { readonly isOwn: boolean }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        The old secret fails at once, and so do its MCP tokens and its sessions in this console. Bearer tokens expire within 15 minutes.
        This cannot be undone.
      </Text>
      {isOwn && (
        <Strong>
          You are signed in with this application: this signs you out, here and everywhere. The new secret is shown before you leave this
          page: copy it then.
        </Strong>
      )}
    </Stack>
  )
}

/** Replaces the secret, and shows the new one. */
function RotateButton({ application: { id, name, is_caller: isOwn } }: ApplicationProps) {
  const rotation = useWrite((ferrule) => ferrule.applications.rotateSecret(id), { refreshes: applicationKeys })
  return (
    <>
      <ConfirmButton
        isSmall
        label="New secret"
        says={`New secret for ${name}`}
        title={`Replace the secret of ${name}?`}
        action="Replace the secret"
        mutation={rotation}
      >
        <RotationText isOwn={isOwn} />
      </ConfirmButton>
      <ApplicationSecretDialog application={rotation.data} onClose={rotation.reset} />
    </>
  )
}

function DeleteButton({ application: { id, name } }: ApplicationProps) {
  const deletion = useWrite((ferrule) => ferrule.applications.delete(id), {
    refreshes: applicationKeys,
    onDone: () => announce(`The application ${name} was deleted.`),
  })
  return (
    <ConfirmButton
      isSmall
      isDanger
      label="Delete"
      says={`Delete ${name}`}
      title={`Delete ${name} for good?`}
      typed={name}
      mutation={deletion}
    >
      <Stack gap="sm">
        <Held kind="application" id={id} name={name} />
        <Text size="sm">
          Its secret, its MCP tokens, its connect links and its sessions in this console end at once. Bearer tokens expire within 35
          minutes. Workspaces and connectors stay. This cannot be undone.
        </Text>
      </Stack>
    </ConfirmButton>
  )
}

interface SecretProps {
  /** undefined: the dialog is closed. */
  readonly application: ApplicationSecret | undefined
  /** Forgets the secret. */
  readonly onClose: () => void
}

function ApplicationSecretDialog({ application, onClose }: SecretProps) {
  const texts = application && [
    { label: 'Client id', value: application.client_id },
    { label: 'Client secret', value: application.client_secret },
  ]
  return (
    <SecretDialog title={`The secret of ${application?.name ?? 'the application'}`} texts={texts} onClose={onClose}>
      <Text size="sm">
        {application?.is_caller === true
          ? 'You were signed in with this application. Store the new secret, then sign in again with it.'
          : 'Programs pass both to the client, or to the command ferrule login. People sign in to this console with them.'}
      </Text>
    </SecretDialog>
  )
}
