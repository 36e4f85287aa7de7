/** Starts the connect page: it shows a link, step by step. */
import { linkId, secret } from './address.ts'
import './connect.css'
import type { ConnectDone, ConnectEvent, ConnectMessage, ConnectPage } from 'ferrule/wire'
import { Component, type ReactNode, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import mark from '../shared/mark.svg'
import { authorize, beginConsent, openSession, readSession } from './api.ts'
import { listFields } from './parts/fields.ts'
import { Action, Actions, Choices, Progress, Step } from './parts/step.tsx'
import { type SentValues, ValuesForm } from './parts/values-form.tsx'
import { PageProblem, toProblem } from './problem.ts'
import { AccountsStep } from './steps/accounts.tsx'
import { EndedStep } from './steps/ended.tsx'
import {
  type Connecting,
  ConnectingProvider,
  canChange,
  chooseKind,
  chooseScheme,
  chooseStart,
  chooseView,
  chooseWay,
  type PageAttempt,
  type PageKind,
  type PageScheme,
  useConnecting,
  type View,
} from './view.ts'

/** Shows a mistake of this page instead of an empty window. */
class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    const problem = new PageProblem({ message: 'The page has a mistake.', hint: 'Load it again. Nothing was stored.' })
    return (
      <Frame>
        <EndedStep problem={problem} />
      </Frame>
    )
  }
}

const opening = secret === '' ? readSession() : openSession({ id: linkId, secret })
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <Boundary>
      <App opening={opening} />
    </Boundary>,
  )

