/** Shows times in the reader's zone; the exact value appears on hover and with the keyboard. */
import { Text, Tooltip } from '@mantine/core'
import { printRelative } from './print.ts'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** Shows a time. @param props `value`: ISO 8601; null: `none` is shown */
export function Time({ value, none = 'never' }: { readonly value: string | null | undefined; readonly none?: string }) {
  const at = value === null || value === undefined ? Number.NaN : Date.parse(value)
  if (Number.isNaN(at))
    return (
      <Text span inherit c="dimmed">
        {none}
      </Text>
    )
  return (
    <Tooltip label={`${exact.format(at)} (${value})`} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches the exact time too */}
      <time dateTime={value ?? undefined} tabIndex={0}>
        {printRelative(at, Date.now())}
      </time>
    </Tooltip>
  )
}
