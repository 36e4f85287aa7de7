/** Links and sessions that have ended. */
import { Action, Actions, Step } from '../parts/step.tsx'
import type { PageProblem } from '../problem.ts'

/** What is said for each code. */
interface Ending {
  readonly title: string
  readonly sentences: readonly string[]
}

const askSender = 'Ask for a new one where you got it.'
const endings: Readonly<Record<string, Ending>> = {
  connect_link_not_found: {
    title: 'This link does not work',
    sentences: [
      'Its address is not complete, or the link does not exist any longer.',
      `Open the whole address, with everything after #. ${askSender}`,
    ],
  },
  connect_session_missing: {
    title: 'Please open the link again',
    sentences: [
      'This browser has not opened the link, its visit has ended, or it does not allow cookies.',
      'Open the link from the message that it came with, in this browser. It stays usable.',
    ],
  },
}

const describe = ({ code, message, hint }: PageProblem): Ending =>
  code === 'connect_link_closed'
    ? { title: 'This link can no longer be used', sentences: [message, askSender] }
    : (endings[code] ?? { title: 'This page cannot be shown now', sentences: [message, hint] })

/** Says why nothing can be connected here, and what to do. */
export function EndedStep({ problem }: { readonly problem: PageProblem }) {
  const { title, sentences } = describe(problem)
  const canLoad = endings[problem.code] === undefined && problem.code !== 'connect_link_closed'
  return (
    <Step title={title}>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {canLoad && (
        <Actions>
          <Action isMain onClick={() => location.reload()}>
            Load the page again
          </Action>
        </Actions>
      )}
    </Step>
  )
}
