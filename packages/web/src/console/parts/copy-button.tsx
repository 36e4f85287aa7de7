/** Copies a text. */
import { CopyButton as MantineCopyButton } from '@mantine/core'
import { PlainButton } from './looks.tsx'

/** A button that copies a text and says so. @param props `says`: what is copied, for readers of the screen */
export function CopyButton({ value, says, label = 'Copy' }: { readonly value: string; readonly says: string; readonly label?: string }) {
  return (
    <MantineCopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <PlainButton size="compact-xs" style={{ flexShrink: 0 }} onClick={copy} aria-label={copied ? 'Copied' : says}>
          {copied ? 'Copied' : label}
        </PlainButton>
      )}
    </MantineCopyButton>
  )
}
