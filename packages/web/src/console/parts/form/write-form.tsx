/** A form that writes: its fields, a refusal below them, and the button, which turns while the write runs. */
import { Button, Group, Stack, type StackProps } from '@mantine/core'
import { type FormEvent, type Ref, useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { ErrorBox, type ErrorBoxProps } from '../error-box.tsx'
import { PlainButton } from '../looks.tsx'

/** What the form shows and does. */
export interface WriteFormProps extends Pick<StackProps, 'gap' | 'maw' | 'children'>, Pick<ErrorBoxProps, 'marked'> {
  /** Name of the form, for readers of the screen. */
  readonly label: string
  /** Label of the button. */
  readonly action: string
  readonly write: { readonly isPending: boolean; readonly error: unknown }
  /** Is not called while a write runs. */
  readonly onSubmit: () => void
  /** Title of a refusal. */
  readonly failure?: string
  readonly isDisabled?: boolean
  /** true: the button is not the main one of the page. */
  readonly isPlain?: boolean
  readonly isDialog?: boolean
  readonly onCancel?: () => void
  /** The ref of `useRequired`, which says what is missing instead of the browser. */
  readonly form?: Ref<HTMLFormElement>
}

/** Shows the form. Enter submits. */
export function WriteForm({ label, action, write, onSubmit, failure, marked, onCancel, form, children, ...look }: WriteFormProps) {
  const { isDisabled = false, isPlain = false, isDialog = false, ...box } = look
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!write.isPending) onSubmit()
  }
  return (
    <form ref={form} onSubmit={submit} noValidate={form !== undefined} aria-label={label}>
      <Stack {...box}>
        {children}
        <ErrorBox error={write.error} title={failure} marked={marked} />
        <Group justify={isDialog ? 'flex-end' : 'flex-start'}>
          <Button type="submit" variant={isPlain ? 'default' : 'filled'} loading={write.isPending} disabled={isDisabled}>
            {action}
          </Button>
          {onCancel !== undefined && <PlainButton onClick={onCancel}>Cancel</PlainButton>}
        </Group>
      </Stack>
    </form>
  )
}

/** Holds what is entered. `set` changes members; `keep` says that all is stored. @param names parameters of the address with the form */
export function useEntries<Entered extends object>(first: Entered, names: readonly string[]) {
  const [entered, setEntered] = useState(first)
  const set = (changes: Partial<Entered>) => setEntered((before) => ({ ...before, ...changes }))
  return { entered, set, keep: useChanges(entered, names) }
}
