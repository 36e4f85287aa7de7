/** Shows a secret, this once. It leaves the page with the dialog. */
import { Alert, Button, Code, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { Strong } from './looks.tsx'

/** A text that is shown with a button that copies it. */
export interface ShownText {
  readonly label: string
  readonly value: string
}

/** Shows a text with its button. */
export function CopyText({ label, value }: ShownText) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Strong>{label}</Strong>
        <CopyButton value={value} says={`Copy: ${label}`} />
      </Group>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
    </Stack>
  )
}

/** What the dialog shows. */
export interface SecretDialogProps {
  readonly title: string
  /** What is shown; undefined: the dialog is closed, and the page has no text of it. */
  readonly texts: readonly ShownText[] | undefined
  readonly children?: ReactNode
  /** Forgets the secret. */
  readonly onClose: () => void
}

/** Shows the dialog. A click beside it does not close it, since the secret could not be shown again. */
export function SecretDialog({ title, texts, children, onClose }: SecretDialogProps) {
  return (
    <Modal opened={texts !== undefined} onClose={onClose} title={title} size="lg" closeOnClickOutside={false} centered>
      {texts !== undefined && (
        <Stack>
          <Alert color="yellow" variant="light" title="Shown this once">
            The service does not show it again. Copy it now and keep it where secrets belong.
          </Alert>
          {texts.map((text) => (
            <CopyText key={text.label} {...text} />
          ))}
          {children}
          <Group justify="flex-end">
            <Button onClick={onClose}>I have stored it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
