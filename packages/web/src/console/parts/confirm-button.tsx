/** A button that asks before it writes. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

/** What the button asks and does. */
export interface ConfirmButtonProps {
  readonly label: string
  /** Label for readers of the screen, where several buttons have the same one. */
  readonly says?: string
  readonly title: string
  /** What will happen, and what stays. */
  readonly children: ReactNode
  /** Label of the dialog's button; left out: that of the button. */
  readonly action?: string
  /** Text that has to be typed first. */
  readonly typed?: string | undefined
  readonly isDanger?: boolean
  readonly isSmall?: boolean
  readonly isDisabled?: boolean
  readonly mutation: UseMutationResult<unknown, Error, unknown>
}

/** Shows the button; the dialog closes when the write is done, and says what went wrong. */
export function ConfirmButton({ label, says, mutation, isDanger, isSmall, isDisabled, ...asked }: ConfirmButtonProps) {
  const { title, children, action, typed } = asked
  const [opened, { open, close }] = useDisclosure(false)
  const start = () => {
    mutation.reset()
    open()
  }
  const look = isDanger === true ? { color: 'red', variant: 'outline' } : { variant: 'default' }
  return (
    <>
      <Button
        {...look}
        size={isSmall === true ? 'compact-sm' : 'sm'}
        disabled={isDisabled === true}
        onClick={start}
        {...(says === undefined ? {} : { 'aria-label': says })}
      >
        {label}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={title}
        action={action ?? label}
        typed={typed}
        isBusy={mutation.isPending}
        error={mutation.error}
        onConfirm={() => mutation.mutate(undefined, { onSuccess: close })}
        onClose={close}
      >
        {children}
      </ConfirmDialog>
    </>
  )
}
