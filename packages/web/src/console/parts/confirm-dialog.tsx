/** Asks before something that cannot be undone. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ErrorBox } from './error-box.tsx'
import { bindValue } from './form/text-entry.ts'
import { PlainButton } from './looks.tsx'

/** What the dialog asks. */
export interface ConfirmDialogProps {
  readonly opened: boolean
  readonly title: string
  /** What will happen, and what stays. */
  readonly children: ReactNode
  /** Label of the button, such as `Delete the connector`. */
  readonly action: string
  /** Text that has to be typed first; for what is lost for good. */
  readonly typed?: string | undefined
  readonly isBusy?: boolean
  readonly error?: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Shows the dialog. */
export function ConfirmDialog({
  opened,
  title,
  children,
  action,
  typed,
  isBusy = false,
  error = null,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const [text, setText] = useState('')
  const close = () => {
    setText('')
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={title} centered>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {typed !== undefined && <TextInput label={`Type ${typed} to confirm`} {...bindValue(text, setText)} data-autofocus />}
        <ErrorBox error={error} />
        <Group justify="flex-end">
          <PlainButton onClick={close}>Cancel</PlainButton>
          <Button color="red.9" loading={isBusy} disabled={typed !== undefined && text !== typed} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
