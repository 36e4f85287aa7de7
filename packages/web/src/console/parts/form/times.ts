/** Timestamps as the browser's fields for local times write them. */

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

/** Prints a timestamp in the reader's zone, for a field of the type `datetime-local`; '' for other text. */
export function printLocal(value: string): string {
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) return ''
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** Reads what such a field holds, as a timestamp in UTC; undefined when it is empty. */
export function parseLocal(text: string): string | undefined {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z')
}

/** Returns the name of the reader's zone, such as `Europe/Berlin`. */
export const readZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
