/** What is done with an application. */
import { Stack, Text } from '@mantine/core'
import type { ApplicationRecord } from 'ferrule/wire'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Held } from '../../parts/held.tsx'
import { NameButton } from '../../parts/name-button.tsx'
import { ApplicationSecretDialog } from './application-secret.tsx'

/** What a change of an application changes. Its end takes its tokens for MCP and its links along. */
export const applicationKeys = [['applications'], ['mcp-tokens'], ['links']] as const

/** What the buttons get. */
interface ApplicationProps {
  readonly application: ApplicationRecord
}

/** Renames the application. */
export function RenameButton({ application: { id, name } }: ApplicationProps) {
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
        The old secret fails at once, and so do its tokens for MCP and its sessions in this console. Bearer tokens expire within 15 minutes.
        This cannot be undone.
      </Text>
      {isOwn && (
        <Text size="sm" fw={600}>
          You are signed in with this application: this signs you out, here and everywhere. The new secret is shown before you leave this
          page: copy it then.
        </Text>
      )}
    </Stack>
  )
}

/** Replaces the secret, and shows the new one. */
export function RotateButton({ application: { id, name, is_caller: isOwn } }: ApplicationProps) {
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

/** Deletes the application. */
export function DeleteButton({ application: { id, name } }: ApplicationProps) {
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
          Its secret, its tokens for MCP, its connect links and its sessions in this console end at once. Bearer tokens expire within 35
          minutes. Workspaces and connectors stay. This cannot be undone.
        </Text>
      </Stack>
    </ConfirmButton>
  )
}
