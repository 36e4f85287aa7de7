/** The way into the command palette: a button, and Ctrl+K or Command+K from everywhere. */
import { Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'

const LazyDialog = lazy(async () => ({ default: (await import('./palette-dialog.tsx')).PaletteDialog }))

/** Shows the button; the dialog and its code come with the first use. */
export function Palette() {
  const [opened, setOpened] = useState<boolean>()
  useHotkeys([['mod+K', () => setOpened(true)]], [])
  return (
    <>
      <Button
        variant="default"
        onClick={() => setOpened(true)}
        rightSection={<Kbd visibleFrom="md">Ctrl K</Kbd>}
        aria-keyshortcuts="Control+K Meta+K"
      >
        Go to
      </Button>
      {opened !== undefined && (
        <Suspense fallback={null}>
          <LazyDialog opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
