/** The secret of an application, which is shown this once. */
import { Text } from '@mantine/core'
import type { ApplicationSecret } from 'ferrule/wire'
import { SecretDialog } from '../../parts/secret-dialog.tsx'

/** What the dialog gets. */
interface SecretProps {
  /** undefined: the dialog is closed. */
  readonly application: ApplicationSecret | undefined
  /** Forgets the secret. */
  readonly onClose: () => void
}

/** Shows the dialog. */
export function ApplicationSecretDialog({ application, onClose }: SecretProps) {
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
