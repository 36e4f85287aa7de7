/** What the page can show, and what it shows first. */
import type { ConnectDone, ConnectPage } from 'ferrule/wire'
import { createContext, useContext } from 'react'
import type { PageProblem } from './problem.ts'

/** A kind of the link. */
export type PageKind = ConnectPage['kinds'][number]
/** A way to authorize. */
export type PageScheme = PageKind['schemes'][number]
/** An authorization by consent. */
export type PageAttempt = NonNullable<ConnectPage['attempt']>

/** Returns whether a connector of a kind can change records. */
export const canChange = ({ changeable }: PageKind): boolean => changeable.length > 0

/** A step of the page. */
export type View =
  | { readonly step: 'welcome' | 'kind' | 'declined' }
  | { readonly step: 'scheme'; readonly kind: PageKind }
  | { readonly step: 'form' | 'consent'; readonly kind: PageKind; readonly scheme: PageScheme }
  | { readonly step: 'attempt' | 'accounts'; readonly attempt: PageAttempt }
  | { readonly step: 'done'; readonly done: ConnectDone }

/** What each step can do. */
export interface Connecting {
  readonly page: ConnectPage
  /** Shows another step. */
  go(view: View): void
  /** Reads the page again, and shows the step that it is at. */
  reload(): Promise<void>
  /** Shows the end, and reports it to the opener. */
  finish(done: ConnectDone): void
  /** Leads back, or says that nothing was connected. */
  giveUp(): void
  /** Shows what ended link or session. */
  end(problem: PageProblem): void
}

const ConnectingContext = createContext<Connecting | undefined>(undefined)

/** Gives the page to its steps. */
export const ConnectingProvider = ConnectingContext.Provider

/** Returns the page, inside of `ConnectingProvider`. */
export function useConnecting(): Connecting {
  const connecting = useContext(ConnectingContext)
  if (connecting === undefined) throw new Error('A step is shown outside of the page.')
  return connecting
}

/** Chooses the step that a page is at: a consent that is under way goes before the first screen. */
export function chooseView({ status, connector_id, return_url, attempt }: ConnectPage): View {
  if (status === 'used' && connector_id !== null) return { step: 'done', done: { connector_id, return_url } }
  if (attempt === null || attempt.status === 'done') return { step: 'welcome' }
  return { step: attempt.status === 'choosing' ? 'accounts' : 'attempt', attempt }
}

/** Chooses the step of a kind: its only way to authorize, or the choice between several. */
export function chooseWay(kind: PageKind): View {
  const [scheme, other] = kind.schemes
  return scheme === undefined || other !== undefined ? { step: 'scheme', kind } : chooseScheme(kind, scheme)
}

/** Chooses the step of a way to authorize. */
export const chooseScheme = (kind: PageKind, scheme: PageScheme): View => ({ step: scheme.consent ? 'consent' : 'form', kind, scheme })

/** Chooses where a new try of a consent begins. */
export function chooseStart(kind: PageKind | undefined): View {
  const scheme = kind?.schemes.find(({ consent }) => consent)
  return kind === undefined || scheme === undefined ? { step: 'welcome' } : chooseScheme(kind, scheme)
}

/** Chooses what follows the first screen. */
export function chooseKind({ kinds }: ConnectPage): View {
  const [kind, other] = kinds
  return kind === undefined || other !== undefined ? { step: 'kind' } : chooseWay(kind)
}
