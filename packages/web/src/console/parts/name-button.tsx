/** A button that asks for a name, to create or to rename something. */
import { Button, Modal, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { UseMutationResult } from '@tanstack/react-query'
import { mostNameCharacters } from 'ferrule/wire'
import { type ReactNode, useState } from 'react'
import { listProblems, printProblemsWithin } from './form/problems.ts'
import { bindValue } from './form/text-entry.ts'
import { WriteForm } from './form/write-form.tsx'

/** What the button asks and does. */
export interface NameButtonProps {
  readonly label: string
  readonly title: string
  /** What follows from the name. */
  readonly children: ReactNode
  /** Present name; left out: something is created. */
  readonly name?: string
  /** Label for readers of the screen, where several buttons have the same one. */
  readonly says?: string
  readonly mutation: UseMutationResult<unknown, Error, string>
}

/** Shows the form of the dialog. Enter submits. */
function NameForm({ label, children, name = '', mutation, onDone }: Omit<NameButtonProps, 'title'> & { readonly onDone: () => void }) {
  const [typed, setTyped] = useState(name)
  return (
    <WriteForm
      isDialog
      label={label}
      action={label}
      write={mutation}
      onSubmit={() => mutation.mutate(typed, { onSuccess: onDone })}
      isDisabled={typed.trim() === '' || typed === name}
    >
      <Text size="sm">{children}</Text>
      <TextInput
        label="Name"
        {...bindValue(typed, setTyped)}
        error={printProblemsWithin(listProblems(mutation.error), '/name')}
        maxLength={mostNameCharacters}
        autoComplete="off"
        data-autofocus
        required
      />
    </WriteForm>
  )
}

/** Shows the button; the dialog closes when the write is done, and says what went wrong. */
export function NameButton({ title, says, ...form }: NameButtonProps) {
  const [opened, { open, close }] = useDisclosure(false)
  const { label, name, mutation } = form
  const start = () => {
    mutation.reset()
    open()
  }
  const look = name === undefined ? {} : ({ variant: 'default', size: 'compact-sm' } as const)
  return (
    <>
      <Button {...look} onClick={start} {...(says === undefined ? {} : { 'aria-label': says })}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} centered>
        <NameForm {...form} onDone={close} />
      </Modal>
    </>
  )
}
