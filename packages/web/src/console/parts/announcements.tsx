/** Says what an action did, for eyes and for readers of the screen. */
import { Affix, Alert, Stack } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'

interface Announcement {
  readonly id: number
  readonly sentence: string
}

/** Time that a sentence stays, in milliseconds. */
const stayMs = 10_000
/** Sentences that are shown at once, at most. */
const mostShown = 3

let lastId = 0
let shown: readonly Announcement[] = []
const listeners = new Set<() => void>()

function show(next: readonly Announcement[]): void {
  shown = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const remove = (id: number): void => show(shown.filter((each) => each.id !== id))

/** Says a sentence, such as `The connector was deleted.`; it stays while the reader goes to another page. Never say a secret. */
export function announce(sentence: string): void {
  lastId += 1
  show([...shown, { id: lastId, sentence }].slice(-mostShown))
}

function Shown({ id, sentence }: Announcement) {
  useEffect(() => {
    const timer = setTimeout(() => remove(id), stayMs)
    return () => clearTimeout(timer)
  }, [id])
  return (
    <Alert color="green" variant="filled" withCloseButton closeButtonLabel="Close the message" onClose={() => remove(id)} maw={360}>
      {sentence}
    </Alert>
  )
}

/** The element where sentences appear; the frame has it once. */
export function Announcements() {
  const now = useSyncExternalStore(subscribe, () => shown)
  return (
    <Affix position={{ bottom: 16, right: 16 }}>
      <Stack gap="xs" role="status" aria-live="polite">
        {now.map((each) => (
          <Shown key={each.id} {...each} />
        ))}
      </Stack>
    </Affix>
  )
}
