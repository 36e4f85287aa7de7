/** Shows the page of a link, step by step. */
import type { ConnectPage } from 'ferrule/wire'
import { useEffect, useMemo, useState } from 'react'
import { readSession } from './api.ts'
import { reportToOpener } from './opener.ts'
import { Frame } from './parts/frame.tsx'
import { type PageProblem, toProblem } from './problem.ts'
import { AccountsStep } from './steps/accounts.tsx'
import { AttemptStep } from './steps/attempt.tsx'
import { ConsentStep } from './steps/consent.tsx'
import { DeclinedStep, DoneStep } from './steps/done.tsx'
import { EndedStep } from './steps/ended.tsx'
import { FormStep } from './steps/form.tsx'
import { KindStep } from './steps/kind.tsx'
import { SchemeStep } from './steps/scheme.tsx'
import { WelcomeStep } from './steps/welcome.tsx'
import { type Connecting, ConnectingProvider, chooseView, type View } from './view.ts'

/** What the page knows. */
type Loaded = { readonly page: ConnectPage; readonly view: View } | { readonly problem: PageProblem }

/** Shows the step that the page is at. */
function CurrentStep({ view }: { readonly view: View }) {
  switch (view.step) {
    case 'welcome':
      return <WelcomeStep />
    case 'kind':
      return <KindStep />
    case 'scheme':
      return <SchemeStep kind={view.kind} />
    case 'form':
      return <FormStep kind={view.kind} scheme={view.scheme} />
    case 'consent':
      return <ConsentStep kind={view.kind} scheme={view.scheme} />
    case 'attempt':
      return <AttemptStep attempt={view.attempt} />
    case 'accounts':
      return <AccountsStep attempt={view.attempt} />
    case 'done':
      return <DoneStep done={view.done} />
    case 'declined':
      return <DeclinedStep />
  }
}

/** Leaves the page without a connector. */
function giveUp(page: ConnectPage, show: (view: View) => void): void {
  if (reportToOpener(page, 'cancelled')) window.close()
  else if (page.cancel_url !== null) location.assign(page.cancel_url)
  show({ step: 'declined' })
}

/** Builds what steps can do. */
function buildConnecting(page: ConnectPage, show: (loaded: Loaded) => void): Connecting {
  const go = (view: View) => show({ page, view })
  const read = () => readSession().then((next) => show({ page: next, view: chooseView(next) }))
  return {
    page,
    go,
    reload: () => read().catch((thrown) => show({ problem: toProblem(thrown) })),
    finish: (done) => {
      reportToOpener(page, 'connected', done.connector_id)
      show({ page: { ...page, status: 'used', connector_id: done.connector_id }, view: { step: 'done', done } })
    },
    giveUp: () => giveUp(page, go),
    // The page may have been used meanwhile, by an answer that was lost on its way.
    end: (problem) => void read().catch(() => show({ problem })),
  }
}

/** Shows the page as soon as it is read. @param props `opening`: its first read */
export function App({ opening }: { readonly opening: Promise<ConnectPage> }) {
  const [loaded, show] = useState<Loaded>()
  useEffect(() => {
    opening.then(
      (page) => {
        const { status, connector_id } = page
        if (status === 'used' && connector_id !== null) reportToOpener(page, 'connected', connector_id)
        else reportToOpener(page, 'opened')
        show({ page, view: chooseView(page) })
      },
      (thrown) => show({ problem: toProblem(thrown) }),
    )
  }, [opening])
  const page = loaded !== undefined && 'page' in loaded ? loaded.page : undefined
  const connecting = useMemo(() => (page === undefined ? undefined : buildConnecting(page, show)), [page])
  if (loaded === undefined) return <Frame isBusy />
  if ('problem' in loaded || connecting === undefined) return <Frame>{'problem' in loaded && <EndedStep problem={loaded.problem} />}</Frame>
  return (
    <ConnectingProvider value={connecting}>
      <Frame page={loaded.page}>
        <CurrentStep view={loaded.view} />
      </Frame>
    </ConnectingProvider>
  )
}
