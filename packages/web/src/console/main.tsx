/** Starts the console. */
import '../shared/tokens.css'
import '@mantine/core/styles.css'
import './console.css'
import { type CSSVariablesResolver, createTheme, MantineProvider } from '@mantine/core'
import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { watchLeaving } from './data/leaving.ts'
import { consolePath, styleNonce } from './data/page-facts.ts'
import { createQueryClient } from './data/query-client.ts'
import { Shell } from './shell/shell.tsx'

/** Time without input after which a page counts as left alone, in milliseconds. */
const aloneMs = 10 * 60_000
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

/** Lets repeated reads pause while the page is hidden, or has had no input for a while. They resume with the next input. */
function watchAttention(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => focusManager.setFocused(document.visibilityState === 'visible')
  const note = () => {
    clearTimeout(timer)
    timer = setTimeout(() => focusManager.setFocused(false), aloneMs)
    look()
  }
  for (const name of inputs) window.addEventListener(name, note, { passive: true })
  document.addEventListener('visibilitychange', note)
  note()
}

/** The scale that Mantine draws the dark scheme with, from text to page. */
const dark = [
  ...['var(--text)', 'var(--soft)', 'var(--soft)', 'var(--field)', 'var(--line)'],
  ...['var(--line)', 'var(--quiet)', 'var(--card)', 'var(--page)', 'var(--page)'],
] as const

/** Mantine's own colors miss the contrast of WCAG 2.2 AA in badges and buttons; these options reach it in both schemes. */
const theme = createTheme({
  respectReducedMotion: true,
  autoContrast: true,
  luminanceThreshold: 0.179,
  primaryShade: 8,
  primaryColor: 'indigo',
  fontFamily: 'var(--font)',
  radius: { md: 'var(--radius)' },
  defaultRadius: 'md',
  colors: { dark },
  cursorType: 'pointer',
  components: {
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', size: 'md' } },
    NavLink: { styles: { root: { borderRadius: 'var(--mantine-radius-md)' } } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Pagination: { defaultProps: { getControlProps: (control: string) => ({ 'aria-label': control }) } },
  },
})

/** Darkens the text of light badges and messages. */
const darkenLight = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [`--mantine-color-${name}-light-color`, `color-mix(in srgb, var(--mantine-color-${name}-9) 70%, black)`]),
  )

/** Gives Mantine the tokens instead of its own colors. */
const tokens = {
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--link)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-gray-light': 'color-mix(in srgb, var(--soft) 18%, transparent)',
  '--mantine-color-gray-light-color': 'var(--text)',
  '--mantine-color-indigo-filled': 'var(--main)',
  '--mantine-color-indigo-filled-hover': 'var(--main-hover)',
  '--mantine-color-indigo-light': 'var(--quiet)',
  '--mantine-color-indigo-light-color': 'var(--link)',
  '--mantine-primary-color-filled': 'var(--main)',
  '--mantine-color-red-outline': 'var(--bad)',
  '--mantine-color-red-outline-hover': 'var(--bad-back)',
}

/** Gives both schemes the tokens. */
const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: { ...darkenLight(Object.keys(colors)), ...tokens },
  dark: tokens,
})

const root = document.getElementById('root')
// The lock of the scrollbar behind a dialog writes a style element, and takes its nonce from this name.
Reflect.set(globalThis, '__webpack_nonce__', styleNonce)

const queryClient = createQueryClient()
watchAttention()
watchLeaving()

if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
        <QueryClientProvider client={queryClient}>
          <Router base={consolePath}>
            <Shell />
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
