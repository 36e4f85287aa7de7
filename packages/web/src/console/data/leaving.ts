/** Asks before the reader leaves a form with changes: by a link, by the browser's ways back and forth, or by closing the page. */
import { writeJson } from 'ferrule/internal'
import { useCallback, useEffect, useState } from 'react'

interface Form {
  /** Parameters of the address that the form is bound to: another value shows another form. */
  readonly names: readonly string[]
  stored: string | undefined
  /** What is entered; undefined: nothing that could be lost. */
  entered: string | undefined
}

/** Parameters of the address that every form is bound to. */
const bound = ['organization'] as const

const forms = new Set<Form>()
const hasChanges = ({ stored, entered }: Form): boolean => entered !== undefined && stored !== entered

/** Returns whether a way leads from a form. @param names parameters of the address that the form is bound to */
export function leadsAway(from: URL, to: URL, names: readonly string[]): boolean {
  return from.pathname !== to.pathname || [...bound, ...names].some((name) => from.searchParams.get(name) !== to.searchParams.get(name))
}

const findLeft = (address: string): readonly Form[] =>
  [...forms].filter((form) => hasChanges(form) && leadsAway(new URL(location.href), new URL(address), form.names))

/** The way that the reader is asked about; undefined: nothing is asked. */
let asked: (() => void) | undefined
const listeners = new Set<() => void>()

function ask(next: typeof asked): void {
  asked = next
  for (const listener of listeners) listener()
}

/** The question, for `useSyncExternalStore`: `read` returns what leaves the page, or undefined. */
export const leaveQuestion = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  read: () => asked,
  stay: () => ask(undefined),
}

/** Gives up what all forms of the page have, because nothing is left that they could change. */
export function giveUpChanges(): void {
  for (const form of forms) form.stored = form.entered
}

/** Goes the way that was held back. What its forms have is given up. */
function leave({ destination: { url, index }, navigationType }: NavigateEvent): void {
  ask(undefined)
  for (const form of findLeft(url)) form.stored = form.entered
  if (navigationType === 'traverse') history.go(index - (navigation.currentEntry?.index ?? index))
  else if (navigationType === 'replace') history.replaceState(null, '', url)
  else history.pushState(null, '', url)
}

/** Holds a way back. The browser itself asks before ways to other documents. */
function hold(event: NavigateEvent): void {
  const { destination, cancelable } = event
  if (!destination.sameDocument || findLeft(destination.url).length === 0) return
  // The second press of the browser's own button cannot be held back.
  if (cancelable) event.preventDefault()
  ask(cancelable ? () => leave(event) : undefined)
}

/** Watches all ways from the page. Links call the History API, which the navigation event covers too. */
export function watchLeaving(): void {
  if ('navigation' in globalThis) navigation.addEventListener('navigate', hold)
  addEventListener('beforeunload', (event) => {
    if ([...forms].some(hasChanges)) event.preventDefault()
  })
}

/**
 * Lets the page ask before changes of a form are lost.
 * @param entered what the form has; the first value is no change, and undefined stands for nothing that could be lost
 * @param names parameters of the address that the form is bound to, such as its tab
 * @returns a function that counts a value as stored; without a value, what is entered now
 */
export function useChanges(entered: unknown, names: readonly string[] = []): (stored?: unknown) => void {
  const text = entered === undefined ? undefined : writeJson(entered)
  const [form] = useState((): Form => ({ names, stored: text, entered: text }))
  useEffect(() => {
    form.entered = text
  }, [form, text])
  useEffect(() => {
    forms.add(form)
    return () => void forms.delete(form)
  }, [form])
  return useCallback(
    (stored) => {
      form.stored = stored === undefined ? form.entered : writeJson(stored)
    },
    [form],
  )
}
