/** What became of a consent that made no connector. */
import { useEffect, useState } from 'react'
import { Action, Actions, Progress, Step } from '../parts/step.tsx'
import { chooseScheme, chooseWay, type PageAttempt, useConnecting, type View } from '../view.ts'

/** Wait before the state of an exchange is read again, in milliseconds. */
const pollMs = 1_500
/** Number of times that it is read. */
const polls = 40

/** Reads the page again while the service exchanges the code. @returns true while there is hope */
function useExchange(attempt: PageAttempt): boolean {
  const { reload } = useConnecting()
  const [left, setLeft] = useState(polls)
  const isExchanging = attempt.status === 'exchanging'
  useEffect(() => {
    if (!isExchanging || left === 0) return undefined
    const timer = setTimeout(() => void reload().then(() => setLeft(left - 1)), pollMs)
    return () => clearTimeout(timer)
  }, [isExchanging, left, reload])
  return isExchanging && left > 0
}

/** Describes an attempt that made no connector. */
function describeAttempt(
  { status, failure }: PageAttempt,
  title: string,
): { readonly title: string; readonly sentences: readonly string[] } {
  if (failure !== null) return { title: `${title} was not connected`, sentences: [failure.message, failure.hint] }
  const sentences =
    status === 'started'
      ? ['The page there was closed, cancelled, or left before it led back here.']
      : ['Nobody knows yet how the authorization ended.']
  return { title: `Nothing has come back from ${title}`, sentences: [...sentences, 'Start again whenever you like.'] }
}

/** Shows why nothing was connected, and the ways on. */
export function AttemptStep({ attempt }: { readonly attempt: PageAttempt }) {
  const { page, go, giveUp } = useConnecting()
  const isWaiting = useExchange(attempt)
  const kind = page.kinds.find(({ slug }) => slug === attempt.kind)
  const scheme = kind?.schemes.find(({ consent }) => consent)
  const title = kind?.title ?? attempt.kind
  if (isWaiting)
    return (
      <Step title={`Finishing with ${title}`}>
        <Progress>This takes a few seconds …</Progress>
      </Step>
    )
  const described = describeAttempt(attempt, title)
  const again: View = kind === undefined || scheme === undefined ? { step: 'welcome' } : chooseScheme(kind, scheme)
  const hasOther = kind !== undefined && kind.schemes.length > 1
  return (
    <Step title={described.title}>
      {described.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p className="note">Nothing was stored or changed. The link stays usable.</p>
      <Actions>
        <Action isMain onClick={() => go(again)}>
          Start again
        </Action>
        {hasOther && <Action onClick={() => go(chooseWay(kind))}>Choose another way</Action>}
        <Action onClick={giveUp}>Not now</Action>
      </Actions>
    </Step>
  )
}
