/** Buttons and texts that look alike on all pages. */
import { Button, type ButtonProps, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button beside the main one. */
export const PlainButton = Button.withProps<'button'>({ variant: 'default' })

/** A button in a row or a message. */
export const SmallButton = Button.withProps<'button'>({ variant: 'default', size: 'compact-sm' })

/** A text that is second to the one above it. */
export const Quiet = Text.withProps<'p'>({ size: 'sm', c: 'dimmed' })

/** A text that stands out. */
export const Strong = Text.withProps<'p'>({ size: 'sm', fw: 600 })

/** What a button that writes shows. */
export interface WriteButtonProps extends Omit<ButtonProps, 'variant' | 'loading'> {
  readonly write: { readonly isPending: boolean; readonly mutate: (variables: undefined) => void }
  readonly children: ReactNode
}

/** Shows a button that starts a write, and that turns while the write runs. */
export const WriteButton = ({ write, ...look }: WriteButtonProps) => (
  <PlainButton loading={write.isPending} onClick={() => write.mutate(undefined)} {...look} />
)
