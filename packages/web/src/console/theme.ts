/** The look of the console. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** Mantine's own colors miss the contrast of WCAG 2.2 AA in badges and buttons; these options reach it in both schemes. */
export const theme = createTheme({
  respectReducedMotion: true,
  autoContrast: true,
  luminanceThreshold: 0.179,
  primaryShade: 8,
  primaryColor: 'indigo',
  defaultRadius: 'md',
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

/** Darkens or lightens the colors of secondary text and of errors, which are too pale by themselves. */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...darkenLight(Object.keys(colors)),
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
  },
  dark: { '--mantine-color-dimmed': colors.dark[1], '--mantine-color-placeholder': colors.dark[1], '--mantine-color-error': colors.red[4] },
})
