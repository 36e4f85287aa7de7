/** The look of the console. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** Mantine's own colors miss the contrast of WCAG 2.2 AA in badges and buttons; these options reach it in both schemes. */
export const theme = createTheme({
  autoContrast: true,
  luminanceThreshold: 0.179,
  primaryShade: 8,
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  components: {
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Pagination: { defaultProps: { getControlProps: (control: string) => ({ 'aria-label': control }) } },
  },
})

/** Darkens or lightens the colors of secondary text, which are too pale by themselves. */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: { '--mantine-color-dimmed': colors.gray[7], '--mantine-color-placeholder': colors.gray[7] },
  dark: { '--mantine-color-dimmed': colors.dark[1], '--mantine-color-placeholder': colors.dark[1] },
})