type Loaded = { readonly page: ConnectPage; readonly view: View } | { readonly problem: PageProblem }

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
function App({ opening }: { readonly opening: Promise<ConnectPage> }) {
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

/** Leads to the vendor's page. */
function ConsentStep({ kind, scheme }: { readonly kind: PageKind; readonly scheme: PageScheme }) {
  const { page } = useConnecting()
  const send = async ({ configuration, name }: SentValues) => {
    const { consent_url: url } = await beginConsent({ kind: kind.slug, configuration, ...(name === undefined ? {} : { name }) })
    reportToOpener(page, 'leaving')
    location.assign(url)
    await new Promise(() => {}) // the button stays busy until the browser has left
  }
  return (
    <Step title={`Sign in at ${kind.title}`}>
      <ValuesForm
        kind={kind}
        scheme={scheme}
        action={`Continue to ${kind.title}`}
        progress={`Opening the page of ${kind.title} …`}
        onSend={send}
      >
        <p>The next page belongs to {kind.title}. Sign in there and agree, in this window. Then you come back here.</p>
        {scheme.who !== null && <p className="note">{scheme.who}</p>}
      </ValuesForm>
    </Step>
  )
}

/** Asks for credentials and configuration, and has them checked. */
function FormStep({ kind, scheme }: { readonly kind: PageKind; readonly scheme: PageScheme }) {
  const { page, finish } = useConnecting()
  const send = async (values: SentValues) => finish(await authorize({ kind: kind.slug, ...values }))
  const { connector } = page
  const title = connector === null ? `Connect ${kind.title}` : `Replace the credentials of ${connector.name}`
  return (
    <Step title={title}>
      {kind.schemes.length > 1 && <p className="soft">{scheme.title}</p>}
      <ValuesForm
        kind={kind}
        scheme={scheme}
        action={connector === null ? 'Check and connect' : 'Check and replace'}
        progress={`Checking the credentials at ${kind.title} …`}
        onSend={send}
      />
    </Step>
  )
}

function KindStep() {
  const { page, go } = useConnecting()
  const choices = page.kinds.map((kind) => ({ key: kind.slug, title: kind.title, about: kind.about, onChoose: () => go(chooseWay(kind)) }))
  return (
    <Step title="What would you like to connect?">
      <Choices choices={choices} />
      <Actions>
        <Action onClick={() => go({ step: 'welcome' })}>Back</Action>
      </Actions>
    </Step>
  )
}

function printWay(kind: PageKind, scheme: PageScheme): string {
  if (scheme.consent) return `You sign in at ${kind.title} and agree there. ${scheme.who ?? ''}`
  const names = listFields(kind, scheme).first.flatMap(({ label, isRequired }) => (isRequired ? [label.toLowerCase()] : []))
  return `You type: ${names.join(', ')}.`
}

function SchemeStep({ kind }: { readonly kind: PageKind }) {
  const { go } = useConnecting()
  const choices = kind.schemes.map((scheme) => ({
    key: scheme.name,
    title: scheme.consent ? `Sign in at ${kind.title}` : scheme.title,
    about: printWay(kind, scheme),
    onChoose: () => go(chooseScheme(kind, scheme)),
  }))
  return (
    <Step title={`How would you like to connect ${kind.title}?`}>
      {choices.length === 0 && (
        <p>
          There is no way to connect {kind.title} here yet. Ask the one who sent the link: an OAuth client at {kind.title} has to be set up.
        </p>
      )}
      <Choices choices={choices} />
      <Actions>
        <Action onClick={() => go({ step: 'welcome' })}>Back</Action>
      </Actions>
    </Step>
  )
}

/** Leads back to the page that sent the end user, or says that nothing is left to do. */
function Leaving({ url, isMain }: { readonly url: string | null; readonly isMain: boolean }) {
  if (url === null) return <p>You can close this window.</p>
  return (
    <Actions>
      <a className={isMain ? 'action main' : 'action'} href={url}>
        Return to {new URL(url).host}
      </a>
    </Actions>
  )
}

function DoneStep({ done }: { readonly done: ConnectDone }) {
  const { page } = useConnecting()
  const { connector, kinds, attempt, organization_name: organization } = page
  const kind = kinds.length === 1 ? kinds[0] : kinds.find(({ slug }) => slug === attempt?.kind)
  const can = kind !== undefined && canChange(kind) ? 'read and change' : 'read'
  return (
    <Step title={connector === null ? `${kind?.title ?? 'Your account'} is connected` : `${connector.name} works again`}>
      <p className="good">
        {connector === null
          ? `${organization} can ${can} it from now on.`
          : `${organization} can ${can} it again, with the new credentials.`}
      </p>
      {page.allowed_origin !== null && <p>You can close this window: the page that opened it knows.</p>}
      {(page.allowed_origin === null || done.return_url !== null) && (
        <Leaving url={done.return_url} isMain={page.allowed_origin === null} />
      )}
    </Step>
  )
}

function DeclinedStep() {
  const { page, go } = useConnecting()
  return (
    <Step title="Nothing was connected">
      <p>You can close this window. The link stays usable, should you change your mind.</p>
      <Leaving url={page.cancel_url} isMain />
      <Actions>
        <Action onClick={() => go({ step: 'welcome' })}>Go back</Action>
      </Actions>
    </Step>
  )
}

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
function AttemptStep({ attempt }: { readonly attempt: PageAttempt }) {
  const { page, go, giveUp } = useConnecting()
  const isWaiting = useExchange(attempt)
  const kind = page.kinds.find(({ slug }) => slug === attempt.kind)
  const title = kind?.title ?? 'the vendor'
  if (isWaiting)
    return (
      <Step title={`Finishing with ${title}`}>
        <Progress>This takes a few seconds …</Progress>
      </Step>
    )
  const described = describeAttempt(attempt, title)
  const hasOther = kind !== undefined && kind.schemes.length > 1
  return (
    <Step title={described.title}>
      {described.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p className="note">Nothing was stored or changed. The link stays usable.</p>
      <Actions>
        <Action isMain onClick={() => go(chooseStart(kind))}>
          Start again
        </Action>
        {hasOther && <Action onClick={() => go(chooseWay(kind))}>Choose another way</Action>}
        <Action onClick={giveUp}>Not now</Action>
      </Actions>
    </Step>
  )
}

/**
 * Reports an event to the opener, when the link names its origin. The browser drops the message where another origin is.
 * @returns true when there is an opener to report to
 */
function reportToOpener(page: ConnectPage, event: ConnectEvent, connectorId: string | null = null): boolean {
  if (window.opener === null || page.allowed_origin === null) return false
  const message: ConnectMessage = { type: 'ferrule.connect', link_id: page.id, event, connector_id: connectorId }
  window.opener.postMessage(message, page.allowed_origin)
  return true
}

/** Entities that are listed before the rest is folded. */
const shownTitles = 8

function printTitle({ organization_name: organization, connector, kinds }: ConnectPage): string {
  const [kind, other] = kinds
  if (connector !== null) return `${organization} needs new credentials for ${connector.name}`
  return kind !== undefined && other === undefined
    ? `${organization} would like to connect to your ${kind.title} account`
    : `${organization} would like to connect to one of your accounts`
}

/** Shows what a connector of a kind can read, and says what it can change. @param props `titles`: some of them */
const TitleList = ({ titles, changeable }: { readonly titles: readonly string[] } & Pick<PageKind, 'changeable'>) => (
  <ul className="titles">
    {titles.map((title) => (
      <li key={title}>
        {title}
        {changeable.includes(title) && <span className="soft"> (read and change)</span>}
      </li>
    ))}
  </ul>
)

/** Shows what a connector of a kind can read; a long list is folded. */
function Readable({ readable, changeable }: Pick<PageKind, 'readable' | 'changeable'>) {
  const rest = readable.slice(shownTitles)
  return (
    <>
      <TitleList titles={readable.slice(0, shownTitles)} changeable={changeable} />
      {rest.length > 0 && (
        <details>
          <summary>And {rest.length} more</summary>
          <TitleList titles={rest} changeable={changeable} />
        </details>
      )}
    </>
  )
}

/** Shows what each kind would let the organization read. */
function ReadableKinds({ kinds }: Pick<ConnectPage, 'kinds'>) {
  const [only, other] = kinds
  if (only !== undefined && other === undefined) return <Readable {...only} />
  return kinds.map(({ slug, title, readable, changeable }) => (
    <details key={slug}>
      <summary>{title}</summary>
      <TitleList titles={readable} changeable={changeable} />
    </details>
  ))
}

function EndUser({ end_user: { id, name, email } }: Pick<ConnectPage, 'end_user'>) {
  const title = name ?? email ?? id
  return (
    <p className="user">
      You are invited as <strong>{title}</strong>
      {email !== null && email !== title && <> ({email})</>}. Not you? Then close this page.
    </p>
  )
}

/** Says which account the new credentials may belong to. */
const SameAccount = ({ connector, allow_other_account: other }: ConnectPage) =>
  connector === null ? null : (
    <p>
      {other
        ? 'New credentials replace the stored ones. They may belong to another account.'
        : 'New credentials replace the stored ones, and have to belong to the same account.'}
    </p>
  )

/** Asks for the access. */
function WelcomeStep() {
  const { page, go, giveUp } = useConnecting()
  return (
    <Step title={printTitle(page)}>
      <EndUser end_user={page.end_user} />
      <SameAccount {...page} />
      <h2>
        What {page.organization_name} will be able to read{page.kinds.some(canChange) && ' and change'}
      </h2>
      <ReadableKinds kinds={page.kinds} />
      <p className="note">
        What you enter is checked, then stored encrypted. Nobody at {page.organization_name} gets to see it. You can end the access at any
        time where you gave it.
      </p>
      <Actions>
        <Action isMain onClick={() => go(chooseKind(page))}>
          Continue
        </Action>
        <Action onClick={giveUp}>Not now</Action>
      </Actions>
    </Step>
  )
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' })

/** Shows who asks, and until when. */
function Header({ organization_name: name, sandbox }: ConnectPage) {
  return (
    <header className="head">
      <span className="initial" aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
      <span className="organization">{name}</span>
      {sandbox && <span className="badge">Test mode</span>}
    </header>
  )
}

/** Shows the card with its step. @param props `page`: once it is read */
function Frame({
  page,
  isBusy = false,
  children,
}: {
  readonly page?: ConnectPage
  readonly isBusy?: boolean
  readonly children?: ReactNode
}) {
  return (
    <div className="frame">
      <main className="card" aria-busy={isBusy}>
        {page !== undefined && <Header {...page} />}
        {isBusy && (
          <div role="status" className="skeleton">
            <span className="hidden">Opening the link …</span>
            <span className="bar short" />
            <span className="bar" />
            <span className="bar" />
          </div>
        )}
        {children}
      </main>
      <footer className="foot">
        <p>
          <img src={mark} alt="" width="16" height="16" /> Ferrule at {location.host}
          {page !== undefined && ' keeps the access.'}
          {page?.status === 'open' && <> This link is good until {times.format(Date.parse(page.expires_at))}.</>}
        </p>
      </footer>
    </div>
  )
}
