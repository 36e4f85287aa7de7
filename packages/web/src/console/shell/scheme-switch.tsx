/** Switches between light and dark. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

/** Shows the switch. The first scheme is the one of the reader's system. */
export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const shown = useComputedColorScheme('light')
  const other = shown === 'light' ? 'dark' : 'light'
  return (
    <ActionIcon variant="default" size="lg" onClick={() => setColorScheme(other)} aria-label={`Use the ${other} colors`}>
      <svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
        <circle cx="12" cy="12" r="9" />
        <path d="M12 3a9 9 0 0 1 0 18z" fill="currentColor" />
      </svg>
    </ActionIcon>
  )
}
